import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import type { Upgrade } from "../../src/store/engine.ts";
import { openWriter } from "../../src/store/sqlite/connection.ts";
import { MaintenanceRefused } from "../../src/store/sqlite/copy.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { backUp, inspectDatabase, restore } from "../../src/store/sqlite/maintenance.ts";
import { IncompatibleDatabase, migrateDatabase } from "../../src/store/sqlite/migrate.ts";
import { FIRST_PRERELEASE, prereleaseDatabase } from "../support/prerelease.ts";
import { ROOT } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";

const MIGRATIONS = `${ROOT}src/store/sqlite/migrations`;
const NOW = Date.UTC(2026, 10, 20, 12);

/** The migrations of a later version of the program: this one's, and one for each text. */
function later(t: TestContext, ...texts: string[]): string {
  const folder = temporaryFolder(t);
  cpSync(MIGRATIONS, folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8"));
  const { when } = journal.entries.at(-1);
  for (const [i, sql] of texts.entries()) {
    const tag = i === 0 ? "9999_later" : `9999_later_${i}`;
    journal.entries.push({ idx: journal.entries.length, version: "6", when: when + 1 + i, tag, breakpoints: true });
    writeFileSync(join(folder, `${tag}.sql`), sql);
  }
  writeFileSync(path, JSON.stringify(journal));
  return folder;
}

/** A database of the current version with one workspace. */
async function existing(t: TestContext) {
  const folder = temporaryFolder(t);
  const file = join(folder, "rostrum.db");
  const store = await openSqliteStore(file, NOW);
  await store.write("w", ({ workspace }) => workspace.create("kept", NOW));
  await store.close();
  return { folder, file, backups: join(folder, "backups") };
}

function upgrade(t: TestContext, file: string, migrations: string) {
  const db = openWriter(file);
  t.after(() => db.close());
  return { db, done: migrateDatabase(db, file, NOW, migrations) };
}

const names = (db: Database.Database) => db.prepare("SELECT name FROM workspaces").pluck().all();

/** The number of migrations of a new database. */
const SHIPPED = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql")).length;

test("a new database gets every migration and no backup, and a second start changes nothing", async (t) => {
  const { folder, file } = await existing(t);
  const { pending, unknown, faults } = inspectDatabase(file, "full");
  assert.deepEqual([pending, unknown, faults], [[], 0, []]);
  const again = await openSqliteStore(file, NOW);
  assert.equal(again.upgradedFrom, undefined);
  await again.close();
  assert.deepEqual(readdirSync(folder), ["rostrum.db"]);
});

test("migrations are applied in order, each once, whichever version the database starts at", async (t) => {
  const chain = [
    "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT",
    "ALTER TABLE later ADD COLUMN name TEXT;\n--> statement-breakpoint\nINSERT INTO later (name) VALUES ('second')",
    "CREATE INDEX later_name ON later (name);\n--> statement-breakpoint\nINSERT INTO later (name) VALUES ('third')",
  ];
  const applied = (db: Database.Database) => db.prepare("SELECT count(*) FROM __drizzle_migrations").pluck().get();
  const rows = (db: Database.Database) => db.prepare("SELECT name FROM later ORDER BY id").pluck().all();

  const empty = upgrade(t, join(temporaryFolder(t), "rostrum.db"), later(t, ...chain));
  assert.equal(await empty.done, undefined, "a new database needs no copy");
  assert.deepEqual([applied(empty.db), rows(empty.db)], [SHIPPED + 3, ["second", "third"]]);

  const { file, backups } = await existing(t);
  const { db, done } = upgrade(t, file, later(t, ...chain.slice(0, 1)));
  await done;
  const copy = await migrateDatabase(db, file, NOW + 1, later(t, ...chain));
  assert.deepEqual([applied(db), rows(db), names(db)], [SHIPPED + 3, ["second", "third"], ["kept"]]);
  assert.equal(copy, join(backups, "before-9999_later_1-2026-11-20T120000.001Z.db"), "named by the first one due");
  assert.equal(await migrateDatabase(db, file, NOW + 2, later(t, ...chain)), undefined);
  assert.equal(readdirSync(backups).length, 2);
});

test("an upgrade stores with each opt-out the profile of its contact", async (t) => {
  const first = temporaryFolder(t);
  cpSync(MIGRATIONS, first, { recursive: true });
  const path = join(first, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }));
  const file = join(temporaryFolder(t), "rostrum.db");
  const { db, done } = upgrade(t, file, first);
  await done;
  for (const id of ["w1", "w2"]) {
    db.prepare("INSERT INTO workspaces (id, name, created_at) VALUES (?, ?, 1)").run(id, id);
  }
  const contact = db.prepare(
    `INSERT INTO contacts (id, workspace_id, email_key, socialnet_key, source, created_at, updated_at, archived_at)
     VALUES (?, ?, ?, ?, 'import', 1, 1, ?)`,
  );
  contact.run("c1", "w1", "live@x", "net/live", null);
  contact.run("c2", "w1", "gone@x", "net/gone", 2);
  contact.run("c3", "w1", "again@x", "net/before", 2);
  contact.run("c4", "w1", "again@x", "net/now", null);
  contact.run("c5", "w2", "other@x", "net/other", null);
  contact.run("c6", "w1", "tipo@x", "net/tipo", null);
  const listed = db.prepare(
    `INSERT INTO suppressions (id, workspace_id, email, email_key, reason, source, created_at)
     VALUES (@key, 'w1', @key, @key, @reason, 'engine', 1)`,
  );
  for (const key of ["live@x", "gone@x", "again@x", "other@x"]) listed.run({ key, reason: "complaint" });
  listed.run({ key: "tipo@x", reason: "bounce" });
  await migrateDatabase(db, file, NOW);
  assert.deepEqual(db.prepare("SELECT email_key, socialnet_key FROM suppressions ORDER BY email_key").raw().all(), [
    ["again@x", "net/now"],
    ["gone@x", "net/gone"],
    ["live@x", "net/live"],
    ["other@x", null],
    ["tipo@x", null],
  ]);
});

test("before an existing database is migrated, a valid copy is put in backups, private to its owner", async (t) => {
  const { file, backups } = await existing(t);
  const { db, done } = upgrade(t, file, later(t, "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT"));
  const copy = await done;
  assert.deepEqual(readdirSync(backups), ["before-9999_later-2026-11-20T120000.000Z.db"]);
  assert.equal(copy, join(backups, readdirSync(backups)[0] as string));
  assert.equal(statSync(backups).mode & 0o777, 0o700);
  assert.equal(statSync(copy as string).mode & 0o777, 0o600);
  assert.deepEqual(names(db), ["kept"]);
  assert.equal(db.prepare("SELECT count(*) FROM later").pluck().get(), 0);
  const before = new Database(copy as string, { readonly: true });
  t.after(() => before.close());
  assert.deepEqual(names(before), ["kept"]);
  assert.throws(() => before.prepare("SELECT * FROM later"), /no such table/);
  assert.deepEqual(inspectDatabase(copy as string, "full").pending, []);
});

test("an upgrade is logged, and deletes only its own copies older than the last three", async (t) => {
  const { file, backups } = await existing(t);
  mkdirSync(backups);
  const old = [1, 2, 3, 4].map((n) => `before-000${n}_old-2026-01-0${n}T000000.000Z.db`);
  const others = ["mine.db", "before-lunch.db", "before-0001_old-2026-01-01T000000.000Z.db.txt"];
  const interrupted = "before-0001_old-2026-01-01T000000.000Z.db.4711.partial";
  for (const [i, name] of [...old, ...others, interrupted].entries()) {
    writeFileSync(join(backups, name), "x");
    utimesSync(join(backups, name), i, i);
  }
  const told: Upgrade[] = [];
  const db = openWriter(file);
  t.after(() => db.close());
  const sql = "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT";
  await migrateDatabase(db, file, NOW, later(t, sql), (upgrade) => told.push(upgrade));
  const copy = "before-9999_later-2026-11-20T120000.000Z.db";
  assert.deepEqual(readdirSync(backups).sort(), [...others, ...old.slice(2), copy].sort());
  const [{ bytes, ...upgrade } = { bytes: 0 }] = told;
  assert.deepEqual(upgrade, { migrations: ["9999_later"], copy: join(backups, copy), expectedSeconds: 1 });
  assert.ok(bytes > 100_000);
});

test("an upgrade without space for its copy is refused, and changes nothing", async (t) => {
  const { file, backups } = await existing(t);
  truncateSync(file, 15 * 1024 ** 4);
  const { db, done } = upgrade(t, file, later(t, "CREATE TABLE later (id INTEGER) STRICT"));
  await assert.rejects(done, (error) => {
    assert.ok(error instanceof MaintenanceRefused);
    assert.match(
      error.message,
      /backups has \d+ MiB free, but the copy of .* before its schema is upgraded needs \d+ MiB/,
    );
    return true;
  });
  assert.deepEqual(readdirSync(backups), []);
  assert.throws(() => db.prepare("SELECT * FROM later"), /no such table/);
});

test("a failed migration leaves the database unchanged, and can be retried", async (t) => {
  const { file } = await existing(t);
  const half = later(t, "CREATE TABLE later (id INTEGER) STRICT;\n--> statement-breakpoint\nSELECT nonsense;");
  const { db, done } = upgrade(t, file, half);
  await assert.rejects(done, /nonsense/);
  assert.equal(db.inTransaction, false);
  assert.throws(() => db.prepare("SELECT * FROM later"), /no such table/);
  assert.equal(db.pragma("foreign_keys", { simple: true }), 1);
  const whole = later(t, "CREATE TABLE later (id INTEGER) STRICT");
  await migrateDatabase(db, file, NOW + 1, whole);
  assert.deepEqual(names(db), ["kept"]);
});

test("a migration can rebuild a referenced table, but can't leave dangling references", async (t) => {
  const { file } = await existing(t);
  const rebuild = `CREATE TABLE fresh AS SELECT * FROM workspaces;
    --> statement-breakpoint
    DROP TABLE workspaces;
    --> statement-breakpoint
    ALTER TABLE fresh RENAME TO workspaces;`;
  const member = `INSERT INTO members (id, workspace_id, email, email_key, name, role, created_at)
    VALUES ('m', 'w', 'a@x.example', 'a@x.example', 'A', 'rep', 1)`;
  const prepared = new Database(file);
  prepared.exec(member);
  prepared.close();
  const broken = upgrade(t, file, later(t, "DELETE FROM workspaces"));
  await assert.rejects(broken.done, /members that refer to nothing/);
  assert.deepEqual(names(broken.db), ["kept"]);
  // A table made by AS SELECT has no primary key to refer to; the index gives it back.
  const unique = `${rebuild}\n--> statement-breakpoint\nCREATE UNIQUE INDEX workspaces_id ON workspaces (id);`;
  await migrateDatabase(broken.db, file, NOW + 1, later(t, unique));
  assert.deepEqual(names(broken.db), ["kept"]);
});

test("a newer program's database is refused with an explanation, and not changed", async (t) => {
  const { folder, file } = await existing(t);
  const { db, done } = upgrade(t, file, later(t, "CREATE TABLE later (id INTEGER) STRICT"));
  await done;
  db.close();
  const before = readFileSync(file);
  await assert.rejects(openSqliteStore(file, NOW), (error) => {
    assert.ok(error instanceof IncompatibleDatabase);
    assert.match(error.message, /written by a newer version of Rostrum\. Start that version, or restore a backup/);
    assert.ok(!error.message.includes("\n"));
    return true;
  });
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(readdirSync(join(folder, "backups")).length, 1, "the one that the newer program made");
});

test("replies from before the upgrade get the profile that their contact has at the upgrade", async (t) => {
  const { file } = await existing(t);
  const db = new Database(file);
  t.after(() => db.close());
  db.exec(`INSERT INTO contacts (id, workspace_id, socialnet_key, source, created_at, updated_at)
    VALUES ('c', 'w', 'socialnet.example/in/ada', 'import', 1, 1);
    INSERT INTO activities (id, workspace_id, contact_id, type, metadata, created_at)
    VALUES ('reply', 'w', 'c', 'email_reply', '{}', 1), ('call', 'w', 'c', 'call_made', '{}', 1)`);
  const migration = readdirSync(MIGRATIONS).find((name) => name.endsWith("_replies.sql")) as string;
  const statements = readFileSync(join(MIGRATIONS, migration), "utf8").split("--> statement-breakpoint");
  db.exec(statements.find((statement) => statement.includes("UPDATE activities")) as string);
  assert.deepEqual(db.prepare("SELECT id, profile_key FROM activities ORDER BY id").raw().all(), [
    ["call", null],
    ["reply", "socialnet.example/in/ada"],
  ]);
});

test("everything that opens a database refuses one of a pre-release version, and does not change it", async (t) => {
  const { entries } = JSON.parse(readFileSync(join(MIGRATIONS, "meta/_journal.json"), "utf8"));
  assert.ok(entries[0].when > FIRST_PRERELEASE, "the first migration is newer than those before the release");
  const folder = temporaryFolder(t);
  const file = prereleaseDatabase(join(folder, "rostrum.db"));
  const before = readFileSync(file);
  const said =
    `${file} was created by a pre-release version of Rostrum. Its data can't be upgraded. ` +
    "Start with a new data folder. Set it with --data or ROSTRUM_DATA.";
  await assert.rejects(openSqliteStore(file, NOW), (error) => {
    assert.ok(error instanceof IncompatibleDatabase);
    assert.equal(error.message, said);
    return true;
  });
  assert.deepEqual(readdirSync(folder), ["rostrum.db"], "no copy, no folder for one");
  const refusal = (error: unknown) => {
    assert.ok(error instanceof MaintenanceRefused);
    assert.equal(error.message, said);
    return true;
  };
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  await assert.rejects(backUp(file, join(elsewhere, "backup.db")), refusal);
  await assert.rejects(restore(file, join(elsewhere, "rostrum.db"), "tests", Date.now()), refusal);
  const { prerelease, faults, newest, sealedBy } = inspectDatabase(file, "full");
  assert.deepEqual([prerelease, faults, newest, sealedBy], [true, [], null, []]);
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(readdirSync(elsewhere), []);
});
