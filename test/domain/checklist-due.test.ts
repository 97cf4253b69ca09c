import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseCatalog } from "../../src/domain/checklist/catalog.ts";
import { dueItems, dueOf } from "../../src/domain/checklist/due.ts";
import { type CatalogItem, FREQUENCIES, type Frequency } from "../../src/domain/checklist/item.ts";
import { CARD_STATUSES, type CardStatus } from "../../src/domain/checklist/review.ts";
import { MARK_SOURCES, type MarkedStatus, type MarkSource } from "../../src/domain/checklist/status.ts";
import { addDays, addMonths } from "../../src/domain/time/date.ts";
import { rawCatalog, rawItem } from "../support/catalog.ts";
import { drafted, ITEMS, observed, personal } from "../support/checklist.ts";

const TODAY = "2026-11-20";

function itemsOf(...raw: Parameters<typeof rawCatalog>): readonly CatalogItem[] {
  const parsed = parseCatalog(rawCatalog(...raw));
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed.catalog.items;
}

interface Marked {
  status: MarkedStatus;
  source: MarkSource;
  lastDoneOn: string | null;
}

/** When it is due again, given a mark and its day. */
function when(item: Pick<CatalogItem, "frequency">, mark: Marked | undefined, today: string) {
  return dueOf(item, mark, mark?.lastDoneOn ?? undefined, today);
}

function daysOf(marks: Iterable<[string, Marked]>): Map<string, string> {
  return new Map([...marks].flatMap(([id, { lastDoneOn }]) => (lastDoneOn === null ? [] : [[id, lastDoneOn]])));
}

const DONE = (lastDoneOn: string): Marked => ({ status: "done", source: "agent", lastDoneOn });
const as = (status: MarkedStatus): Marked => ({ status, source: "agent", lastDoneOn: null });

function due(
  items: readonly CatalogItem[],
  marks: Record<string, Marked> = {},
  cards: Record<string, CardStatus> = {},
) {
  const known = {
    marks: new Map(Object.entries(marks)),
    days: daysOf(Object.entries(marks)),
    cards: new Map(Object.entries(cards).map(([id, status]) => [id, { status }])),
  };
  return dueItems(items, known, TODAY).map(({ item, reason }) => [item.id, reason]);
}

/** The last time it was done, and when it is due again. */
const DATES: [Frequency, string, string][] = [
  ["daily", "2026-12-31", "2027-01-01"],
  ["daily", "2028-02-28", "2028-02-29"],
  ["weekly", "2026-02-25", "2026-03-04"],
  ["monthly", "2026-01-31", "2026-02-28"],
  ["monthly", "2028-01-31", "2028-02-29"],
  ["monthly", "2026-02-28", "2026-03-28"],
  ["monthly", "2026-10-31", "2026-11-30"],
  ["monthly", "2026-12-15", "2027-01-15"],
  ["every_3_months", "2026-11-30", "2027-02-28"],
  ["every_3_months", "2027-11-30", "2028-02-29"],
  ["every_6_months", "2026-08-31", "2027-02-28"],
  ["every_6_months", "2026-12-31", "2027-06-30"],
  ["yearly", "2028-02-29", "2029-02-28"],
  ["yearly", "2027-02-28", "2028-02-28"],
  ["yearly", "0001-03-01", "0002-03-01"],
];

for (const [frequency, last, again] of DATES) {
  test(`an item done ${frequency}, last on ${last}, is due on ${again}`, () => {
    assert.equal(when({ frequency }, DONE(last), TODAY).due_on, again);
    const states = [addDays(again, -1), again, addDays(again, 1)].map((on) => when({ frequency }, DONE(last), on));
    assert.deepEqual(
      states.map(({ state }) => state),
      ["upcoming", "due_today", "overdue"],
    );
    assert.deepEqual(
      states.map(({ label }) => label),
      [`Due on ${again}`, "Due today", `Due since ${again}`],
    );
  });
}

test("an item never done is due today; one-time and event items have no day", () => {
  const none = { due_on: null, state: null };
  const of = (frequency: Frequency, mark?: Marked) => {
    const { label, ...rest } = when({ frequency }, mark, TODAY);
    assert.ok(label.length > 0);
    return rest;
  };
  assert.deepEqual(of("weekly"), { kind: "recurring", due_on: TODAY, state: "due_today" });
  assert.deepEqual(of("weekly", as("in_progress")), { kind: "recurring", due_on: TODAY, state: "due_today" });
  for (const mark of [undefined, as("blocked"), DONE(TODAY)]) {
    assert.deepEqual(of("once", mark), { kind: "one_time", ...none });
    for (const event of ["with_every_post", "as_needed"] as const) {
      assert.deepEqual(of(event, mark), { kind: "event", ...none });
    }
  }
});

test("due items are ordered by priority, then one-time items before ongoing ones", () => {
  assert.deepEqual(due(itemsOf(...ITEMS)), [
    ["OT-01", "one_time_open"],
    ["ON-01", "never_done"],
    ["ON-02", "never_done"],
    ["ON-03", "never_done"],
    ["OT-02", "one_time_open"],
    ["ON-06", "never_done"],
    ["OT-06", "one_time_open"],
  ]);
});

test("requested changes come first, whatever their priority, even before the item would be due again", () => {
  const items = itemsOf(personal("OT-01", 1), drafted("OT-02", 9), drafted("ON-01", 8), observed("ON-02", 2));
  const asked = { "OT-02": "change_requested", "ON-01": "change_requested" } as const;
  assert.deepEqual(due(items, { "ON-01": { ...DONE(TODAY), status: "in_progress" } }, asked), [
    ["ON-01", "change_requested"],
    ["OT-02", "change_requested"],
    ["OT-01", "one_time_open"],
    ["ON-02", "never_done"],
  ]);
  assert.deepEqual(due(items, { "ON-01": DONE(TODAY), "OT-02": as("blocked") }, asked), [
    ["OT-01", "one_time_open"],
    ["ON-02", "never_done"],
  ]);
});

/** An item, its records, and whether it is due. */
const CASES: [string, Parameters<typeof rawItem>, Marked | undefined, CardStatus | undefined, string | undefined][] = [
  ["an open one-time item", ["OT-01"], undefined, undefined, "one_time_open"],
  ["one in progress", ["OT-01"], as("in_progress"), undefined, "one_time_open"],
  ["one not started", ["OT-01"], as("not_started"), undefined, "one_time_open"],
  ["one that is done", ["OT-01"], DONE("2020-01-01"), undefined, undefined],
  ["one that is blocked", ["OT-01"], as("blocked"), undefined, undefined],
  ["one that does not apply", ["OT-01"], as("not_applicable"), undefined, undefined],
  ["one whose card waits", ["OT-01"], undefined, "pending", undefined],
  ["one closed by a denied card", ["OT-01"], undefined, "denied", undefined],
  ["one whose card was approved, and the mark taken back", ["OT-01"], undefined, "approved", "one_time_open"],
  ["one to be tested first", ["OT-01", {}, { test_first: true }], undefined, undefined, undefined],
  ["an ongoing item never done", ["ON-01"], as("not_started"), undefined, "never_done"],
  ["one due today", ["ON-01"], DONE("2026-11-13"), undefined, "due_today"],
  ["one overdue", ["ON-01"], DONE("2026-11-12"), undefined, "overdue"],
  ["one done in its time", ["ON-01"], DONE("2026-11-14"), undefined, undefined],
  [
    "one in progress whose time has come",
    ["ON-01"],
    { ...DONE("2026-11-12"), status: "in_progress" },
    undefined,
    "overdue",
  ],
  [
    "one in progress before its time",
    ["ON-01"],
    { ...DONE("2026-11-14"), status: "in_progress" },
    undefined,
    undefined,
  ],
  ["one that is blocked and overdue", ["ON-01"], { ...DONE("2026-11-12"), status: "blocked" }, undefined, undefined],
  [
    "one that does not apply any more",
    ["ON-01"],
    { ...DONE("2026-11-12"), status: "not_applicable" },
    undefined,
    undefined,
  ],
  ["one whose card waits", ["ON-01"], DONE("2026-11-12"), "pending", undefined],
  ["one whose card was denied", ["ON-01"], DONE("2026-11-12"), "denied", "overdue"],
  ["one with every post", ["ON-01", { frequency: "with_every_post" }], undefined, undefined, undefined],
  ["one as needed", ["ON-01", { frequency: "as_needed" }], undefined, "change_requested", undefined],
];

for (const [label, raw, mark, card, reason] of CASES) {
  test(`${label} (${raw[0]}) is ${reason === undefined ? "not due" : `due: ${reason}`}`, () => {
    const [id] = raw;
    const found = due(itemsOf(rawItem(...raw)), mark && { [id]: mark }, card && { [id]: card });
    assert.deepEqual(found, reason === undefined ? [] : [[id, reason]]);
  });
}

test("a one-time item waits for its dependencies, and an ongoing one does not", () => {
  const items = itemsOf(
    personal("OT-01", 9),
    personal("OT-02", 1, { dependencies: ["OT-01"] }),
    personal("ON-01", 2, { dependencies: ["OT-01"] }),
  );
  const ids = (marks: Record<string, Marked>) => due(items, marks).map(([id]) => id);
  for (const open of ["not_started", "in_progress", "blocked"] as const) {
    assert.ok(!ids({ "OT-01": as(open) }).includes("OT-02"), open);
    assert.ok(ids({ "OT-01": as(open) }).includes("ON-01"), open);
  }
  assert.deepEqual(ids({ "OT-01": as("not_applicable") }), ["OT-02", "ON-01"]);
  assert.deepEqual(ids({ "OT-01": DONE("2026-01-01") }), ["OT-02", "ON-01"]);
});

test("an item that the service finds missing is due today even if done in time, and overdue from then on", () => {
  const missing: Marked = { status: "not_started", source: "system", lastDoneOn: "2026-11-18" };
  assert.deepEqual(when({ frequency: "weekly" }, missing, TODAY), {
    kind: "recurring",
    label: "Not done, due today",
    due_on: TODAY,
    state: "due_today",
  });
  assert.equal(when({ frequency: "weekly" }, missing, "2026-11-26").state, "overdue");
  assert.equal(when({ frequency: "weekly" }, { ...missing, source: "member" }, TODAY).state, "upcoming");
  assert.deepEqual(due(itemsOf(observed("ON-01", 1)), { "ON-01": missing }), [["ON-01", "due_today"]]);
});

test("an item whose mark was removed is due by the day it was last done", () => {
  const items = itemsOf(observed("ON-01", 1), observed("ON-02", 2), observed("ON-03", 3), observed("ON-04", 4));
  const days = new Map([
    ["ON-01", "2026-11-12"],
    ["ON-02", "2026-11-13"],
    ["ON-03", "2026-11-14"],
  ]);
  const found = dueItems(items, { marks: new Map(), days, cards: new Map() }, TODAY);
  assert.deepEqual(
    found.map(({ item, reason, due: { label } }) => [item.id, reason, label]),
    [
      ["ON-01", "overdue", "Due since 2026-11-19"],
      ["ON-02", "due_today", "Due today"],
      ["ON-04", "never_done", "Never done, due today"],
    ],
  );
});

test("a replaced item is never due", () => {
  const items = itemsOf(drafted("OT-01", 1, {}, { replaced_by: "OT-02" }), drafted("OT-02", 2));
  assert.deepEqual(due(items, {}, { "OT-01": "change_requested" }), [["OT-02", "one_time_open"]]);
});

const day = fc
  .date({ min: new Date("1999-12-01"), max: new Date("2030-01-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const status = fc.constantFrom<MarkedStatus>("not_started", "in_progress", "done", "blocked", "not_applicable");
const mark = fc
  .record({ status, source: fc.constantFrom(...MARK_SOURCES), lastDoneOn: fc.option(day) })
  .map((given) =>
    given.status === "done" && given.lastDoneOn === null ? { ...given, lastDoneOn: "2020-02-29" } : given,
  );

/** The rule for due items, stated in reverse: the conditions that exclude an item. */
function isLeftOut(
  item: CatalogItem,
  marks: Map<string, Marked>,
  cards: Map<string, { status: CardStatus }>,
  today: string,
) {
  const { test_first, replaced_by, dependencies } = item.executor;
  const mine = marks.get(item.id);
  const card = cards.get(item.id)?.status;
  const next = when(item, mine, today).due_on;
  const isFoundMissing = mine?.source === "system" && mine.status === "not_started";
  const closed = (id: string) => ["done", "not_applicable"].includes(marks.get(id)?.status ?? "");
  return [
    test_first || replaced_by !== null,
    ["with_every_post", "as_needed"].includes(item.frequency),
    card === "pending",
    mine?.status === "blocked" || mine?.status === "not_applicable",
    mine?.status === "done" && (next === null || next > today),
    item.kind === "one_time" && (card === "denied" || dependencies.some((id) => !closed(id))),
    item.kind === "ongoing" && card !== "change_requested" && next !== null && next > today && !isFoundMissing,
  ].some(Boolean);
}

test("for any marks, cards and days, exactly the contract's excluded items are missing, in its order", () => {
  const items = itemsOf(...ITEMS);
  const of = <T>(one: fc.Arbitrary<T>) =>
    fc
      .tuple(...items.map(() => fc.option(one)))
      .map((given) => new Map(items.flatMap(({ id }, i) => (given[i] ? [[id, given[i] as T]] : []))));
  const card = fc.constantFrom(...CARD_STATUSES).map((found) => ({ status: found }));
  fc.assert(
    fc.property(of(mark), of(card), day, (marks, cards, today) => {
      const found = dueItems(items, { marks, days: daysOf(marks), cards }, today);
      const wanted = items.filter((item) => !isLeftOut(item, marks, cards, today));
      assert.deepEqual(found.map(({ item }) => item.id).sort(), wanted.map(({ id }) => id).sort());
      for (const [index, { item, reason, due: next }] of found.entries()) {
        const mine = marks.get(item.id);
        const asked = cards.get(item.id)?.status === "change_requested";
        assert.equal(reason === "change_requested", asked);
        if (!asked && item.kind === "one_time") assert.equal(reason, "one_time_open");
        if (!asked && item.kind === "ongoing") {
          assert.equal(reason, mine?.lastDoneOn ? (next.due_on === today ? "due_today" : "overdue") : "never_done");
        }
        const before = found[index - 1];
        if (before === undefined) continue;
        const key = (entry: typeof before) => [
          Number(entry.reason !== "change_requested"),
          entry.item.executor.priority,
          Number(entry.item.kind === "ongoing"),
        ];
        const [a, b] = [key(before), key({ item, reason, due: next })];
        const differs = a.findIndex((part, i) => part !== b[i]);
        assert.ok(differs === -1 || (a[differs] as number) < (b[differs] as number), `${a} before ${b}`);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("for any day and frequency, the next day is later, within its period, and on the same day of the month or its last", () => {
  const spans = { daily: 1, weekly: 7, monthly: 31, every_3_months: 92, every_6_months: 184, yearly: 366 };
  const recurring = Object.keys(spans) as (keyof typeof spans)[];
  assert.equal(recurring.length + 3, Object.keys(FREQUENCIES).length);
  fc.assert(
    fc.property(fc.constantFrom(...recurring), day, (frequency, last) => {
      const next = when({ frequency }, DONE(last), TODAY).due_on as string;
      const days = (Date.parse(next) - Date.parse(last)) / 86_400_000;
      assert.ok(days >= 1 && days <= spans[frequency], `${last} ${next}`);
      if (frequency === "daily" || frequency === "weekly") assert.equal(days, spans[frequency]);
      else assert.ok(next.slice(8) === last.slice(8) || addDays(next, 1).endsWith("-01"), `${last} ${next}`);
    }),
  );
  assert.equal(addMonths("2026-03-31", -1), "2026-02-28");
});
