import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareAccounts } from "../../src/store/sqlite/accounts.ts";
import { prepareBrain } from "../../src/store/sqlite/brain.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { plansOf } from "../support/plans.ts";
import { temporaryFolder } from "../support/server.ts";

test("no statement of the Brain views or of accounts walks a table", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const plans = plansOf(file, (db) => [prepareBrain(db), prepareAccounts(db)]);
  assert.ok(plans.length >= 19, `${plans.length} statements`);
  for (const [text, plan] of plans) {
    // What is walked is the list of ids that was given, and what a subquery found of it.
    const walked = plan.filter(
      (line) => /^SCAN/.test(line) && !/VIRTUAL TABLE|^SCAN c$|^SCAN \(subquery-\d+\)$/.test(line),
    );
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
