import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "../../src/domain/checklist/catalog.ts";
import { dueOf } from "../../src/domain/checklist/due.ts";
import { boardColumnOf, countAfter, openBefore } from "../../src/domain/checklist/progress.ts";
import { rawCatalog } from "../support/catalog.ts";
import { drafted, observed, personal } from "../support/checklist.ts";

const TODAY = "2026-11-20";

function items() {
  const parsed = parseCatalog(
    rawCatalog(
      personal("OT-01", 1),
      personal("OT-02", 2, { dependencies: ["OT-01"] }),
      personal("OT-03", 3, { dependencies: ["OT-02"] }),
      drafted("OT-04", 4),
      observed("OT-05", 5, {}, { test_first: true }),
      observed("OT-06", 6, {}, { replaced_by: "OT-01" }),
      observed("ON-01", 7, {}, { dependencies: ["OT-01", "OT-03"] }),
      observed("ON-02", 8, { frequency: "with_every_post" }),
    ),
  );
  if (!("catalog" in parsed)) throw new Error(JSON.stringify(parsed.faults));
  return parsed.catalog.items;
}

type Status = "not_started" | "in_progress" | "done" | "blocked" | "not_applicable";
const mark = (status: Status) => ({ status, source: "member" as const });

const CASES: [
  says: string,
  id: string,
  place: string,
  seen: { status?: Status; day?: string; card?: string; posts?: number },
][] = [
  ["nothing is recorded", "OT-01", "missing", {}],
  ["it is in progress", "OT-01", "missing", { status: "in_progress" }],
  ["it is blocked", "OT-01", "missing", { status: "blocked" }],
  ["it is done", "OT-01", "done", { status: "done" }],
  ["it does not apply", "OT-01", "aside", { status: "not_applicable" }],
  ["a card waits", "OT-04", "waiting", { card: "pending" }],
  ["a card waits, though it was done", "OT-04", "waiting", { status: "done", card: "pending" }],
  ["a post waits", "OT-04", "waiting", { posts: 1 }],
  ["a change was asked for", "OT-04", "missing", { card: "change_requested" }],
  ["a card was denied", "OT-04", "aside", { card: "denied" }],
  ["a card was denied, and a person did it", "OT-04", "done", { status: "done", card: "denied" }],
  ["it is to be tried first", "OT-05", "aside", {}],
  ["it was tried", "OT-05", "done", { status: "done" }],
  ["it is replaced", "OT-06", "aside", { status: "done" }],
  ["it recurs, and was done in time", "ON-01", "done", { status: "done", day: "2026-11-19" }],
  ["it recurs, and falls due today", "ON-01", "missing", { status: "done", day: "2026-11-13" }],
  ["it recurs, and is overdue", "ON-01", "missing", { status: "done", day: "2026-11-01" }],
  ["it comes with an event", "ON-02", "aside", {}],
  ["it comes with an event, and is done", "ON-02", "done", { status: "done", day: TODAY }],
];

for (const [says, id, place, { status, day, card, posts = 0 }] of CASES) {
  test(`if ${says}, an item is ${place}`, () => {
    const item = items().find((one) => one.id === id);
    assert.ok(item);
    const marked = status && mark(status);
    const due = dueOf(item, marked, day, TODAY);
    assert.equal(boardColumnOf(item, { mark: marked, due, card, postsWaiting: posts }), place);
  });
}

test("an item counts each direct and indirect dependent once, and closed items wait for nothing", () => {
  const all = items();
  const none = new Map();
  const found = countAfter(all, none);
  assert.deepEqual([found.get("OT-01"), found.get("OT-02"), found.get("OT-03"), found.get("ON-01")], [3, 2, 1, 0]);
  const applied = countAfter(all, new Map([["OT-02", mark("not_applicable")]]));
  assert.deepEqual([applied.get("OT-01"), applied.get("OT-02")], [1, 2]);
  const last = all.find(({ id }) => id === "ON-01");
  assert.ok(last);
  assert.deepEqual(openBefore(last, none), ["OT-01", "OT-03"]);
  assert.deepEqual(openBefore(last, new Map([["OT-01", mark("done")]])), ["OT-03"]);
});
