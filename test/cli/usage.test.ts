import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { VERSION } from "../../src/lib/package.ts";
import { openApi } from "../../src/rest/openapi.ts";
import { operations } from "../../src/tools/index.ts";
import { temporaryFolder } from "../support/server.ts";
import { document, rostrum, rostrumEach } from "./process.ts";

test("wrong usage exits 2, with one line on stderr, or only one envelope on stdout with --json", async (t) => {
  const cwd = temporaryFolder(t);
  const founded = temporaryFolder(t);
  const wrong: [string[], RegExp][] = [
    [["bogus"], /unknown command 'bogus'/],
    [["start", "--bogus"], /unknown option '--bogus'/],
    [["start", "stray"], /too many arguments/],
    [["key", "create", "--name", "n"], /required option '--scopes <scopes>'/],
    [["key", "revoke"], /missing required argument 'key'/],
    [["call"], /missing required argument 'operation'/],
    [["call", "no_such_thing"], /Unknown operation "no_such_thing"\. Available operations: list_contacts,/],
    [["call", "create_contact", "--input", "{bad"], /--input is not valid JSON/],
    [["call", "create_contact", "--input", '{"a":1,"a":2}'], /--input: a appears twice in one object/],
    [["call", "create_contact", "--input", ""], /--input is empty/],
    [["call", "list_contacts"], /\.\/data has no Rostrum database\. Start the server once/],
    [["key", "list", "--data", "nowhere"], /nowhere has no Rostrum database/],
    [["backup", "copy.db"], /No database found at data\/rostrum\.db/],
    [
      ["call", "list_contacts", "--data", founded, "--workspace", "unknown"],
      /Unknown workspace "unknown"\. Available workspaces: one \(/,
    ],
    [
      ["key", "create", "--name", "n", "--scopes", "all", "--expires-in-days", "soon", "--data", founded],
      /whole number of days/,
    ],
  ];
  const [made, ...results] = await rostrumEach([
    { args: ["workspace", "create", "one", "--data", founded], cwd },
    ...wrong.flatMap(([args]) => [
      { args, cwd },
      { args: [...args, "--json"], cwd },
    ]),
  ]);
  assert.equal(made?.status, 0, made?.stderr);
  for (const [i, [args, message]] of wrong.entries()) {
    const plain = results[i * 2];
    const json = results[i * 2 + 1];
    assert.ok(plain && json);
    assert.equal(plain.status, 2, args.join(" "));
    assert.equal(plain.stdout, "");
    assert.match(plain.stderr, message);
    assert.doesNotMatch(plain.stderr, /^ +at /m, "no stack");
    assert.equal(json.status, 2, args.join(" "));
    assert.equal(json.stderr, "");
    const { data, error, code } = document(json);
    assert.deepEqual([data, code], [null, "validation_failed"], args.join(" "));
    assert.match(error, message);
    assert.ok(!error.includes("\n") && !error.startsWith("error:"));
  }
});

test("a command group without its command is wrong usage, also as text", async () => {
  const [root, key, json] = await rostrumEach([{ args: [] }, { args: ["key"] }, { args: ["--json"] }]);
  assert.deepEqual([root?.status, key?.status, json?.status], [2, 2, 2]);
  assert.match(root?.stderr ?? "", /Usage: rostrum/);
  assert.match(key?.stderr ?? "", /Usage: rostrum key/);
  assert.equal(document(json ?? { status: 0, stdout: "", stderr: "" }).code, "validation_failed");
});

test("a machine error exits 1 with one line, or one envelope with db_unavailable", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "rostrum.db"), "garbage ".repeat(1_000));
  const args = ["key", "list", "--data", "."];
  const [plain, json] = await rostrumEach([
    { args, cwd },
    { args: [...args, "--json"], cwd },
  ]);
  assert.ok(plain && json);
  assert.equal(plain.status, 1);
  assert.match(
    plain.stderr,
    /^The database can't be opened: file is not a database\. Run .* doctor to find out why\.\n$/,
  );
  assert.equal(json.status, 1);
  assert.equal(json.stderr, "");
  assert.equal(document(json).code, "db_unavailable");
});

test("openapi prints the description that the server serves, and --version the package's version", async () => {
  const [described, version] = await rostrumEach([{ args: ["openapi"] }, { args: ["--version"] }]);
  assert.ok(described && version);
  assert.equal(described.status, 0);
  assert.deepEqual(document(described), JSON.parse(JSON.stringify(openApi(operations))));
  assert.equal(version.stdout, `${VERSION}\n`);
});

test("the exit status of the process is the one that the command sets", async (t) => {
  const { status, stdout, stderr } = await rostrum(["key", "list", "--json"], { cwd: temporaryFolder(t) });
  assert.equal(status, 2);
  assert.equal(stderr, "");
  assert.equal(JSON.parse(stdout).code, "validation_failed");
});
