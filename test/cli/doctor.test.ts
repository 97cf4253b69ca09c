import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { prereleaseDatabase } from "../support/prerelease.ts";
import { startServer, temporaryFolder } from "../support/server.ts";
import { document, type Finished, rostrumEach } from "./process.ts";

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  mend: string | null;
}

/** A folder with a sound database in ./data. */
async function sound(t: TestContext): Promise<{ cwd: string; file: string }> {
  const cwd = temporaryFolder(t);
  const file = join(cwd, "data/rostrum.db");
  const store = await openSqliteStore(file);
  await store.write("w", ({ workspace }) => workspace.create("one", Date.now()));
  await store.close();
  return { cwd, file };
}

const faults = (finished: Finished | undefined) =>
  document(finished as Finished).data.findings.filter(({ ok }: Finding) => !ok) as Finding[];

const edit = (file: string, sql: string) => {
  const db = new Database(file);
  db.exec(sql);
  db.close();
};

const FUTURE = Date.now() + 3_600_000;
const CONTACT = "(id, workspace_id, first_name, source, created_at, updated_at)";

/** Each fault by itself: how it comes about, which check finds it, what it says, and what mends it. */
const FAULTS: [
  string,
  (place: { cwd: string; file: string }) => Record<string, string> | undefined,
  string,
  RegExp,
  RegExp,
][] = [
  [
    "others may look into the folder",
    ({ cwd }) => void chmodSync(join(cwd, "data"), 0o755),
    "folder",
    /others of this machine can look into/,
    /^chmod 700 \.\/data$/,
  ],
  [
    "others may read the database",
    ({ file }) => void chmodSync(file, 0o640),
    "folder",
    /others of this machine can read/,
    /^chmod 600 data\/rostrum\.db$/,
  ],
  [
    "a page of the database is damaged",
    ({ file }) => {
      const bytes = readFileSync(file);
      bytes.fill(0xff, 4_096 * 3, 4_096 * 6);
      writeFileSync(file, bytes);
      return undefined;
    },
    "schema",
    /damaged/,
    /^mkdir \.\/data\/damaged && mv data\/rostrum\.db\* \.\/data\/damaged && .* restore BACKUP$/,
  ],
  [
    "the database is no database",
    ({ file }) => void writeFileSync(file, "garbage ".repeat(1_000)),
    "schema",
    /damaged: file is not a database/,
    / restore BACKUP$/,
  ],
  [
    "a newer program has written the database",
    ({ file }) => void edit(file, "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', 9999999999999)"),
    "schema",
    /a newer Rostrum/,
    /^npm install rostrum@latest$/,
  ],
  [
    "a pre-release version has created the database",
    ({ file }) => {
      rmSync(file);
      prereleaseDatabase(file);
      return undefined;
    },
    "schema",
    /^data\/rostrum\.db was created by a pre-release version of Rostrum\. Its data can't be upgraded\. Start with a new/,
    / start --data NEW_FOLDER$/,
  ],
  [
    "a migration is due",
    ({ file }) =>
      void edit(file, "DELETE FROM __drizzle_migrations WHERE id = (SELECT max(id) FROM __drizzle_migrations)"),
    "schema",
    /1 migration\(s\) are due/,
    / start$/,
  ],
  [
    "a variable is misspelt",
    () => ({ ROSTRUM_PROT: "1", ROSTRUM_LOGLEVEL: "info" }),
    "settings",
    /ROSTRUM_PROT, ROSTRUM_LOGLEVEL mean nothing/,
    /^unset ROSTRUM_PROT ROSTRUM_LOGLEVEL$/,
  ],
  [
    "a setting cannot be used",
    () => ({ ROSTRUM_PORT: "many" }),
    "settings",
    /^ROSTRUM_PORT takes a port from 0 to 65535; it is "many"\.$/,
    /start --help lists them$/,
  ],
  [
    "the team's catalog of the checklist has a mistake",
    ({ cwd }) => {
      writeFileSync(join(cwd, "ours.yaml"), 'version: "1"\nitems:\n  - id: OT-1\n');
      return { ROSTRUM_CHECKLIST_CATALOG: "ours.yaml" };
    },
    "catalog",
    /^The checklist's catalog cannot be used\.\nours\.yaml:3: OT-1, id: is not an id as in OT-01 or ON-01\.\n/,
    /^mend the file, or unset ROSTRUM_CHECKLIST_CATALOG/,
  ],
  [
    "a contact lies in the future",
    ({ file }) =>
      void edit(file, `INSERT INTO contacts ${CONTACT} VALUES ('c', 'w', 'x', 'import', ${FUTURE}, ${FUTURE})`),
    "clock",
    /lies in the past of what is stored/,
    /^timedatectl set-ntp true$/,
  ],
  [
    "a logged write lies in the future",
    ({ file }) =>
      void edit(
        file,
        `INSERT INTO operation_log (workspace_id, at, operation, surface, actor_kind, actor_id, request_id)
           VALUES ('w', ${FUTURE}, 'o', 'rest', 'key', 'k', 'r')`,
      ),
    "clock",
    /lies in the past/,
    /^timedatectl/,
  ],
];

test("doctor finds each fault by itself, names what mends it, and exits 1", async (t) => {
  const places = await Promise.all(FAULTS.map(() => sound(t)));
  const cases = FAULTS.map(([, break_], i) => {
    const place = places[i] as { cwd: string; file: string };
    const env = break_(place) ?? {};
    return { args: ["doctor", "--json"], cwd: place.cwd, env };
  });
  const results = await rostrumEach(cases);
  for (const [i, [name, , check, detail, mend]] of FAULTS.entries()) {
    const result = results[i];
    assert.equal(result?.status, 1, name);
    assert.equal(result?.stderr, "", name);
    assert.equal(document(result as Finished).data.healthy, false);
    const [found, ...more] = faults(result);
    assert.deepEqual(more, [], name);
    assert.equal(found?.check, check, name);
    assert.match(found?.detail ?? "", detail, name);
    assert.match(found?.mend ?? "", mend, name);
  }
});

test("a folder that is not there is found, and the mending command names it as the shell needs it", async (t) => {
  const cwd = temporaryFolder(t);
  const [json, plain] = await rostrumEach([
    { args: ["doctor", "--json", "--data", "it's here"], cwd },
    { args: ["doctor", "--data", "it's here"], cwd },
  ]);
  assert.equal(json?.status, 1);
  assert.deepEqual(
    faults(json).map(({ check }) => check),
    ["folder", "schema"],
  );
  for (const { mend } of faults(json)) assert.match(mend ?? "", / start --data 'it'\\''s here'$/);
  assert.equal(plain?.status, 1);
  assert.match(plain?.stdout ?? "", /^FAULT folder {5}it's here is not there\n {17}mend: .* start --data/m);
  assert.ok(!existsSync(join(cwd, "it's here")), "it is looked for, not made");
});

test("doctor finds nothing wrong beside a running server, and changes nothing of a database that rests", async (t) => {
  const server = await startServer(t);
  chmodSync(server.folder, 0o700);
  const { cwd, file } = await sound(t);
  const before = readFileSync(file);
  const [plain, json, resting] = await rostrumEach([
    { args: ["doctor", "--data", server.folder] },
    { args: ["doctor", "--data", server.folder, "--json"] },
    { args: ["doctor"], cwd },
  ]);
  assert.equal(plain?.status, 0, plain?.stdout);
  assert.ok((plain?.stdout ?? "").split("\n").every((line) => line === "" || line.startsWith("ok ")));
  const { data } = document(json as Finished);
  assert.equal(data.healthy, true);
  assert.deepEqual(
    data.findings.map(({ check }: Finding) => check),
    ["settings", "catalog", "folder", "disk", "schema", "data key", "clock"],
  );
  assert.equal(resting?.status, 0, resting?.stdout);
  assert.deepEqual(readFileSync(file), before);
});

test("what doctor says mends a damaged database does mend it", async (t) => {
  const { cwd, file } = await sound(t);
  mkdirSync(join(cwd, "kept"));
  const [backup] = await rostrumEach([{ args: ["backup", "kept/copy.db"], cwd }]);
  assert.equal(backup?.status, 0, backup?.stderr);
  writeFileSync(file, "garbage ".repeat(1_000));
  const [found] = await rostrumEach([{ args: ["doctor", "--json"], cwd }]);
  const [mkdir, mv, restore] = (faults(found)[0]?.mend ?? "").split(" && ");
  assert.deepEqual([mkdir, mv], ["mkdir ./data/damaged", "mv data/rostrum.db* ./data/damaged"]);
  assert.match(restore ?? "", / restore BACKUP$/);
  execFileSync("sh", ["-c", `${mkdir} && ${mv}`], { cwd });
  const [restored, well] = await rostrumEach([
    { args: ["restore", "kept/copy.db"], cwd },
    { args: ["doctor", "--json"], cwd },
  ]);
  assert.equal(restored?.status, 0, restored?.stderr);
  assert.equal(well?.status, 0, well?.stdout);
});
