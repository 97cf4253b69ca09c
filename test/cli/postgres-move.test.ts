import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import pg from "pg";
import { type MoveProgress, moveToPostgres, moveToSqlite } from "../../src/cli/database-move.ts";
import { fillDemo } from "../../src/cli/demo/fill.ts";
import { openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { createLog } from "../../src/lib/log.ts";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { makeDatabase } from "../support/engine-under-test.ts";
import { startServer, temporaryFolder } from "../support/server.ts";
import { rostrum } from "./process.ts";

/** The demo in a SQLite file, and an empty database. */
async function ready(t: TestContext) {
  const folder = temporaryFolder(t);
  await fillDemo(readConfig({ data: folder }, {}), createLog("silent"));
  const url = await makeDatabase(folder);
  return { folder, file: databaseFile(folder), url };
}

const quiet = () => undefined;

test("the demo is moved to PostgreSQL and back: nothing is lost, and a server runs on the result", async (t) => {
  const { folder, file, url } = await ready(t);
  const seen: MoveProgress[] = [];
  const there = await moveToPostgres(file, url, (progress) => seen.push(progress));
  assert.equal(there.changedMeanwhile, false);
  assert.ok(there.tables.length > 40);
  assert.ok(seen.some(({ table, done, rows }) => table === "contacts" && rows > 0 && done === rows));
  await assert.rejects(moveToPostgres(file, url, quiet), /already has rows/);

  const server = await startServer(t, { folder, env: { ROSTRUM_DATABASE_URL: url } });
  const before = (await server.rest("GET", "/contacts?limit=100")).body;
  const { rows: expected } = there.tables.find(({ table }) => table === "contacts") ?? { rows: 0 };
  assert.equal(before.meta.total, expected);
  const made = await server.rest("POST", "/contacts", { body: { first_name: "New", email: "new@b.example" } });
  assert.equal(made.status, 201, "ids go on where they were");
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, expected + 1);
  await server.running.close();

  const elsewhere = temporaryFolder(t);
  copyFileSync(join(folder, "data.key"), join(elsewhere, "data.key"));
  const here = await moveToSqlite(url, databaseFile(elsewhere), quiet);
  assert.equal(here.changedMeanwhile, false);
  const store = await openSqliteStore(databaseFile(elsewhere));
  t.after(() => store.close());
  const [workspace] = await store.workspaces();
  assert.equal(await store.read(workspace?.id ?? "").contacts.count(), expected + 1);
  await assert.rejects(moveToSqlite(url, databaseFile(elsewhere), quiet), /exists/);
});

test("an interrupted move resumes where it stopped, and no server starts on a partial copy", async (t) => {
  const { file, url } = await ready(t);
  const interrupted = moveToPostgres(file, url, ({ table }) => {
    if (table === "enrollments") throw new Error("interrupted");
  });
  await assert.rejects(interrupted, /interrupted/);
  await assert.rejects(openPostgresStore({ url }), /not finished/);
  const elsewhere = databaseFile(temporaryFolder(t));
  await assert.rejects(moveToSqlite(url, elsewhere, quiet), /not finished/);
  const { skipped, tables } = await moveToPostgres(file, url, quiet);
  assert.ok(skipped > 5 && skipped < tables.length, `${skipped} of ${tables.length}`);
  const store = await openPostgresStore({ url });
  assert.ok((await store.workspaces()).length > 0);
  await store.close();
});

test("numbers of rows that are gone are not given again, and an unfinished move back stops a start", async (t) => {
  const { file, url } = await ready(t);
  const source = new Database(file);
  source.prepare("UPDATE sqlite_sequence SET seq = 900 WHERE name = 'contacts'").run();
  source.close();
  await moveToPostgres(file, url, quiet);
  const client = new pg.Client(url);
  await client.connect();
  const next = "SELECT nextval(pg_get_serial_sequence('contacts', 'seq'))::int AS next";
  assert.deepEqual((await client.query(next)).rows, [{ next: 901 }]);
  await client.end();

  const folder = temporaryFolder(t);
  const back = databaseFile(folder);
  const interrupted = moveToSqlite(url, back, ({ table }) => {
    if (table === "enrollments") throw new Error("interrupted");
  });
  await assert.rejects(interrupted, /interrupted/);
  await assert.rejects(openCore(readConfig({ data: folder }, {}), createLog("silent")), /not finished/);
  await moveToSqlite(url, back, quiet);
  const moved = new Database(back);
  t.after(() => moved.close());
  const last = moved.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'contacts'").pluck();
  assert.equal(last.get(), 901);
});

test("a move that can't begin says why: a database that isn't there, another move", async (t) => {
  const { file, url } = await ready(t);
  const nowhere = url.replace(/t_\w+/, "nowhere");
  const unnamed = {
    message: /^PostgreSQL: the database is not set up \(.*\)\. Check that ROSTRUM_DATABASE_URL points to/,
  };
  await assert.rejects(moveToPostgres(file, nowhere, quiet), unnamed);
  await assert.rejects(openPostgresStore({ url: nowhere }), unnamed);
  const both = await Promise.allSettled([moveToPostgres(file, url, quiet), moveToPostgres(file, url, quiet)]);
  const refused = both.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  assert.equal(refused.length, 1);
  assert.match(refused[0] ?? "", /Another move into this database is running/);
});

test("after a move, no command or server starts on the file that was left behind", async (t) => {
  const { folder, url } = await ready(t);
  const unnamed = await rostrum(["move", "--data", folder, "--to", "postgres"], { env: { ROSTRUM_DATABASE_URL: "" } });
  assert.match(unnamed.stderr, /^--to postgres moves to the database at ROSTRUM_DATABASE_URL\. /);
  const moved = await rostrum(["move", "--data", folder, "--to", "postgres"], { env: { ROSTRUM_DATABASE_URL: url } });
  assert.equal(moved.status, 0, moved.stderr);
  const onSqlite = { env: { ROSTRUM_DATABASE_URL: "" } };
  const listed = await rostrum(["key", "list", "--data", folder], onSqlite);
  assert.deepEqual([listed.status, listed.stdout], [1, ""]);
  assert.match(listed.stderr, /was moved to postgres:.* Set ROSTRUM_DATABASE_URL/);
  const looked = await rostrum(["doctor", "--data", folder], onSqlite);
  assert.match(looked.stdout, /the data was moved to postgres:/);
  rmSync(join(folder, "moved-to"));
  assert.equal((await rostrum(["key", "list", "--data", folder], onSqlite)).status, 0);
});

test("writes during a move are noticed, and the next run copies the tables that changed", async (t) => {
  const { file, url } = await ready(t);
  const live = await openSqliteStore(file);
  t.after(() => live.close());
  const [workspace] = await live.workspaces();
  const write = (id: string) =>
    live.write(workspace?.id ?? "", ({ contacts }) =>
      contacts.insert({ id, fields: { first_name: "Live" }, source: "import", now: 1 }),
    );
  let written: Promise<unknown> | undefined;
  const first = await moveToPostgres(file, url, ({ table }) => {
    if (table === "deals") written ??= write("01900000-0000-7000-8000-00000000aaaa");
  });
  await written;
  assert.equal(first.changedMeanwhile, true);
  await assert.rejects(openPostgresStore({ url }), /not finished/);
  const second = await moveToPostgres(file, url, quiet);
  assert.equal(second.changedMeanwhile, false);
  assert.ok(second.skipped >= second.tables.length - 4, `${second.skipped}`);
  const store = await openPostgresStore({ url });
  assert.ok(
    (await store.read(workspace?.id ?? "").contacts.find("01900000-0000-7000-8000-00000000aaaa")) !== undefined,
  );
  await store.close();
});
