import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import fc from "fast-check";
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
