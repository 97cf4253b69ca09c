import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { prepareAccounts } from "../../src/store/sqlite/accounts.ts";
import { prepareBrain } from "../../src/store/sqlite/brain.ts";
import { withDrizzle } from "../../src/store/sqlite/connection.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { temporaryFolder } from "../support/server.ts";

/** The plan of every statement that is prepared, each parameter given as 1. */
function plansOf(file: string, prepareAll: (db: ReturnType<typeof withDrizzle>) => unknown): [string, string[]][] {
  const db = new Database(file, { readonly: true });
  const texts: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = ((text: string) => {
    texts.push(text);
    return prepare(text);
  }) as typeof db.prepare;
  prepareAll(withDrizzle(db));
  const plans = texts.map((text): [string, string[]] => {
    const names = [...text.matchAll(/@(\w+)/g)].map(([, name]) => [name, 1]);
    const values = names.length > 0 ? [Object.fromEntries(names)] : Array(text.split("?").length - 1).fill(1);
    const rows = prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[];
    return [text, rows.map(({ detail }) => detail)];
  });
  db.close();
  return plans;
}

test("no statement of the Brain views or of accounts walks a table", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const plans = plansOf(file, (db) => [prepareBrain(db), prepareAccounts(db)]);
  assert.ok(plans.length >= 19, `${plans.length} statements`);
  for (const [text, plan] of plans) {
    // What is walked is the list of ids that was given, and what a subquery found of it.
    const walked = plan.filter((line) => /^SCAN/.test(line) && !/VIRTUAL TABLE|^SCAN c$/.test(line));
    assert.deepEqual(walked, [], text);
  }
  const using = (index: string) => plans.filter(([, plan]) => plan.some((line) => line.includes(`INDEX ${index} `)));
  for (const table of ["deals", "meetings", "bant_assessments", "enrollments", "activities"]) {
    assert.ok(using(`${table}_contact`).length > 0, table);
  }
  for (const index of [
    "contact_provenance_field",
    "contacts_account",
    "suppressions_email",
    "accounts_name_key",
    "accounts_domain",
  ]) {
    assert.ok(using(index).length > 0, index);
  }
});
