import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { importFile } from "../../src/cli/commands/import.ts";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { UsageError } from "../../src/lib/operator-error.ts";
import { openBeside } from "../support/beside.ts";
import { engineEnv, isPostgres, makeDatabase } from "../support/engine-under-test.ts";
import { temporaryFolder } from "../support/server.ts";
import { document, rostrum, spawnRostrum, startRostrum, until } from "./process.ts";

const HEADER = "Email,First Name,Last Name,Company,Shoe Size";

/** A data folder with a workspace, files beside it, and the command to import them. */
async function desk(t: TestContext) {
  const folder = temporaryFolder(t);
  const data = join(folder, "data");
  if (isPostgres) await makeDatabase(data);
  const core = await openCore(readConfig({ data }, engineEnv(data)), createLog("silent"));
  t.after(() => core.close());
  const operate = async (name: string, input: unknown, workspaceId: string) => {
    const answer = await callAsOperator(core, name, workspaceId, input);
    if (answer.refusal !== undefined) throw answer.refusal;
    return JSON.parse(answer.body).data;
  };
  const { id: workspaceId } = await operate("create_workspace", { name: "desk" }, "");
  const { contacts } = core.store.read(workspaceId);
  return {
    data,
    contacts,
    operator: (name: string, input: unknown) => operate(name, input, workspaceId),
    file(name: string, content: string | Uint8Array | readonly string[]): string {
      const path = join(folder, name);
      writeFileSync(path, typeof content === "string" || content instanceof Uint8Array ? content : lines(content));
      return path;
    },
    /** Runs the command to its end; returns its data. */
    async import(path: string, ...more: string[]) {
      const done = await rostrum(["import", path, "--data", data, "--workspace", "desk", "--json", ...more]);
      assert.deepEqual([done.status, done.stderr], [0, ""], done.stdout);
      return document(done).data;
    },
    run: (...args: string[]) => rostrum(["import", ...args, "--data", data]),
    byEmail: async (email: string) => (await contacts.findByEmail(email))?.contact,
    sql(statement: string): unknown[] {
      const db = openBeside(data);
      try {
        const prepared = db.prepare(statement);
        return statement.startsWith("SELECT") ? prepared.all() : [prepared.run()];
      } finally {
        db.close();
      }
    },
  };
}

const lines = (rows: readonly string[]) => rows.map((row) => `${row}\n`).join("");
const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}.csv`, import.meta.url));
const rejectedOf = (path: string) => readFileSync(`${path}.rejected.csv`, "utf8");
const tally = ({ created, updated, unchanged, rejected }: Record<string, number>) => [
  ...[created, updated, unchanged, rejected],
];

test("a HubSpot export is imported by its own column names", async (t) => {
  const d = await desk(t);
  const path = d.file("hubspot.csv", fixture("hubspot"));
  const answer = await d.import(path);
  assert.deepEqual(Object.keys(answer), [
    ...["file", "created", "updated", "unchanged", "rejected", "rejected_file", "ignored_columns", "resumed_from"],
  ]);
  assert.deepEqual([answer.file, answer.rejected_file, answer.resumed_from], [path, `${path}.rejected.csv`, null]);
  assert.deepEqual(tally(answer), [2, 0, 0, 1]);
  assert.deepEqual(answer.ignored_columns, [
    ...["Record ID", "Contact owner", "Last Activity Date", "Lead Status", "Marketing contact status", "Create Date"],
  ]);
  const ada = await d.byEmail("ada@engines.example");
  assert.equal(ada?.first_name, "Ada");
  assert.equal(ada?.last_name, "Lovelace");
  assert.equal(ada?.company, "Analytical Engines, Ltd.");
  assert.equal(ada?.job_title, 'Countess of "Computing"');
  assert.equal(ada?.phone, "+44 20 7946 0001");
  assert.equal(ada?.website, "https://engines.example");
  assert.equal(ada?.source, "import");
  assert.equal(
    rejectedOf(path).split("\n")[1],
    '53,Kathryn,Johnson,not an address,,,,,,2026-01-07 08:45,,,,4,"email must be an email address such as name@example.com"',
  );
});

test("an Attio export is imported: full names, several addresses per cell, multi-line text", async (t) => {
  const d = await desk(t);
  const answer = await d.import(d.file("attio.csv", fixture("attio")));
  assert.deepEqual(tally(answer), [3, 0, 0, 0]);
  assert.equal(answer.rejected_file, null);
  const ada = await d.byEmail("ada@engines.example");
  assert.deepEqual([ada?.first_name, ada?.last_name, ada?.job_title], ["Ada", "Lovelace", "Countess"]);
  assert.deepEqual([ada?.company, ada?.phone], ["Analytical Engines", "+442079460001"]);
  assert.equal(ada?.socialnet_url, "https://www.socialnet.example/in/ada");
  assert.equal((await d.byEmail("mary@clarke.example"))?.last_name, "Kenneth Keller");
  const nameless = await d.byEmail("edsger@eindhoven.example");
  assert.deepEqual([nameless?.first_name, nameless?.last_name], [null, null]);
});

test("a Google Contacts export is imported: numbered columns, joined values, labels as tags", async (t) => {
  const d = await desk(t);
  const answer = await d.import(d.file("google.csv", fixture("google-contacts")));
  assert.deepEqual(tally(answer), [3, 0, 0, 0]);
  const ada = await d.byEmail("ada@engines.example");
  assert.deepEqual([ada?.first_name, ada?.last_name], ["Ada", "Lovelace"]);
  assert.deepEqual([ada?.company, ada?.job_title], ["Analytical Engines", "Countess"]);
  assert.deepEqual([ada?.phone, ada?.website], ["+44 20 7946 0001", "https://engines.example/ada"]);
  assert.deepEqual(ada?.tags, ["friends", "pioneers"]);
  const grace = await d.byEmail("grace@navy.example");
  assert.deepEqual([grace?.last_name, grace?.tags], ["Hopper", null]);
});

test("Connections.csv is read below its notes, and contacts without an address are updated by profile", async (t) => {
  const d = await desk(t);
  const known = { first_name: "Augusta", email: "ada@engines.example", socialnet_url: "socialnet.example/in/ada/" };
  const { id } = await d.operator("create_contact", known);
  const path = d.file("Connections.csv", fixture("connections"));
  const answer = await d.import(path);
  assert.deepEqual(tally(answer), [2, 1, 0, 1]);
  assert.deepEqual(answer.ignored_columns, ["Connected On"]);
  const ada = (await d.contacts.find(id))?.contact;
  assert.deepEqual([ada?.email, ada?.first_name, ada?.company], ["ada@engines.example", "Ada", "Analytical Engines"]);
  assert.equal(ada?.source, "member", "a contact keeps the source it came from");
  const zoe = (await d.contacts.findByProfile("https://www.socialnet.example/in/zo%C3%AB"))?.contact;
  assert.deepEqual([zoe?.first_name, zoe?.last_name, zoe?.company], ["Zoë", "O'Neil 🚀", "Müller & Söhne"]);
  assert.match(
    rejectedOf(path),
    /^,,,,,,01 Jan 2024,7,"row has no email, first name or last name\. Add at least one\."/m,
  );
});

test("people whose profiles differ by the query stay apart", async (t) => {
  const d = await desk(t);
  const header = "Email,First Name,Profile URL";
  const profile = (id: number) => `https://net.example/profile.php?id=${id}`;
  const path = d.file("c.csv", [header, `ada@x.example,Ada,${profile(1)}`, `bob@x.example,Bob,${profile(2)}`]);
  assert.deepEqual(tally(await d.import(path)), [2, 0, 0, 0]);
  const [ada, bob] = [await d.byEmail("ada@x.example"), await d.byEmail("bob@x.example")];
  assert.deepEqual([ada?.first_name, ada?.socialnet_url], ["Ada", profile(1)]);
  assert.deepEqual([bob?.first_name, bob?.socialnet_url], ["Bob", profile(2)]);
  const again = d.file("d.csv", [header, `,Robert,${profile(2)}`, `,Cy,${profile(3)}`]);
  assert.deepEqual(tally(await d.import(again)), [1, 1, 0, 0]);
  assert.equal((await d.byEmail("bob@x.example"))?.first_name, "Robert");
  const changed = d.file("e.csv", [`${header},Company`, ...[1, 2, 3].map((id) => `,,${profile(id)},Acme`)]);
  assert.deepEqual(tally(await d.import(changed)), [0, 3, 0, 0], "not only the newest is compared");
});

test("exactly the values that an import writes have the provenance import", async (t) => {
  const d = await desk(t);
  await d.operator("create_contact", { email: "ada@x.example", first_name: "Ada", company: "Engines" });
  await d.import(d.file("c.csv", [`${HEADER},Tags`, "ada@x.example,Ada,King,,9,vip", "bob@x.example,Bob,,,,a;b"]));
  const rows = d.sql(
    `SELECT email || ' ' || field AS value FROM contact_provenance JOIN contacts ON seq = contact_seq
     WHERE contact_provenance.source = 'import' ORDER BY 1`,
  );
  assert.deepEqual(
    rows.map((row) => (row as { value: string }).value),
    [
      ...["ada@x.example last_name", "ada@x.example tags"],
      ...["bob@x.example email", "bob@x.example first_name", "bob@x.example tags"],
    ],
  );
});

test("importing the same file again does nothing; a changed file updates, and empty cells keep the old values", async (t) => {
  const d = await desk(t);
  const path = d.file("c.csv", [HEADER, "ada@x.example,Ada,King,Engines,", "bob@x.example,Bob,,,", ",Name,Only,,"]);
  assert.deepEqual(tally(await d.import(path)), [3, 0, 0, 0]);
  const before = d.sql("SELECT * FROM contacts");
  const again = await d.import(path);
  assert.deepEqual([...tally(again), again.resumed_from], [0, 0, 3, 0, 3]);
  assert.deepEqual(d.sql("SELECT * FROM contacts"), before);
  const { stdout } = await d.run(path);
  assert.match(
    stdout,
    /was already imported \(3 rows imported, 0 rejected\)\. Nothing changed\.\n.*ignored: Shoe Size\. To import one, map it to a field: --map "Shoe Size=FIELD"\.\n$/,
  );

  d.file("c.csv", [HEADER, "ADA@X.example,Ada,Lovelace,,", "bob@x.example,Bob,,,", "cy@x.example,Cy,,,"]);
  assert.deepEqual(tally(await d.import(path)), [1, 1, 1, 0]);
  const ada = await d.byEmail("ada@x.example");
  assert.deepEqual([ada?.email, ada?.last_name, ada?.company], ["ada@x.example", "Lovelace", "Engines"]);
  assert.equal(await d.contacts.count(), 4);
});

test("the same file with another mapping is another import", async (t) => {
  const d = await desk(t);
  const path = d.file("c.csv", ["Email,Firma", "ada@x.example,Engines"]);
  assert.deepEqual(tally(await d.import(path)), [1, 0, 0, 0]);
  assert.deepEqual(tally(await d.import(path, "--map", "firma=company")), [0, 1, 0, 0]);
  assert.equal((await d.byEmail("ada@x.example"))?.company, "Engines");
});

test("only invalid rows are rejected, with their line, original columns and the fix", async (t) => {
  const d = await desk(t);
  const path = d.file(
    "c.csv",
    [
      HEADER,
      "good1@x.example,A,,,",
      'bad quote@x.example,"never closed,,,',
      'good2@x.example,"B","",,',
      "",
      ",,,,",
      "short@x.example,C",
      "long@x.example,D,E,Acme, Inc.,9",
      "trailing@x.example,F,,,,,,",
      ",,,Nobody's,",
      "nul@x.example,N\0L,,,",
      `${"x".repeat(501)}@x.example,G,,,`,
      `long-name@x.example,${"y".repeat(501)},,,`,
      '"multi',
      'line@x.example","H",,,',
      'good3@x.example,"I ""the"" third",,,',
      'unclosed@x.example,"at the end,,,',
    ].join("\r\n"),
  );
  const answer = await d.import(path);
  assert.deepEqual(tally(answer), [5, 0, 0, 8]);
  const text = rejectedOf(path);
  const reasons = [...text.matchAll(/,(\d+),"((?:row|email|first_name) .*)"\n/g)].map(([, line, why]) => [line, why]);
  assert.deepEqual(reasons, [
    ["3", "row can't be read. Close the quotes of each cell, and double each quote inside"],
    ["8", "row has 6 cells, but the header has 5. Quote cells that contain the delimiter"],
    ["10", "row has no email, first name or last name. Add at least one."],
    ["11", "first_name contains a NUL character. Remove it"],
    ["12", "email must be 320 characters or fewer"],
    ["13", "first_name must be 500 characters or fewer"],
    ["14", "email must be an email address such as name@example.com"],
    ["17", "row can't be read. Close the quotes of each cell, and double each quote inside"],
  ]);
  assert.equal(text.split("\n")[0], `${HEADER},row,reason`);
  assert.ok(text.includes('\n"bad quote@x.example,""never closed,,,",,,,,3,"row '), "the text of a broken row is kept");
  assert.ok(text.includes('\nlong@x.example,D,E,Acme," Inc.,9",8,"row '), "and so are cells beyond the header");
  assert.equal((await d.byEmail("good3@x.example"))?.first_name, 'I "the" third');
  assert.equal(statSync(`${path}.rejected.csv`).mode & 0o777, 0o600);
});

test("rows beyond the allowance are rejected, and the corrected file of rejects can be imported", async (t) => {
  const d = await desk(t);
  d.sql("UPDATE workspaces SET plan = 'small', contact_allowance = 2");
  const people = ["a@x.example,A,,,", "b@x.example,B,,,", "c@x.example,C,,,", "a@x.example,A,Again,,"];
  const path = d.file("c.csv", [HEADER, ...people]);
  const answer = await d.import(path);
  assert.deepEqual(tally(answer), [2, 1, 0, 1]);
  assert.match(
    rejectedOf(path),
    /\nc@x.example,C,,,,4,"quota_exceeded_contacts: The small plan allows 2 contacts and you have 2\. /,
  );
  assert.equal(d.sql("SELECT 1 FROM contact_provenance WHERE contact_seq > 2").length, 0);
  d.sql("UPDATE workspaces SET contact_allowance = NULL");
  assert.deepEqual(tally(await d.import(answer.rejected_file)), [1, 0, 0, 0]);
  assert.equal((await d.byEmail("c@x.example"))?.first_name, "C");
});

test("a refused import says how to resume and exits 1; the same command then finishes it", async (t) => {
  const d = await desk(t);
  const path = d.file("c.csv", [HEADER, "a@x.example,A,,,"]);
  d.sql("UPDATE workspaces SET billing_state = 'delinquent'");
  const plain = await d.run(path);
  assert.deepEqual([plain.status, plain.stdout], [1, ""]);
  assert.match(
    plain.stderr,
    /read-only.*\(billing_read_only\)\nFix this, then run the same command again to resume\.\n$/,
  );
  const json = await d.run(path, "--json");
  assert.deepEqual([json.status, document(json).code, json.stderr], [1, "billing_read_only", ""]);
  d.sql("UPDATE workspaces SET billing_state = 'active'");
  assert.deepEqual(tally(await d.import(path)), [1, 0, 0, 0]);
});

test("an unusable file or mapping exits 2 with one clear line, and nothing is imported", async (t) => {
  const d = await desk(t);
  const good = d.file("good.csv", [HEADER, "a@x.example,A,,,"]);
  const unknown = d.file("unknown.csv", ["Firma;Telefon", "Engines;1"]);
  const latin = d.file("latin.csv", Buffer.from(`${HEADER}\nm@x.example,M\xfcller,,,\n`, "latin1"));
  const cases: [path: string, message: RegExp, more?: { map?: string[]; workspace?: string }][] = [
    ["missing.csv", /^The file .*missing\.csv does not exist\. Check the path\.$/],
    [d.data, /^.*data is a folder\. Choose a CSV file\.$/],
    [d.file("empty.csv", ""), /^.*empty\.csv is empty\.$/],
    [latin, /^.*latin\.csv is not valid UTF-8\. Save it as CSV in UTF-8 and import that\.$/],
    [
      unknown,
      /^No column of .* has names or emails\. Its columns are: "Firma", "Telefon"\. .*--map "Their column=email/,
    ],
    [good, /^--map has an unknown field: mail\. .*Fields: email, first_name, /, { map: ["Shoe Size=mail"] }],
    [
      good,
      /^--map has a column that .* does not have: "shoes"\. Its columns are: "Email", "First Name", .*\.$/,
      { map: ["Shoes=phone"] },
    ],
    [good, /^--map must list pairs of a column and a field\. /, { map: ["Shoe Size"] }],
    [good, /^Unknown workspace "other"\. /, { workspace: "other" }],
  ];
  Object.assign(process.env, engineEnv(d.data));
  t.after(() => {
    for (const name of Object.keys(engineEnv(d.data))) delete process.env[name];
  });
  for (const [path, message, more = {}] of cases) {
    await assert.rejects(importFile(path, { data: d.data, map: [], ...more }), (error: Error) => {
      assert.ok(error instanceof UsageError, error.stack);
      assert.match(error.message, message);
      return true;
    });
  }
  const { status, stdout, stderr } = await d.run(unknown);
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^No column of [^\n]*\n$/);
  assert.equal(await d.contacts.count(), 0);
});

test("UTF-16, a byte-order mark, and semicolons or tabs between the cells are understood", async (t) => {
  const d = await desk(t);
  const little = Buffer.from("\uFEFFEmail\tFirst Name\r\na@x.example\tZoë 🚀\r\n", "utf16le");
  const sent = [
    await d.import(d.file("little.txt", little)),
    await d.import(d.file("big.txt", Buffer.from(little).swap16())),
    await d.import(d.file("marked.csv", '\uFEFFEmail;Company\nb@x.example;"Acme; Sons"\nc@x.example;Acme, Inc.\n')),
  ];
  assert.deepEqual(sent.map(tally), [
    [1, 0, 0, 0],
    [0, 0, 1, 0],
    [2, 0, 0, 0],
  ]);
  assert.equal((await d.byEmail("a@x.example"))?.first_name, "Zoë 🚀");
  assert.equal((await d.byEmail("b@x.example"))?.company, "Acme; Sons");
  assert.equal((await d.byEmail("c@x.example"))?.company, "Acme, Inc.");
});

test("a file with only a header imports nothing", async (t) => {
  const d = await desk(t);
  assert.deepEqual(tally(await d.import(d.file("c.csv", [HEADER]))), [0, 0, 0, 0]);
});

/** Rows of which every 7th is invalid, and every 5th has only a name. */
function mixed(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    if (i % 7 === 3) return `not an address ${i},"Ba""d",${i},,`;
    return i % 5 === 0 ? `,Nameless,${i},,` : `person${i}@x.example,P,${i},"Acme, ${i}",`;
  });
}
const bad = (count: number) => Array.from({ length: count }, (_, i) => i).filter((i) => i % 7 === 3);

test("after kill -9 halfway, the same command resumes without duplicate, lost or forgotten rejected rows", async (t) => {
  const d = await desk(t);
  const rows = 3_000;
  const path = d.file("c.csv", [HEADER, ...mixed(rows)]);
  let kills = 0;
  for (const floor of [200, 1_500]) {
    const child = startRostrum(["import", path, "--data", d.data, "--json"]);
    child.stdout?.resume();
    const ended = once(child, "close");
    await until(async () => child.exitCode !== null || (await d.contacts.count()) >= floor, 30_000);
    child.kill("SIGKILL");
    const [status] = await ended;
    if (status === null) kills++;
  }
  assert.ok(kills > 0, "at least one of them was killed on its way");
  const answer = await d.import(path);
  assert.ok(answer.resumed_from >= 200);
  assert.deepEqual(tally(answer), [rows - bad(rows).length, 0, 0, bad(rows).length]);
  assert.equal(await d.contacts.count(), rows - bad(rows).length);
  const numbers = rejectedOf(path)
    .split("\n")
    .slice(1, -1)
    .map((line) => Number(/^not an address (\d+),/.exec(line)?.[1]));
  assert.deepEqual(numbers, bad(rows));
});

test("rejected rows committed but not yet written are written by the next call", async (t) => {
  const d = await desk(t);
  const path = d.file("c.csv", [HEADER, ...mixed(600)]);
  await d.import(path);
  const whole = rejectedOf(path);
  const ofLastBatch = whole.indexOf("\nnot an address 500,") + 1;
  for (const kept of [ofLastBatch, whole.length - 1, whole.length - 40]) {
    truncateSync(`${path}.rejected.csv`, kept);
    const answer = await d.import(path);
    assert.deepEqual([...tally(answer), answer.resumed_from], [0, 0, 514, 86, 600]);
    assert.equal(rejectedOf(path), whole);
  }
});

test("the rejects file of a finished import keeps the owner's corrections", async (t) => {
  const d = await desk(t);
  const path = d.file("c.csv", [HEADER, ...mixed(600)]);
  await d.import(path);
  writeFileSync(`${path}.rejected.csv`, "fixed\n");
  const answer = await d.import(path);
  assert.equal(rejectedOf(path), "fixed\n");
  assert.equal(answer.rejected, 86);
});

test("a new import of a changed file drops the rejected rows of the previous one", async (t) => {
  const d = await desk(t);
  const path = d.file("c.csv", [HEADER, "nobody,A,,,"]);
  assert.deepEqual(tally(await d.import(path)), [0, 0, 0, 1]);
  d.file("c.csv", [HEADER, "a@x.example,A,,,"]);
  assert.equal((await d.import(path)).rejected_file, null);
  assert.equal(existsSync(`${path}.rejected.csv`), false);
});

test("100,000 rows are imported in bounded memory", async (t) => {
  const d = await desk(t);
  const path = d.file("c.csv", [HEADER]);
  const out = createWriteStream(path, { flags: "a" });
  // Two hundred contacts repeatedly: unchanged rows are fast, and memory depends on rows, not contacts.
  for (let i = 0; i < 100_000; i++) out.write(`p${i % 200}@x.example,P,"${"long name ".repeat(8)}",Acme,${i}\n`);
  await new Promise((resolve) => out.end(resolve));
  // With a fixed young generation. Otherwise V8 grows it, and then has to collect the whole heap all the time.
  const env = { NODE_OPTIONS: "--max-old-space-size=64 --max-semi-space-size=4" };
  const done = await spawnRostrum(["import", path, "--data", d.data, "--json"], {
    env,
    longestMs: 180_000,
  });
  assert.equal(done.status, 0, done.stderr);
  assert.deepEqual(tally(document(done).data), [200, 0, 99_800, 0]);
});

test("import_contacts refuses an out-of-order batch, and names the row it expects", async (t) => {
  const d = await desk(t);
  const fingerprint = createHash("sha256").update("a file").digest("hex");
  const send = (from_row: number, last = false) =>
    d.operator("import_contacts", {
      fingerprint,
      from_row,
      last,
      rows: [{ first_name: `${from_row}` }, { email: "x" }],
    });
  const outOfStep = { code: "import_out_of_step", status: 409 };
  await assert.rejects(send(2), { ...outOfStep, message: "from_row: this import continues at row 0, not at 2." });
  const counts = { created: 1, updated: 0, unchanged: 0, rejected: 1 };
  const results = [{ row: 1, reason: "email must be an email address such as name@example.com" }];
  assert.deepEqual(await send(0), { rows_done: 2, ...counts, results });
  await assert.rejects(send(0), { ...outOfStep, message: "from_row: this import continues at row 2, not at 0." });
  const standing = { rows_done: 2, ...counts, finished_at: null, last_rejected: results };
  assert.deepEqual(await d.operator("find_import", { fingerprint }), standing);
  assert.equal((await send(2, true)).rows_done, 4);
  await assert.rejects(send(4), { ...outOfStep, message: /import finished after 4 rows/ });
  assert.equal(await d.contacts.count(), 2);
  const [entry] = await d.operator("list_audit", {});
  assert.deepEqual(
    [entry.action, entry.record_id, entry.after],
    ["import_contacts", fingerprint, { rows_done: 4, created: 2, updated: 0, unchanged: 0, rejected: 2 }],
  );
});

test("a rejected cell that a spreadsheet would run as a formula is escaped, and unescaped on import", async (t) => {
  const { file, import: run, byEmail } = await desk(t);
  const cells = ["=HYPERLINK(1)", "+49 151 23", "-1", "@SUM(1)", "\t=1", "|calc", "%0A=1"];
  const quote = (cell: string) => (/[",\t]/.test(cell) ? `"${cell}"` : cell);
  const rows = cells.map((cell, i) => `no address,,,${quote(cell)},${i}`);
  const path = file("formulas.csv", ["Email,First Name,Last Name,Company,=Shoe Size", ...rows]);
  assert.equal((await run(path)).rejected, cells.length);
  const rejected = readFileSync(`${path}.rejected.csv`, "utf8");
  for (const line of rejected.split("\n")) {
    for (const cell of line.split(",")) assert.doesNotMatch(cell.replace(/^"/, ""), /^\s*[=+@|%-]/, line);
  }
  const again = file(
    "again.csv",
    rejected.replace(/^no address/gm, () => `a${++count}@x.example`),
  );
  assert.equal((await run(again)).created, cells.length);
  for (const [i, cell] of cells.entries()) {
    assert.equal((await byEmail(`a${i + 1}@x.example`))?.company, cell.trim());
  }
});
let count = 0;
