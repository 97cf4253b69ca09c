import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareApprovals } from "../../src/store/sqlite/approvals.ts";
import { prepareEnrollments } from "../../src/store/sqlite/enrollments.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { prepareEngineDue, prepareSends } from "../../src/store/sqlite/sends.ts";
import { plansOf } from "../support/plans.ts";
import { temporaryFolder } from "../support/server.ts";

test("no statement of the engine walks a table or sorts what it finds: not what is due, not what was sent", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const plans = plansOf(file, (db) => {
    const sends = prepareSends(db);
    for (const filter of ["", "status"]) sends.pages(filter);
    sends.move("sending,unknown|status,updatedAt,leaseUntil");
    return [prepareEnrollments(db), prepareEngineDue(db.$client)];
  });
  assert.ok(plans.length >= 20, `${plans.length} statements`);
  plans.push(...plansOf(file, prepareApprovals).filter(([text]) => /^select/i.test(text)));
  for (const [text, plan] of plans) {
    // Of the few audiences that one contact is in.
    const few = text.includes("approval_contacts c CROSS JOIN");
    if (few) assert.match(plan.join(), /SEARCH c USING INDEX approval_contacts_contact \(contact_id=\?\)/);
    // All active sequences are looked at, by an index that has nothing else.
    const walked = plan.filter((line) =>
      /^SCAN (?!s USING COVERING INDEX sequences_active|asked|json_each)/.test(line),
    );
    assert.deepEqual(walked, [], text);
    assert.ok(few || !plan.some((line) => line.includes("TEMP B-TREE")), `${text}\n${plan.join("\n")}`);
  }
  const lines = plans.flatMap(([, plan]) => plan);
  for (const index of [
    ...[
      "enrollments_due",
      "enrollments_postponed",
      "sends_leases",
      "sends_message",
      "enrollments_reached",
      "sends_attempts",
      "sends_step",
    ],
    ...["sends_workspace", "sends_status", "sequences_active"],
  ]) {
    assert.ok(
      lines.some((line) => line.includes(`INDEX ${index}`)),
      index,
    );
  }
});
