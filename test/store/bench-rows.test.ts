import assert from "node:assert/strict";
import { test } from "node:test";
import Database from "better-sqlite3";
import { fillAround } from "../../bench/console-rows.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { startServer } from "../support/server.ts";

test("the rows of the console bench, which are written without the store, fit the schema", async (t) => {
  const server = await startServer(t);
  for (const name of ["ada", "grace"]) {
    await server.rest("POST", "/contacts", { body: { email: `${name}@example.com` } });
  }
  const places = fillAround(databaseFile(server.folder), 1 / 50_000);
  const db = new Database(databaseFile(server.folder), { readonly: true });
  t.after(() => db.close());
  for (const table of ["accounts", "deals", "sends", "audit_log", "deliveries", "socialnet_actions"]) {
    assert.ok(Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()) > 0, table);
  }
  const shown = await server.rest("GET", `/contacts/${places.contact}`);
  assert.equal(shown.status, 200);
});
