import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { openWriter } from "../../src/store/sqlite/connection.ts";
import { copyDatabase, MaintenanceRefused } from "../../src/store/sqlite/copy.ts";
import { temporaryFolder } from "../support/server.ts";

test("a copy has one moment of the database, and finishes even if others never stop writing", {
  timeout: 30_000,
}, async (t) => {
  const file = join(temporaryFolder(t), "numbers.db");
  const db = openWriter(file);
  t.after(() => db.close());
  db.pragma("synchronous = OFF");
  db.exec("CREATE TABLE numbers (n INTEGER PRIMARY KEY, text TEXT) STRICT");
  // Far more pages than one step of the copy handles.
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO numbers (text) SELECT hex(zeroblob(2000)) FROM n`);
  const count = (from: Database.Database) => from.prepare("SELECT count(*) FROM numbers").pluck().get() as number;
  const before = count(db);

  // A commit between every two steps: a copy that restarted after each would never end.
  const next = db.prepare("INSERT INTO numbers (text) VALUES ('x')");
  let writing = setImmediate(function write() {
    next.run();
    writing = setImmediate(write);
  });
  t.after(() => clearImmediate(writing));
  const target = join(temporaryFolder(t), "copy.db");
  await copyDatabase(file, target);
  clearImmediate(writing);

  assert.ok(count(db) > before + 5, "there were writes between the steps");
  const copy = new Database(target, { readonly: true });
  t.after(() => copy.close());
  const copied = count(copy);
  assert.ok(copied >= before && copied < count(db));
  assert.equal(copy.prepare("SELECT max(n) FROM numbers").pluck().get(), copied, "without a hole");
});

test("a copy that is rejected afterwards leaves nothing behind", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "some.db");
  openWriter(file).close();
  const target = join(folder, "copy.db");
  const refused = copyDatabase(file, target, {
    accept() {
      throw new MaintenanceRefused("not this one");
    },
  });
  await assert.rejects(refused, /not this one/);
  assert.throws(() => new Database(target, { fileMustExist: true }));
});
