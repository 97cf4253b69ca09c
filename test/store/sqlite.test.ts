import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { placeholders } from "../../src/store/sql/statement.ts";
import { sqliteDb } from "../../src/store/sqlite/connection.ts";
import { SQLITE } from "../../src/store/sqlite/dialect.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { temporaryFolder } from "../support/server.ts";
import { storeConforms } from "./conformance.ts";

storeConforms("SQLite", async (t) => {
  const store = await openSqliteStore(join(temporaryFolder(t), "rostrum.db"));
  t.after(() => store.close());
  return store;
});

test("SQLite writes times as JavaScript does", () => {
  const written = new Database(":memory:").prepare<[number], string>(`SELECT ${SQLITE.isoTime("?")}`).pluck();
  const times = fc.integer({ min: Date.parse("1900-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59.999Z") });
  fc.assert(
    fc.property(times, (at) => assert.equal(written.get(at), new Date(at).toISOString())),
    { numRuns: 2_000, examples: [[0], [999], [1_000], [Date.parse("2026-11-29T23:59:59.999Z")], [-1]] },
  );
});

test("a statement with a bound LIMIT is planned once", async () => {
  const client = new Database(":memory:");
  const db = sqliteDb(client);
  const { most } = placeholders("most") as { most: never };
  client.function("planned", { varargs: true }, () => "once");
  const statements = [
    db.sql("SELECT planned(1) AS text LIMIT @most"),
    db.sql("SELECT planned(1) AS text LIMIT 1 OFFSET @most"),
    db.query(db.orm.select({ text: sql<string>`planned(1)` }).from(sql`(SELECT 1)`).limit(most)),
    db.query(db.orm.select({ text: sql<string>`planned(1)` }).from(sql`(SELECT 1)`).limit(1).offset(most)),
  ];
  const texts = async () => {
    const found = [];
    for (const statement of statements)
      found.push(...(await statement.all({ most: 0 })), ...(await statement.all({ most: 1 })));
    return found;
  };
  const once = Array(4).fill({ text: "once" });
  assert.deepEqual(await texts(), once);
  // Only what is planned from now on finds the function that takes exactly one value.
  client.function("planned", (_) => "again");
  assert.deepEqual(await texts(), once);
  assert.deepEqual(client.prepare("SELECT planned(1) AS text").all(), [{ text: "again" }]);
});
