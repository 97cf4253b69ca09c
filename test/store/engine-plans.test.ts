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
    for (const filter of ["", "status", "sequenceId", "status,sequenceId"]) sends.pages(filter);
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
    ...["sends_workspace", "sends_status", "sends_sequence", "sequences_active"],
  ]) {
    assert.ok(
      lines.some((line) => line.includes(`INDEX ${index}`)),
      index,
    );
  }
});

/** By which index a list of enrollments is read, for each set of filters that it may be given. */
const ENROLLMENTS: [filters: string, index: string][] = [
  ["", "enrollments_workspace"],
  ["sequenceId", "enrollments_sequence"],
  ["status", "enrollments_status"],
  ["sequenceId,status", "enrollments_sequence"],
  ["held", "enrollments_held"],
  ["sequenceId,held", "enrollments_held"],
  ["status,held", "enrollments_held"],
  ["contactId", "enrollments_contact"],
  ["sequenceId,contactId,status", "enrollments_contact"],
];

test("a list of enrollments is read in its order, from the index of what is rarest in it", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const pages = (filters: string[]) => (db: Parameters<typeof prepareEnrollments>[0]) => {
    const { pages: list } = prepareEnrollments(db);
    for (const filter of filters) list(filter);
  };
  const always = plansOf(file, pages([])).length;
  for (const [filters, index] of ENROLLMENTS) {
    const [page] = plansOf(file, pages([filters])).slice(always);
    assert.match(page?.[1].join() ?? "", new RegExp(`^SEARCH enrollments USING INDEX ${index} \\([^,]*$`), filters);
  }
});
