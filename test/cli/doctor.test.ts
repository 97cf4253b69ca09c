import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { disk, judgeDisk } from "../../src/cli/doctor/machine.ts";
import { portFix } from "../../src/cli/doctor/server.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { deadPort } from "../http-client/receiver.ts";
import { prereleaseDatabase } from "../support/prerelease.ts";
import { programArgs } from "../support/program.ts";
import { startServer, temporaryFolder } from "../support/server.ts";
import { document, type Finished, rostrum, rostrumEach, serve, spawnRostrum } from "./process.ts";

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  fix: string | null;
}

/** A folder with a valid database in ./data. */
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

/** Each single fault: how it is caused, which check finds it, its message, and its fix. */
const FAULTS: [
  string,
  (place: { cwd: string; file: string }) => Record<string, string> | undefined,
  string,
  RegExp,
  RegExp,
  /** Options needed to find it. */
  ...string[],
][] = [
  [
    "others may look into the folder",
    ({ cwd }) => void chmodSync(join(cwd, "data"), 0o755),
    "folder",
    /other users of this machine can open/,
    /^chmod 700 \.\/data$/,
  ],
  [
    "others may read the database",
    ({ file }) => void chmodSync(file, 0o640),
    "folder",
    /other users of this machine can read/,
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
    "--deep",
  ],
  [
    "the database was lost beside its key",
    ({ cwd, file }) => {
      writeFileSync(file, "");
      writeFileSync(join(cwd, "data/data.key"), "x", { mode: 0o600 });
      return undefined;
    },
    "schema",
    /^data\/rostrum\.db is empty, but data\.key beside it belongs to an earlier database/,
    / restore BACKUP$/,
  ],
  [
    "the clock is far ahead of the last run",
    ({ file }) =>
      void edit(file, `INSERT INTO server_settings VALUES ('retention_at', '${Date.now() - 800 * 86_400_000}', 0)`),
    "clock",
    /^the clock jumped ahead 800 days, so old records are kept longer$/,
    /^if the clock is wrong, run timedatectl set-ntp true\. If it is correct, run .* clock accept$/,
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
    /written by a newer version/,
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
    /1 pending migration/,
    / start$/,
  ],
  [
    "a variable is misspelt",
    () => ({ ROSTRUM_PROT: "1", ROSTRUM_LOGLEVEL: "info" }),
    "settings",
    /unknown environment variables: ROSTRUM_PROT \(did you mean ROSTRUM_PORT\?\), ROSTRUM_LOGLEVEL \(did you mean ROSTRUM_LOG_LEVEL\?\)/,
    /^unset ROSTRUM_PROT ROSTRUM_LOGLEVEL; /,
  ],
  [
    "a setting cannot be used",
    () => ({ ROSTRUM_PORT: "many" }),
    "settings",
    /^ROSTRUM_PORT must be a port from 0 to 65535, not "many"\.$/,
    /start --help lists the settings$/,
  ],
  [
    "the team's catalog of the checklist has a mistake",
    ({ cwd }) => {
      writeFileSync(join(cwd, "ours.yaml"), 'version: "1"\nitems:\n  - id: OT-1\n');
      return { ROSTRUM_CHECKLIST_CATALOG: "ours.yaml" };
    },
    "catalog",
    /^The checklist catalog can't be used\.\nours\.yaml:3: OT-1, id: must be an id such as OT-01 or ON-01\.\n/,
    /^correct the file, or unset ROSTRUM_CHECKLIST_CATALOG/,
  ],
  [
    "a contact lies in the future",
    ({ file }) =>
      void edit(file, `INSERT INTO contacts ${CONTACT} VALUES ('c', 'w', 'x', 'import', ${FUTURE}, ${FUTURE})`),
    "clock",
    /is earlier than the newest stored data/,
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
    /is earlier than/,
    /^timedatectl/,
  ],
];

test("doctor finds each single fault, names its fix, and exits 1", async (t) => {
  const places = await Promise.all(FAULTS.map(() => sound(t)));
  const cases = FAULTS.map(([, break_, , , , ...deep], i) => {
    const place = places[i] as { cwd: string; file: string };
    const env = break_(place) ?? {};
    return { args: ["doctor", "--json", ...deep], cwd: place.cwd, env };
  });
  const results = await rostrumEach(cases);
  for (const [i, [name, , check, detail, fix]] of FAULTS.entries()) {
    const result = results[i];
    assert.equal(result?.status, 1, name);
    assert.equal(result?.stderr, "", name);
    assert.equal(document(result as Finished).data.healthy, false);
    const [found, ...more] = faults(result);
    assert.deepEqual(more, [], name);
    assert.equal(found?.check, check, name);
    assert.match(found?.detail ?? "", detail, name);
    assert.match(found?.fix ?? "", fix, name);
  }
});

test("doctor finds a missing folder, and quotes it in the fix for the shell", async (t) => {
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
  for (const { fix } of faults(json)) assert.match(fix ?? "", / start --data 'it'\\''s here'$/);
  assert.equal(plain?.status, 1);
  assert.match(plain?.stdout ?? "", /^FAIL {2}folder {5}it's here does not exist\n {17}fix: .* start --data/m);
  assert.ok(!existsSync(join(cwd, "it's here")), "it is looked for, not made");
});

test("doctor finds nothing wrong beside a running server, and changes nothing in an idle database", async (t) => {
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
    ["settings", "catalog", "folder", "disk", "files", "server", "schema", "data key", "clock", "email"],
  );
  assert.equal(resting?.status, 0, resting?.stdout);
  assert.deepEqual(readFileSync(file), before);
});

test("doctor finds a proxy that is missing, unreachable or believed too much", async (t) => {
  const cwd = temporaryFolder(t);
  const { ready } = await serve(t, ["--data", join(cwd, "data")], { cwd });
  const trusting = await serve(t, ["--data", join(cwd, "trusting")], { cwd, env: { ROSTRUM_TRUST_PROXY: "1" } });
  const strange = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
  t.after(() => strange.close());
  await once(strange, "listening");
  const found = async (data: string, url: string) => {
    const env = { ROSTRUM_PUBLIC_URL: url };
    const { data: report } = document(await rostrum(["doctor", "--json", "--data", data], { cwd, env }));
    const { ok, detail } = report.findings.find(({ check }: Finding) => check === "proxy");
    return `${ok} ${detail}`;
  };
  assert.equal(await found("data", ready.url), `true ${ready.url} responds, and sees this machine as 127.0.0.1`);
  assert.equal(
    await found("trusting", trusting.ready.url),
    "false the server trusts an X-Forwarded-For header that the client sent",
  );
  const elsewhere = `http://127.0.0.1:${(strange.address() as AddressInfo).port}`;
  assert.equal(await found("data", elsewhere), `false ${elsewhere}/healthz does not reach this server (status 200)`);
  const closed = `http://127.0.0.1:${await deadPort()}`;
  assert.match(
    await found("data", closed),
    new RegExp(`^false ${closed} can't be reached from this machine: .*ECONNREFUSED`),
  );
});

const checked = (finished: Finished, check: string) =>
  document(finished).data.findings.find((finding: Finding) => finding.check === check) as Finding;

test("doctor asks a running server whether it is ready", async (t) => {
  const server = await startServer(t);
  chmodSync(server.folder, 0o700);
  const run = () => rostrum(["doctor", "--json", "--data", server.folder]);
  const { url } = server.running;
  assert.equal(checked(await run(), "server").detail, `running at ${url}, ready`);

  const database = join(server.folder, "rostrum.db");
  const backup = join(temporaryFolder(t), "copy.db");
  const [made] = await rostrumEach([{ args: ["backup", backup, "--data", server.folder] }]);
  assert.equal(made?.status, 0, made?.stderr);
  for (const suffix of ["", "-wal", "-shm"]) renameSync(database + suffix, `${database}${suffix}.aside`);
  const [refused] = await rostrumEach([{ args: ["restore", backup, "--data", server.folder] }]);
  assert.deepEqual(
    [refused?.status, refused?.stderr],
    [1, `A server is running on ${server.folder}. Stop it, then restore.\n`],
  );
  copyFileSync(backup, database);
  chmodSync(database, 0o600);
  const broken = await run();
  assert.equal(broken.status, 1);
  const { ok, detail, fix } = checked(broken, "server");
  assert.deepEqual(
    [ok, detail, fix],
    [
      false,
      `running at ${url}, but not ready: the database is not responding`,
      "look at the server's log, then restart the server",
    ],
  );
  await server.running.close();
  assert.equal(checked(await run(), "server").detail, "no server is running on this folder");
});

test("doctor finds a server that doesn't listen for commands by its lock and its URL", async (t) => {
  const server = await startServer(t);
  rmSync(join(server.folder, "server.sock"));
  const found = checked(await rostrum(["doctor", "--json", "--data", server.folder]), "server");
  assert.equal(found.detail, `running at ${server.running.url}, ready`);
});

test("doctor tries a write, and tells a full disk, a nearly full one and a small rest apart", (t) => {
  const folder = temporaryFolder(t);
  const MEBIBYTE = 1024 ** 2;
  const found = (free: number, failure?: string) => {
    const { ok, detail, fix } = judgeDisk(folder, free, failure);
    return [ok, detail, fix === null];
  };
  assert.deepEqual(found(0, "ENOSPC"), [false, "writes fail: the disk is full; 0 MiB free", false]);
  assert.deepEqual(found(39 * MEBIBYTE), [false, "only 39 MiB free", false]);
  assert.deepEqual(found(500 * MEBIBYTE), [true, "only 500 MiB free", false], "a warning");
  assert.deepEqual(found(3 * 1024 * MEBIBYTE, "EACCES"), [true, "3.0 GiB free", true], "the folder's check says it");
  // The file that is written to try leads to a full disk.
  symlinkSync("/dev/full", join(folder, `.write-check-${process.pid}`));
  assert.match(disk(folder).detail, /^writes fail: the disk is full; /);
});

test("doctor finds a port that another program uses, and only while no server runs", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  const port = (taken.address() as AddressInfo).port;
  const { cwd } = await sound(t);
  const env = { ROSTRUM_PORT: String(port) };
  assert.deepEqual(faults(await rostrum(["doctor", "--json"], { cwd, env })), [
    {
      check: "port",
      ok: false,
      detail: `127.0.0.1:${port} is used by another program`,
      fix: "stop the other program, or set ROSTRUM_PORT to another port",
    },
  ]);
  const free = String(await deadPort());
  const { detail } = checked(await rostrum(["doctor", "--json"], { cwd, env: { ROSTRUM_PORT: free } }), "port");
  assert.equal(detail, `127.0.0.1:${free} is free`);
});

test("doctor advises a higher port where a low one needs root", () => {
  assert.equal(portFix("EACCES", "ROSTRUM_PORT"), "set ROSTRUM_PORT to a port above 1023");
  assert.equal(portFix("EADDRNOTAVAIL", "ROSTRUM_PORT"), "correct ROSTRUM_HOST");
});

test("doctor finds a limit of open files that is too low for the connections", {
  skip: process.platform !== "linux",
}, async (t) => {
  const { cwd } = await sound(t);
  const args = [...programArgs("bin/rostrum.ts"), "doctor", "--json"].map((one) => `'${one}'`).join(" ");
  const { stdout } = spawnSync("sh", ["-c", `ulimit -n 1200 && exec '${process.execPath}' ${args}`], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ROSTRUM_PORT: "0" },
  });
  assert.deepEqual(
    faults({ status: 1, stdout, stderr: "" }).map(({ check, detail }) => [check, detail]),
    [["files", "this user can open 1200 files; 2000 connections need 2200"]],
  );
});

test("the fix that doctor prints for a damaged database works", async (t) => {
  const { cwd, file } = await sound(t);
  mkdirSync(join(cwd, "kept"));
  const [backup] = await rostrumEach([{ args: ["backup", "kept/copy.db"], cwd }]);
  assert.equal(backup?.status, 0, backup?.stderr);
  writeFileSync(file, "garbage ".repeat(1_000));
  const [found] = await rostrumEach([{ args: ["doctor", "--json"], cwd }]);
  const [mkdir, mv, restore] = (faults(found)[0]?.fix ?? "").split(" && ");
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

test("once the clock is accepted doctor passes, and still reports the last jump", async (t) => {
  const { cwd, file } = await sound(t);
  const jump = { from: Date.UTC(2024, 0, 1), to: Date.UTC(2026, 0, 1) };
  edit(
    file,
    `INSERT INTO server_settings VALUES ('retention_at', '${jump.from}', 0), ('clock_jump', '${JSON.stringify(jump)}', 0)`,
  );
  const [ahead, accepted, well] = await rostrumEach([
    { args: ["doctor", "--json"], cwd },
    { args: ["clock", "accept", "--json"], cwd },
    { args: ["doctor", "--json"], cwd },
  ]);
  assert.deepEqual(
    faults(ahead).map(({ check }) => check),
    ["clock"],
  );
  assert.equal(accepted?.status, 0, accepted?.stdout);
  assert.equal(well?.status, 0, well?.stdout);
  const clock = document(well as Finished).data.findings.find(({ check }: Finding) => check === "clock");
  assert.match(clock.detail, /; it last jumped from 2024-01-01T00:00:00\.000Z to 2026-01-01T00:00:00\.000Z$/);
});

test("doctor finds a clock that was never set", async (t) => {
  const { cwd } = await sound(t);
  const unset = await spawnRostrum(["doctor", "--json"], { cwd, preload: "data:text/javascript,Date.now=()=>0" });
  assert.deepEqual(
    faults(unset).map(({ check, detail }) => `${check}: ${detail}`),
    ["clock: 1970-01-01T00:00:00.000Z is years in the past"],
  );
});
