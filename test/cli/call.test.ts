import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { catalogFile, drafted, observed, startChecklist } from "../support/checklist.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { startServer } from "../support/server.ts";
import { fill, smallDisk } from "../support/small-disk.ts";
import { document, type Finished, rostrum, rostrumEach, spawnRostrum } from "./process.ts";

const envelope = (finished: Finished | undefined) => document(finished as Finished);

test("call runs agent and member operations beside a running server, as the local operator", async (t) => {
  const server = await startServer(t);
  const on = (...args: string[]) => ({ args: ["call", ...args, "--data", server.folder, "--json"] });
  const ada = '{"email":"ada@lovelace.example","first_name":"Ada"}';
  const [created] = await rostrumEach([on("create_contact", "--input", ada)]);
  assert.equal(created?.status, 0, created?.stdout);
  const { data: contact } = envelope(created);
  assert.deepEqual((await server.rest("GET", `/contacts/${contact.id}`)).body.data, contact);
  const [read, listed, archived, gone, again] = await rostrumEach([
    on("get_contact", "--input", `{"id":"${contact.id}"}`),
    on("list_contacts"),
    on("archive_contact", "--input", `{"contact_id":"${contact.id}"}`),
    on("get_contact", "--input", `{"id":"${contact.id}"}`),
    on("create_contact", "--input", ada, "--workspace", server.workspaceId.toUpperCase()),
  ]);
  assert.deepEqual(envelope(read), { data: contact, error: null });
  assert.deepEqual(envelope(listed).meta, { total: 1, limit: 25, offset: 0, hasMore: false });
  assert.equal(archived?.status, 0);
  assert.deepEqual([gone?.status, envelope(gone).code], [1, "contact_not_found"]);
  assert.equal(again?.status, 0, "the address is free again");
  const db = openBeside(server.folder, { readonly: true });
  t.after(() => db.close());
  const log = db.prepare(
    "SELECT surface, actor_kind, actor_id FROM operation_log WHERE surface = 'cli' AND record_id = ?",
  );
  assert.deepEqual(log.all(contact.id)[0], {
    surface: "cli",
    actor_kind: "local_operator",
    actor_id: userInfo().username,
  });
});

test("call reads its input from stdin with -, and replays the first answer for a repeated idempotency key", async (t) => {
  const server = await startServer(t);
  const args = ["call", "create_contact", "--input", "-", "--idempotency-key", "k", "--data", server.folder, "--json"];
  const first = await spawnRostrum(args, { input: '{"first_name":"Ünal"}' });
  const repeat = await spawnRostrum(args, { input: '{"first_name":"Ünal"}' });
  assert.deepEqual([first.status, repeat.status], [0, 0]);
  assert.equal(envelope(first).data.first_name, "Ünal");
  assert.equal(repeat.stdout, first.stdout);
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 1);
  const ignored = await spawnRostrum(["call", "create_key", ...args.slice(4)]);
  assert.equal(ignored.status, 2);
  assert.match(envelope(ignored).error, /^create_key doesn't take --idempotency-key/);
  const broken = await spawnRostrum(args, { input: '{"first_name":' });
  assert.equal(broken.status, 2);
  assert.match(envelope(broken).error, /^--input is not valid JSON\./);
});

test("a refused call exits 1, with one envelope with --json and one line on stderr without", async (t) => {
  const server = await startServer(t);
  const beside = ["--data", server.folder];
  const cases: [string[], string, RegExp][] = [
    [["create_contact", "--input", "{}"], "validation_failed", /email, a first name or a last name/],
    [["create_contact", "--input", "[]"], "validation_failed", /^The request body must be a JSON object/],
    [["create_contact", "--input", "null"], "validation_failed", /^The request body must be a JSON object/],
    [["get_contact", "--input", '{"id":"x"}'], "invalid_id", /^id /],
    [
      ["query_contacts", "--input", '{"filters":{}}'],
      "validation_failed",
      /^Unknown field "filters"\. Did you mean "filter"\?/,
    ],
    [["create_contact", "--input", '{"first_name":"\\u0000"}'], "validation_failed", /NUL/],
  ];
  const results = await rostrumEach(
    cases.flatMap(([args]) => [
      { args: ["call", ...args, ...beside] },
      { args: ["call", ...args, ...beside, "--json"] },
    ]),
  );
  for (const [i, [args, code, message]] of cases.entries()) {
    const plain = results[i * 2];
    const json = results[i * 2 + 1];
    assert.deepEqual([plain?.status, plain?.stdout, json?.status, json?.stderr], [1, "", 1, ""], args.join(" "));
    assert.deepEqual([envelope(json).data, envelope(json).code], [null, code], args.join(" "));
    assert.match(envelope(json).error, message);
    assert.equal(plain?.stderr, `${envelope(json).error} (${code})\n`);
  }
});

test("if execution is off in the shell, call says so on stderr, with the fix", async (t) => {
  const server = await startServer(t);
  const account = await server.operator("create_socialnet_account", {
    label: "Ada",
    profile_url: "https://socialnet.example/in/ada",
  });
  const args = (...words: string[]) => ["call", ...words, "--data", server.folder, "--json"];
  const claim = args("socialnet_command", "--input", JSON.stringify({ command: "claim", actionId: account.id }));
  const look = args("get_socialnet_account", "--input", JSON.stringify({ account_id: account.id }));
  const on = { ROSTRUM_SOCIALNET_EXECUTION: "on" };
  const [refused, shown, claimed, seen] = await Promise.all([
    rostrum(claim),
    rostrum(look),
    rostrum(claim, { env: on }),
    rostrum(look, { env: on }),
  ]);
  assert.equal(envelope(refused).reason, "execution_not_activated");
  assert.equal(envelope(shown).data.execution_activated, false);
  for (const { stderr } of [refused, shown]) assert.match(stderr, /shell.*ROSTRUM_SOCIALNET_EXECUTION=on rostrum call/);
  assert.equal(envelope(claimed).reason, "unbound_agent");
  assert.equal(envelope(seen).data.execution_activated, true);
  for (const { stderr } of [claimed, seen]) assert.doesNotMatch(stderr, /ROSTRUM_SOCIALNET_EXECUTION/);
});

test("if the outbound gate is closed in the shell, call says so on stderr, with the fix", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const enroll = ["call", "enroll_audience", "--input", JSON.stringify({ approval_id: server.workspaceId })];
  const beside = ["--data", server.folder, "--json"];
  const [refused, open] = await Promise.all([
    rostrum([...enroll, ...beside]),
    rostrum([...enroll, ...beside], { env: { ROSTRUM_OUTBOUND_GATE: "open" } }),
  ]);
  assert.equal(envelope(refused).code, "outbound_gate_closed");
  assert.match(
    refused.stderr,
    /^Sending is off in this shell.* on for this command: ROSTRUM_OUTBOUND_GATE=open rostrum call …\n$/,
  );
  assert.deepEqual([envelope(open).code, open.stderr], ["approval_not_found", ""]);
});

test("without the server's variables, the shell uses the server's catalog, and says if that file is missing or changed", async (t) => {
  const file = catalogFile(t, [drafted("OT-90", 1)]);
  const server = await startChecklist(t, { file });
  const on = (operation: string, env = {}) => ({
    args: ["call", operation, "--data", server.folder, "--json"],
    env,
  });
  const items = (finished: Finished | undefined) => envelope(finished).data.map(({ id }: { id: string }) => id);
  const [followed] = await rostrumEach([on("list_checklist_items")]);
  assert.deepEqual(items(followed), ["OT-90"]);

  const another = catalogFile(t, [observed("OT-91", 1)]);
  const changed = readFileSync(another, "utf8");
  writeFileSync(file, changed);
  const [refused, named, elsewhere, looked] = await rostrumEach([
    on("run_assessment"),
    on("list_checklist_items", { ROSTRUM_CHECKLIST_CATALOG: another }),
    on("list_contacts"),
    { args: ["doctor", "--data", server.folder, "--json"] },
  ]);
  assert.deepEqual([refused?.status, envelope(refused).code], [2, "validation_failed"]);
  assert.equal(
    envelope(refused).error,
    `${file} has changed since the server read it. Restart the server, or set ROSTRUM_CHECKLIST_CATALOG to the catalog to use.`,
  );
  assert.deepEqual(items(named), ["OT-91"]);
  assert.equal(elsewhere?.status, 0, "what needs no catalog goes on");
  const finding = envelope(looked).data.findings.find(({ check }: { check: string }) => check === "catalog");
  assert.deepEqual([finding.ok, finding.detail], [false, envelope(refused).error]);

  rmSync(file);
  const [gone] = await rostrumEach([on("list_checklist_items")]);
  assert.equal(gone?.status, 2);
  assert.match(envelope(gone).error, /can't be read: ENOENT/);
  await server.running.close();
  await startServer(t, { folder: server.folder });
  const [shipped] = await rostrumEach([on("list_checklist_items")]);
  assert.equal(items(shipped)[0], "OT-01", "a server that works by the shipped one leaves no note");
});

test("on a full disk, a refused call names the cause in one line", async (t) => {
  const disk = isPostgres ? undefined : smallDisk(t);
  if (disk === undefined) return t.skip("needs SQLite, and a user who can mount a small disk");
  const folder = join(disk, "data");
  mkdirSync(folder, { mode: 0o700 });
  const server = await startServer(t, { folder });
  fill(disk);
  const input = JSON.stringify({ first_name: "Ada".repeat(60) });
  const args = ["call", "create_contact", "--input", input, "--data", folder];
  let result = await rostrum(args);
  for (let n = 0; n < 50 && result.status === 0; n += 1) result = await rostrum(args);
  assert.equal(result.status, 1);
  assert.match(
    result.stderr,
    /^The database is not available\. [^\n]*\(db_unavailable\)\n\S+: the disk is full\. Free some space[^\n]*\n$/,
  );
  await server.running.close();
});
