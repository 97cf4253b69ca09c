import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import pg from "pg";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { makeDatabase } from "../support/engine-under-test.ts";
import { temporaryFolder } from "../support/server.ts";

/** Table, column, and whether it may be null and has a default; index and its columns. */
type Shape = { columns: string[]; indexes: string[]; references: string[] };

async function shapeOfSqlite(t: Parameters<typeof temporaryFolder>[0]): Promise<Shape> {
  const file = join(temporaryFolder(t), "rostrum.db");
  await (await openSqliteStore(file)).close();
  const db = new Database(file, { readonly: true });
  t.after(() => db.close());
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'",
    )
    .pluck()
    .all();
  const TYPES: Record<string, string> = { INTEGER: "bigint", TEXT: "text", BLOB: "bytea", REAL: "double precision" };
  const list = (pragma: string, of: string) => db.pragma(`${pragma}("${of}")`) as any[];
  const columns = tables.flatMap((table) =>
    list("table_xinfo", table).map(
      ({ name, type, notnull, pk }) => `${table}.${name} ${TYPES[type]} ${notnull === 1 || pk > 0}`,
    ),
  );
  const indexes = tables.flatMap((table) =>
    list("index_list", table)
      .filter(({ origin }) => origin === "c")
      // Every index of SQLite ends with the number of the row. This one needs it in PostgreSQL too.
      .map(({ name, unique }) => {
        const columns = list("index_info", name).length + Number(name === "deliveries_host");
        return `${name} ${unique === 1} ${columns}`;
      }),
  );
  const references = tables.flatMap((table) =>
    list("foreign_key_list", table).map(({ from, table: to, to: column }) => `${table}.${from} ${to}.${column}`),
  );
  return { columns: columns.sort(), indexes: indexes.sort(), references: references.sort() };
}

async function shapeOfPostgres(client: pg.Client): Promise<Shape> {
  const rows = async (sql: string) => (await client.query<{ text: string }>(sql)).rows.map(({ text }) => text).sort();
  return {
    columns: await rows(
      `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || (is_nullable = 'NO') AS text
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'rostrum%' AND column_name NOT LIKE 'rostrum%'`,
    ),
    indexes: await rows(
      `SELECT c.relname || ' ' || i.indisunique || ' ' || i.indnatts AS text FROM pg_index i
       JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND NOT i.indisprimary AND c.relname NOT LIKE 'rostrum%'`,
    ),
    references: await rows(
      `SELECT c.conrelid::regclass || '.' || a.attname || ' ' || c.confrelid::regclass || '.' || f.attname AS text
       FROM pg_constraint c
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
       JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1] WHERE c.contype = 'f'`,
    ),
  };
}

test("a migrated database has the tables, columns, indexes and references of SQLite's", async (t) => {
  const folder = temporaryFolder(t);
  const client = new pg.Client({ connectionString: await makeDatabase(folder) });
  await client.connect();
  t.after(() => client.end());
  const expected = await shapeOfSqlite(t);
  assert.ok(expected.columns.length > 300);
  assert.deepEqual(await shapeOfPostgres(client), expected);
  const { rows } = await client.query(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
       AND table_name NOT LIKE 'rostrum%'`,
  );
  assert.deepEqual(rows, [], "text is compared by bytes");
});

test("stores that open an empty database together migrate it once; one of another program is left alone", async (t) => {
  const folder = temporaryFolder(t);
  const url = await makeDatabase(folder);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(() => client.end());
  await client.query("CREATE SCHEMA fresh; CREATE SCHEMA foreign_one; CREATE TABLE foreign_one.theirs (id int)");
  const inSchema = (schema: string) => `${url}&options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore({ url: inSchema("fresh") })));
  await stores[0]?.write("w", ({ workspace }) => workspace.create("w", 1));
  assert.deepEqual(await Promise.all(stores.map(async (store) => (await store.workspaces()).length)), [1, 1, 1, 1]);
  await Promise.all(stores.map((store) => store.close()));
  await assert.rejects(openPostgresStore({ url: inSchema("foreign_one") }), /another program.*theirs/s);
  const { rows } = await client.query("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'foreign_one'");
  assert.deepEqual(rows, [{ n: 1 }]);
  await client.query("DROP SCHEMA fresh CASCADE; DROP SCHEMA foreign_one CASCADE");
});
