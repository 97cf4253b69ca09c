import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from "drizzle-kit/api";
import * as schema from "../../src/store/sql/schema/index.ts";
import { openReader, openWriter, startServing } from "../../src/store/sqlite/connection.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { temporaryFolder } from "../support/server.ts";

const MIGRATIONS = new URL("../../src/store/sqlite/migrations/", import.meta.url);
const CASING = "snake_case";

const read = (name: string) => JSON.parse(readFileSync(new URL(name, MIGRATIONS), "utf8"));

/** Tables, columns, keys and indexes as SQLite sees them, in no particular order of columns. */
function shapeOf(db: Database.Database) {
  const tables = db
    .prepare<[], string>(
      // Without the index of words, which drizzle can't describe.
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
       AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '__drizzle_migrations' ORDER BY name`,
    )
    .pluck()
    .all();
  const list = (pragma: string, of: string) => db.pragma(`${pragma}("${of}")`) as Record<string, unknown>[];
  const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
  return Object.fromEntries(
    tables.map((table) => {
      const indexes = list("index_list", table).map(({ seq: _, name, ...facts }) => {
        const sql = db.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").pluck().get(name) as string | null;
        const columns = list("index_xinfo", name as string).map(({ name: column, desc }) => ({ column, desc }));
        return { ...facts, name: sql === null ? null : name, columns, where: sql?.match(/ WHERE .*/s)?.[0] };
      });
      const columns = list("table_xinfo", table).map(({ cid: _, ...column }) => column);
      const references = list("foreign_key_list", table).map(({ id: _, ...reference }) => reference);
      return [table, { columns: sorted(columns), references: sorted(references), indexes: sorted(indexes) }];
    }),
  );
}

async function migrated(t: Parameters<typeof temporaryFolder>[0]): Promise<Database.Database> {
  const file = join(temporaryFolder(t), "rostrum.db");
  await (await openSqliteStore(file)).close();
  const db = new Database(file);
  t.after(() => db.close());
  return db;
}

test("every schema change has its migration", async () => {
  const { entries } = read("meta/_journal.json") as { entries: { tag: string }[] };
  const last = `${String(entries.length - 1).padStart(4, "0")}_snapshot.json`;
  const now = await generateSQLiteDrizzleJson(schema, undefined, CASING);
  assert.deepEqual(await generateSQLiteMigration(read(`meta/${last}`), now), []);
});

test("the migrations create the database that the schema describes", async (t) => {
  const nothing = await generateSQLiteDrizzleJson({}, undefined, CASING);
  const everything = await generateSQLiteDrizzleJson(schema, undefined, CASING);
  const described = new Database(":memory:");
  t.after(() => described.close());
  for (const statement of await generateSQLiteMigration(nothing, everything)) described.exec(statement);
  assert.deepEqual(shapeOf(await migrated(t)), shapeOf(described));
});

test("every table is STRICT, including the migration record", async (t) => {
  const db = await migrated(t);
  const tables = db.pragma("table_list") as { name: string; schema: string; type: string; strict: number }[];
  const ours = tables.filter(({ name, type }) => type === "table" && !name.startsWith("sqlite_"));
  assert.ok(ours.length > 15);
  assert.deepEqual(
    ours.filter(({ strict }) => strict !== 1).map(({ name }) => name),
    [],
  );
});

test("the writer runs in WAL, syncs every commit, enforces foreign keys, and waits for a lock only briefly", (t) => {
  const db = openWriter(join(temporaryFolder(t), "data", "rostrum.db"));
  t.after(() => db.close());
  startServing(db);
  const pragma = (name: string) => db.pragma(name, { simple: true });
  assert.equal(pragma("journal_mode"), "wal");
  assert.equal(pragma("synchronous"), 2, "FULL");
  assert.equal(pragma("foreign_keys"), 1);
  const busy = pragma("busy_timeout") as number;
  assert.ok(busy > 0 && busy < 10, `${busy} ms`);
});

test("the reader can't write, and waits for a lock", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const db = openReader(file);
  t.after(() => db.close());
  assert.throws(() => db.exec("DELETE FROM contacts"), { code: "SQLITE_READONLY" });
  assert.ok((db.pragma("busy_timeout", { simple: true }) as number) > 0);
});

test("a row with a dangling reference is refused", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const orphan = store.write("no-such-workspace", ({ contacts }) =>
    contacts.insert({ id: "x", fields: { first_name: "x" }, source: "import", now: 1 }),
  );
  await assert.rejects(orphan, { code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
});
