import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import { startApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { DiskFault, diskFault } from "../../src/lib/disk-fault.ts";
import { createLog } from "../../src/lib/log.ts";
import { watchWrites } from "../../src/store/sql/write-health.ts";
import { isUnavailable, openWriter, startServing } from "../../src/store/sqlite/connection.ts";
import { copyDatabase, copyLive, MaintenanceRefused } from "../../src/store/sqlite/copy.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { backUp } from "../../src/store/sqlite/maintenance.ts";
import { requireOwnDatabase, WrongDatabase } from "../../src/store/sqlite/place.ts";
import { trialWrite, writeFault } from "../../src/store/sqlite/write-faults.ts";
import { Writer } from "../../src/store/sqlite/writer.ts";
import { keptLog } from "../support/log.ts";
import { startServer, TestServer, temporaryFolder } from "../support/server.ts";
import { fill, smallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";
import { holdWriteLock } from "./lock.ts";

/** More than any test disk has. */
const TERABYTES = 15 * 1024 ** 4;

const readyz = async ({ listening: url }: { listening: string }) => {
  const response = await fetch(`${url}/readyz`);
  return [response.status, await response.text()] as const;
};

/** A database with one workspace, and the path of its file. */
async function existing(t: TestContext): Promise<string> {
  const file = databaseFile(temporaryFolder(t));
  const store = await openSqliteStore(file);
  await store.write("w", ({ workspace }) => workspace.create("kept", Date.now()));
  await store.close();
  return file;
}

/** A writer, monitored as in a store, whose database can be filled. */
async function watched(t: TestContext) {
  const file = await existing(t);
  const db = openWriter(file);
  startServing(db);
  const told: (string | undefined)[] = [];
  const queue = new Writer(db, { onCommitFailed: (error) => writes.failed(error) });
  const writes = watchWrites(
    (error) => writeFault(error, file),
    trialWrite(db, queue),
    (fault) => told.push(fault?.message),
  );
  t.after(() => {
    writes.stop();
    db.close();
  });
  db.exec("CREATE TABLE big (text TEXT) STRICT");
  const write = (bytes: number) =>
    queue.run(async () => db.prepare("INSERT INTO big VALUES (?)").run("x".repeat(bytes)).changes);
  const pages = db.pragma("page_count", { simple: true }) as number;
  return { file, db, queue, writes, told, write, pages };
}

test("while a full disk fails writes, the store says so, and once there is space it recovers by itself", async (t) => {
  const { file, db, writes, told, write, pages } = await watched(t);
  await writes.check();
  db.pragma(`max_page_count = ${pages}`);
  await assert.rejects(write(1_000_000), isUnavailable);
  const expected = `${file}: the disk is full. Free some space on it, or move the data folder to a larger disk.`;
  const said = (error: unknown) => {
    assert.ok(error instanceof DiskFault);
    assert.deepEqual([error.reason, error.message], ["writes fail: the disk is full", expected]);
    return true;
  };
  await assert.rejects(writes.check(), said);
  await write(1);
  await assert.rejects(writes.check(), said, "a write that happens to fit proves nothing");
  db.pragma("max_page_count = 1000000");
  // No call is made: the store retries by itself.
  await until(() => told.length === 2);
  assert.deepEqual(told, [expected, undefined]);
  await writes.check();
  assert.equal(db.prepare("SELECT 1 FROM server_settings WHERE name = 'write_check'").get(), undefined);
});

test("a batch that writes nothing does not count as recovery", async (t) => {
  const { db, queue, writes, write, pages } = await watched(t);
  db.pragma(`max_page_count = ${pages}`);
  await assert.rejects(write(1_000_000), isUnavailable);
  await queue.run(async () => db.prepare("SELECT 1").get());
  await assert.rejects(writes.check(), DiskFault);
});

test("readyz turns 503 while writes fail, says why without a path, and is 200 again without a restart", async (t) => {
  const { log, text } = keptLog();
  const server = await startServer(t, { log, env: { ROSTRUM_HEALTH_PORT: "0" } });
  const healthPort = { listening: String(server.running.healthUrl) };
  const file = databaseFile(server.folder);
  for (const port of [server, healthPort]) assert.deepEqual(await readyz(port), [200, "ready\n"]);
  const release = await holdWriteLock(t, file);
  assert.equal((await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).status, 503);
  const refusal = [503, "writes fail: another process holds the write lock\n"];
  assert.deepEqual(await readyz(server), refusal);
  await until(async () => isDeepStrictEqual(await readyz(healthPort), refusal));
  assert.equal((await server.rest("GET", "/contacts")).status, 200, "reads go on");
  assert.ok(text().includes(`${file}: another process holds the write lock. Find it`));
  await release();
  for (const port of [server, healthPort]) await until(async () => (await readyz(port))[0] === 200);
  assert.match(text(), /"msg":"writes work again"/);
});

test("a full disk does not stop a start that can read, and leaves no partial file", async (t) => {
  const first = await startServer(t);
  const { folder } = first;
  await first.running.close();
  // Every write there fails with ENOSPC, as on a full disk.
  for (const name of ["server.url", "catalog.json"]) symlinkSync("/dev/full", join(folder, `${name}.${process.pid}`));
  const { log, text } = keptLog();
  const server = await startServer(t, { folder, log });
  assert.equal((await server.rest("GET", "/contacts")).status, 200);
  assert.match(text(), /server\.url: the disk is full\. Free some space/);
  assert.ok(!existsSync(join(folder, "server.url")));
  assert.ok(!readdirSync(folder).includes(`server.url.${process.pid}`));
});

test("a disk without one free byte: reads and starts work, and writes work once there is space", async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip("this user can't mount a small disk");
  const folder = join(disk, "data");
  mkdirSync(folder);
  const first = await startServer(t, { folder });
  const write = (server: TestServer) => server.rest("POST", "/contacts", { body: { first_name: "Ada" } });
  const { key } = first;
  assert.equal((await write(first)).status, 201);
  const empty = fill(disk);
  await until(async () => (await write(first)).status === 503);
  assert.deepEqual(await readyz(first), [503, "writes fail: the disk is full\n"]);
  await first.running.close();

  const again = fill(disk);
  const config = readConfig({ port: "0", data: folder }, {});
  const running = await startApp(config, createLog("silent"));
  t.after(() => running.close());
  const server = new TestServer(running, folder, first.workspaceId, key);
  assert.equal((await server.rest("GET", "/contacts")).status, 200);
  await until(async () => (await write(server)).status === 503);
  assert.equal((await readyz(server))[0], 503);
  empty();
  again();
  await until(async () => (await readyz(server))[0] === 200);
  assert.equal((await write(server)).status, 201);
});

test("each disk error is named with its path and the next step, and other errors are not disk errors", () => {
  const cases: [string, RegExp][] = [
    ["ENOSPC", /^\/d\/f: the disk is full\. Free some space/],
    ["EDQUOT", /^\/d\/f: the disk quota .* raise the quota/],
    ["EROFS", /^\/d\/f: .* mounted read-only\. Mount it writable/],
    ["EPERM", /^\/d\/f: .* no permission .* as a user who can write here, or choose another folder\.$/],
    ["EACCES", /^\/d\/f: .* no permission .* as a user who can write here, or choose another folder\.$/],
    ["ENOTDIR", /^\/d\/f: a part of this path is a file, not a folder\. Choose another path\.$/],
    ["EMFILE", /^\/d\/f: the process has no file handles .*ulimit -n/],
    ["EIO", /^\/d\/f: .* I\/O error\. .*dmesg/],
  ];
  for (const [code, message] of cases) {
    const fault = diskFault(Object.assign(new Error("x"), { code, path: "/d/f" }), "/d");
    assert.match(fault?.message ?? "", message);
    assert.ok(!fault?.reason.includes("/d"), "the public reason has no path");
  }
  for (const code of ["ENOENT", "SQLITE_CONSTRAINT_UNIQUE", undefined]) {
    assert.equal(diskFault(Object.assign(new Error("x"), { code }), "/d/f"), undefined);
  }
});

test("only the folder of a database is offered to be made this user's", (t) => {
  const folder = temporaryFolder(t);
  const denied = Object.assign(new Error("x"), { code: "EACCES", path: join(folder, "rostrum.db") });
  assert.doesNotMatch(diskFault(denied, folder)?.message ?? "", /chown/);
  writeFileSync(join(folder, "rostrum.db"), "");
  assert.ok(diskFault(denied, folder)?.message.endsWith(`make it this user's: chown -R "$(id -un)" ${folder}.`));
});

test("if SQLite can't explain a failed write, a small test write finds the cause, and leaves nothing", (t) => {
  const folder = temporaryFolder(t);
  const vague = Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_WRITE" });
  assert.equal(diskFault(vague, join(folder, "f"))?.reason, "the disk reports I/O errors");
  assert.deepEqual(readdirSync(folder), []);
  symlinkSync("/dev/full", join(folder, `.write-check-${process.pid}`));
  assert.equal(diskFault(vague, join(folder, "f"))?.reason, "the disk is full");
  assert.deepEqual(readdirSync(folder), []);
});

test("a copy is refused before it begins if its disk lacks space, and says how much it needs", async (t) => {
  const file = await existing(t);
  truncateSync(file, TERABYTES);
  const place = temporaryFolder(t);
  await assert.rejects(copyDatabase(file, join(place, "copy.db")), (error) => {
    assert.ok(error instanceof MaintenanceRefused);
    assert.match(
      error.message,
      /has \d+ MiB free, but a copy of .*rostrum\.db needs 157\d{5} MiB, plus 64 MiB to spare\. Free some space/,
    );
    return true;
  });
  assert.deepEqual(readdirSync(place), []);
});

test("later writes shrink a -wal that grew during a long read", async (t) => {
  const file = await existing(t);
  const db = openWriter(file);
  t.after(() => db.close());
  db.pragma("synchronous = OFF");
  db.exec("CREATE TABLE big (n INTEGER PRIMARY KEY, text TEXT) STRICT");
  const reader = new Database(file, { readonly: true });
  t.after(() => reader.close());
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM big").get();
  const write = db.prepare("INSERT INTO big (text) VALUES (hex(zeroblob(4000000)))");
  const mebibytes = () => statSync(`${file}-wal`).size / 1024 ** 2;
  for (let n = 0; n < 10; n += 1) write.run();
  assert.ok(mebibytes() > 70, `${mebibytes()} MiB while it is read`);
  reader.exec("COMMIT");
  for (let n = 0; n < 3; n += 1) db.exec(`UPDATE big SET text = '${n}' WHERE n = 1`);
  assert.ok(mebibytes() <= 64, `${mebibytes()} MiB after it`);
});

test("after a backup a -wal that grew during a long read is empty", async (t) => {
  const file = await existing(t);
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const wal = () => statSync(`${file}-wal`).size;
  await store.recordMailFrom("a@b.example", 1);
  assert.ok(wal() > 0);
  await backUp(file, join(temporaryFolder(t), "copy.db"));
  assert.equal(wal(), 0);
  await store.recordMailFrom("b@b.example", 2);
});

test("a live copy contains writes made during the copy, and the -wal can be emptied during it", async (t) => {
  const file = join(temporaryFolder(t), "numbers.db");
  const db = openWriter(file);
  t.after(() => db.close());
  db.pragma("synchronous = OFF");
  db.pragma("wal_autocheckpoint = 100");
  db.exec("CREATE TABLE numbers (n INTEGER PRIMARY KEY, text TEXT) STRICT");
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    INSERT INTO numbers (text) SELECT hex(zeroblob(2000)) FROM n`);
  db.pragma("wal_checkpoint(TRUNCATE)");
  const next = db.prepare("INSERT INTO numbers (text) VALUES (hex(zeroblob(8000)))");
  const edit = db.prepare("UPDATE numbers SET text = 'edited' WHERE n = ?");
  let written = 0;
  let peak = 0;
  let writing = setImmediate(function write() {
    written += 1;
    next.run();
    edit.run(1 + ((written * 7919) % 10_000));
    peak = Math.max(peak, statSync(`${file}-wal`).size);
    writing = setImmediate(write);
  });
  t.after(() => clearImmediate(writing));
  const target = join(temporaryFolder(t), "copy.db");
  await copyDatabase(file, target, { copyPages: (_, partial) => copyLive(db, partial) });
  clearImmediate(writing);

  assert.ok(written > 20, `${written} writes between the steps`);
  assert.ok(peak < 2 * 1024 ** 2, `the -wal grew to ${peak} bytes`);
  const copy = new Database(target, { readonly: true });
  t.after(() => copy.close());
  const edited = (from: Database.Database) =>
    from.prepare("SELECT count(*) FROM numbers WHERE text = 'edited'").pluck().get();
  const last = copy.prepare<[], number>("SELECT max(n) FROM numbers").pluck().get() as number;
  assert.ok(last > 10_000, "what came while it was made is in it");
  assert.ok((edited(copy) as number) > 0 && (edited(copy) as number) <= (edited(db) as number));
});

test("a live copy fails if another process keeps writing, and a stopped one ends", async (t) => {
  const file = join(temporaryFolder(t), "numbers.db");
  const db = openWriter(file);
  t.after(() => db.close());
  db.exec(`CREATE TABLE numbers (n INTEGER PRIMARY KEY, text TEXT) STRICT;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO numbers (text) SELECT hex(zeroblob(2000)) FROM n`);
  // To SQLite, any other connection is another process.
  const other = new Database(file);
  t.after(() => other.close());
  other.pragma("synchronous = OFF");
  let writing = setImmediate(function write() {
    other.exec("INSERT INTO numbers (text) VALUES ('x')");
    writing = setImmediate(write);
  });
  t.after(() => clearImmediate(writing));
  const partial = (name: string) => {
    const path = join(temporaryFolder(t), name);
    writeFileSync(path, "");
    return path;
  };
  await assert.rejects(copyLive(db, partial("a.db")), /Other processes are writing/);
  clearImmediate(writing);
  const stopped = AbortSignal.abort(new Error("stopping"));
  await assert.rejects(copyLive(db, partial("b.db"), stopped), /stopping/);
  await copyLive(db, partial("c.db"));
});

test("a missing or empty database beside files of an earlier one is refused, unless declared new", (t) => {
  for (const left of ["data.key", "backups"]) {
    for (const how of ["missing", "empty", "without a table"]) {
      const folder = temporaryFolder(t);
      const file = databaseFile(folder);
      if (how === "empty") writeFileSync(file, "");
      if (how === "without a table") openWriter(file).close();
      requireOwnDatabase(file);
      mkdirSync(join(folder, left));
      assert.throws(
        () => requireOwnDatabase(file),
        (error) => {
          assert.ok(error instanceof WrongDatabase);
          assert.ok(
            error.message.startsWith(`${file} is ${how === "missing" ? "missing" : "empty"}, but ${left} beside`),
          );
          assert.match(
            error.message,
            /restore BACKUP --data \S+\. To start with an empty database, .* --new-database --data \S+\.$/,
          );
          return true;
        },
      );
      requireOwnDatabase(file, true);
    }
  }
});

test("another program's database is refused even if declared new, and not changed", (t) => {
  const folder = temporaryFolder(t);
  const file = databaseFile(folder);
  const db = new Database(file);
  db.exec("CREATE TABLE songs (title TEXT)");
  db.close();
  const before = readFileSync(file);
  for (const isNew of [false, true]) {
    assert.throws(() => requireOwnDatabase(file, isNew), /another program: it has the table songs\. Move it out/);
  }
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(readdirSync(folder), ["rostrum.db"]);
});
