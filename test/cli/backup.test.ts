import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { copyByServer } from "../../src/cli/ask-server.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { inspectDatabase } from "../../src/store/sqlite/maintenance.ts";
import { prereleaseDatabase } from "../support/prerelease.ts";
import { startServer, temporaryFolder } from "../support/server.ts";
import { document, type Finished, rostrum, rostrumEach } from "./process.ts";

const error = (finished: Finished | undefined) => document(finished as Finished).error as string;

test("a backup made during writes is valid, holds everything acknowledged before it, and starts elsewhere", async (t) => {
  const server = await startServer(t);
  const create = (n: number) => server.rest("POST", "/contacts", { body: { first_name: `Person ${n}` } });
  for (let n = 0; n < 50; n += 1) assert.equal((await create(n)).status, 201);
  const place = temporaryFolder(t);
  const file = join(place, "new/copy.db");

  let done = false;
  let written = 50;
  const stream = (async () => {
    while (!done) {
      assert.equal((await create(written)).status, 201);
      written += 1;
    }
  })();
  const made = await rostrum(["backup", file, "--data", server.folder, "--json"]);
  done = true;
  await stream;
  assert.equal(made.status, 0, made.stdout);
  assert.ok(written > 51, "the server went on writing");
  assert.deepEqual(document(made).data, { file, bytes: statSync(file).size });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(place, "new")).mode & 0o777, 0o700);
  const inspection = inspectDatabase(file, "full");
  assert.deepEqual([inspection.faults, inspection.pending, inspection.unknown], [[], [], 0]);
  assert.deepEqual(readdirSync(join(place, "new")), ["copy.db"], "one file, with nothing beside it");

  const data = join(place, "data");
  const restored = await rostrum(["restore", file, "--data", data, "--json"]);
  assert.equal(restored.status, 0, restored.stdout);
  assert.equal(statSync(data).mode & 0o777, 0o700);
  assert.equal(statSync(databaseFile(data)).mode & 0o777, 0o600);
  const twin = await startServer(t, { folder: data });
  const listed = await twin.rest("GET", "/contacts", { key: server.key });
  assert.equal(listed.status, 200, "its keys work there");
  assert.ok(listed.body.meta.total >= 50 && listed.body.meta.total <= written, `${listed.body.meta.total}`);
});

const LEFT = "rostrum-2026-01-01T00-00-00.000Z.db.7.partial";
const WRITING = "rostrum-2026-01-02T00-00-00.000Z.db.8.partial";

test("with --keep, a folder keeps the newest backups and every other file", async (t) => {
  const server = await startServer(t);
  const place = join(temporaryFolder(t), "backups");
  const run = (keep: string) => rostrum(["backup", place, "--keep", keep, "--data", server.folder, "--json"]);
  const names: string[] = [];
  for (let n = 0; n < 4; n++) {
    if (n === 1) {
      const others = ["rostrum.db", "rostrum-old.db", "notes.txt", LEFT, WRITING];
      for (const name of others) writeFileSync(join(place, name), "");
      // Left behind by a process that was killed two days ago. The other one is being written.
      const then = new Date(Date.now() - 2 * 86_400_000);
      utimesSync(join(place, LEFT), then, then);
    }
    const made = document(await run("2")).data;
    names.push(basename(made.file));
    assert.deepEqual(made.removed, names.slice(-3, -2));
  }
  const kept = readdirSync(place).toSorted();
  assert.deepEqual(kept, [...names.slice(-2), "notes.txt", "rostrum-old.db", "rostrum.db", WRITING].toSorted());
  assert.deepEqual(inspectDatabase(join(place, names[3] as string), "full").faults, []);
  for (const keep of ["0", "-1", "many", "1.5"]) {
    const refused = await run(keep);
    assert.deepEqual([refused.status, error(refused)], [2, `--keep must be a number from 1 to 9999, not "${keep}".`]);
  }
  assert.deepEqual(readdirSync(place).toSorted(), kept);
});

test("backup refuses to overwrite, and leaves existing files unchanged", async (t) => {
  const server = await startServer(t);
  const place = temporaryFolder(t);
  const file = join(place, "mine.txt");
  writeFileSync(file, "precious");
  const [json, plain, folder] = await rostrumEach([
    { args: ["backup", file, "--data", server.folder, "--json"] },
    { args: ["backup", file, "--data", server.folder] },
    { args: ["backup", place, "--data", server.folder] },
  ]);
  assert.equal(json?.status, 1);
  assert.match(error(json), /mine\.txt already exists\. Choose another file name\./);
  assert.deepEqual([plain?.status, plain?.stdout, plain?.stderr], [1, "", `${error(json)}\n`]);
  assert.equal(folder?.status, 1);
  assert.equal(readFileSync(file, "utf8"), "precious");
  assert.deepEqual(readdirSync(place), ["mine.txt"]);
});

test("a damaged database is not backed up", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(databaseFile(folder), "garbage ".repeat(1_000));
  const [refused] = await rostrumEach([{ args: ["backup", join(folder, "copy.db"), "--data", folder] }]);
  assert.equal(refused?.status, 1);
  assert.match(refused?.stderr ?? "", /^.*rostrum\.db is damaged or is not a database: file is not a database\.\n$/);
  assert.deepEqual(readdirSync(folder), ["rostrum.db"]);
});

test("no command backs up, restores or opens a database of a pre-release version", async (t) => {
  const folder = temporaryFolder(t);
  const file = prereleaseDatabase(databaseFile(folder));
  const elsewhere = join(folder, "elsewhere");
  const results = await rostrumEach([
    { args: ["backup", join(folder, "copy.db"), "--data", folder] },
    { args: ["restore", file, "--data", elsewhere] },
    { args: ["call", "list_contacts", "--data", folder, "--workspace", "w"] },
  ]);
  const said =
    `${file} was created by a pre-release version of Rostrum. Its data can't be upgraded. ` +
    "Start with a new data folder. Set it with --data or ROSTRUM_DATA.\n";
  for (const { status, stdout, stderr } of results) assert.deepEqual([status, stdout, stderr], [1, "", said]);
  assert.deepEqual(
    readdirSync(folder).filter((name) => !name.startsWith("elsewhere")),
    ["rostrum.db"],
  );
  assert.ok(!existsSync(elsewhere) || readdirSync(elsewhere).length === 0, "nothing was left there");
});

test("restore refuses to overwrite a live database, and refuses any file that is not a valid Rostrum backup", async (t) => {
  const server = await startServer(t);
  const place = temporaryFolder(t);
  const good = join(place, "good.db");
  const sources = Object.fromEntries(
    ["damaged", "garbage", "foreign", "newer"].map((name) => [name, join(place, `${name}.db`)]),
  ) as Record<"damaged" | "garbage" | "foreign" | "newer", string>;
  const [made] = await rostrumEach([{ args: ["backup", good, "--data", server.folder] }]);
  assert.equal(made?.status, 0, made?.stderr);

  const bytes = readFileSync(good);
  writeFileSync(sources.newer, bytes);
  bytes.fill(0xff, 4_096 * 3, 4_096 * 6);
  writeFileSync(sources.damaged, bytes);
  writeFileSync(sources.garbage, "garbage ".repeat(1_000));
  const newer = new Database(sources.newer);
  newer.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', 9999999999999)");
  newer.close();
  const foreign = new Database(sources.foreign);
  foreign.exec("CREATE TABLE songs (title TEXT)");
  foreign.close();
  const stale = temporaryFolder(t);
  writeFileSync(`${databaseFile(stale)}-wal`, "left behind");

  const before = readdirSync(server.folder);
  const elsewhere = join(place, "data");
  const into = (file: string, data = elsewhere) => ({ args: ["restore", file, "--data", data, "--json"] });
  const refusals: [{ args: string[] }, RegExp][] = [
    [into(good, server.folder), /rostrum\.db, \S+-wal and \S+-shm would be overwritten\. Stop the server/],
    [into(good, stale), /rostrum\.db-wal would be overwritten/],
    [into(sources.damaged), /damaged\.db is damaged/],
    [into(sources.garbage), /garbage\.db is damaged or is not a database/],
    [into(sources.foreign), /foreign\.db is not a Rostrum backup/],
    [into(sources.newer), /newer\.db was written by a newer version of Rostrum\. Restore it with that version/],
    [into(join(place, "none.db")), /none\.db does not exist/],
  ];
  const results = await rostrumEach(refusals.map(([one]) => one));
  for (const [i, [, message]] of refusals.entries()) {
    assert.equal(results[i]?.status, 1, results[i]?.stdout);
    assert.equal(results[i]?.stderr, "");
    assert.match(error(results[i]), message);
  }
  assert.deepEqual(readdirSync(server.folder), before);
  assert.equal((await server.rest("GET", "/contacts")).status, 200);
  assert.ok(!existsSync(elsewhere) || readdirSync(elsewhere).length === 0, "nothing was left there");
});

test("a running server makes the copy itself; without one, or if it can't, the command does", async (t) => {
  const server = await startServer(t);
  const place = temporaryFolder(t);
  const empty = join(place, "empty");
  writeFileSync(empty, "");
  assert.equal(await copyByServer(server.folder, empty), true);
  assert.deepEqual(inspectDatabase(empty, "full").faults, []);
  assert.equal(await copyByServer(server.folder, empty), false, "it overwrites nothing");
  const second = await startServer(t, { folder: server.folder });
  await second.running.close();
  const again = join(place, "again");
  writeFileSync(again, "");
  assert.equal(await copyByServer(server.folder, again), true, "the first one still listens");
  await server.running.close();
  assert.equal(await copyByServer(server.folder, again), false);
  assert.ok(!existsSync(join(server.folder, "server.sock")));
  const [made] = await rostrumEach([{ args: ["backup", join(place, "copy.db"), "--data", server.folder] }]);
  assert.equal(made?.status, 0, made?.stderr);
});

test("a socket left behind by a killed server does not stop the next one from listening", async (t) => {
  const first = await startServer(t);
  await first.running.close();
  writeFileSync(join(first.folder, "server.sock"), "");
  const server = await startServer(t, { folder: first.folder });
  const partial = join(temporaryFolder(t), "partial");
  writeFileSync(partial, "");
  assert.equal(await copyByServer(server.folder, partial), true);
  assert.equal(statSync(join(server.folder, "server.sock")).mode & 0o777, 0o600);
});

test("restore warns of what is missing even if outreach was paused already", async (t) => {
  const server = await startServer(t);
  await server.operator("pause_outreach", { reason: "Summer holiday" });
  const place = temporaryFolder(t);
  const copy = join(place, "copy.db");
  const [made, restored] = await rostrumEach([
    { args: ["backup", copy, "--data", server.folder] },
    { args: ["restore", copy, "--data", join(place, "data")] },
  ]);
  assert.equal(made?.status, 0, made?.stderr);
  assert.match(restored?.stdout ?? "", /with outreach paused\. .* opt-outs since the backup are missing\./);
});

test("doctor, call and start agree on a restored database without its data key, if nothing is encrypted", async (t) => {
  const server = await startServer(t);
  const place = temporaryFolder(t);
  const copy = join(place, "copy.db");
  const data = join(place, "data");
  const [made, restored, checked, called] = await rostrumEach([
    { args: ["backup", copy, "--data", server.folder] },
    { args: ["restore", copy, "--data", data] },
    { args: ["doctor", "--data", data, "--json"] },
    { args: ["call", "get_workspace", "--data", data] },
  ]);
  assert.deepEqual([made?.status, restored?.status], [0, 0]);
  const { findings } = document(checked as Finished).data;
  const { ok, detail } = findings.find(({ check }: { check: string }) => check === "data key");
  const expected = `no encrypted secrets are stored yet; the next start creates ${join(data, "data.key")}`;
  assert.deepEqual([ok, detail], [true, expected]);
  assert.equal(called?.status, 0, called?.stderr);
  await startServer(t, { folder: data });
});

test("a command without the server's data key says what to set, and that nothing is encrypted yet", async (t) => {
  const server = await startServer(t);
  rmSync(join(server.folder, "data.key"));
  const [called] = await rostrumEach([{ args: ["call", "get_workspace", "--data", server.folder] }]);
  assert.equal(called?.status, 1);
  assert.match(
    called?.stderr ?? "",
    /^The server last used the data key .*\. If the server.s key is lost, start the server once: /,
  );
});
