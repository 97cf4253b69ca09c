import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_CHANNELS } from "../../src/domain/checklist/channel.ts";
import { dueItems } from "../../src/domain/checklist/due.ts";
import {
  AUTOMATIONS,
  type CatalogItem,
  EVIDENCE_VERDICTS,
  FREQUENCIES,
  OUTPUT_KINDS,
  PERSON_ACTIONS,
  RUNNERS,
} from "../../src/domain/checklist/item.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";

const { version, items } = shippedCatalog();
const stands = ({ executor }: CatalogItem) => executor.replaced_by === null && !executor.test_first;
const standing = items.filter(stands);
const byId = new Map(items.map((item) => [item.id, item]));
const ofKind = (kind: CatalogItem["kind"]) => standing.filter((item) => item.kind === kind);

test("the shipped catalog is versioned by month, and has enough active items of both kinds", () => {
  assert.match(version, /^\d{4}\.\d{2}$/);
  assert.ok(ofKind("one_time").length >= 28, `${ofKind("one_time").length} one-time items`);
  assert.ok(ofKind("ongoing").length >= 36, `${ofKind("ongoing").length} ongoing items`);
});

test("ids of each kind have no gaps", () => {
  for (const prefix of ["OT", "ON"]) {
    const ids = items.map(({ id }) => id).filter((id) => id.startsWith(prefix));
    assert.deepEqual(
      ids,
      ids.map((_, index) => `${prefix}-${String(index + 1).padStart(2, "0")}`),
    );
  }
});

/** The information that drafts need. */
const FOUNDATIONS = new Set<string | undefined>([
  "brand_voice_saved",
  "profile_facts_saved",
  "social_connections_healthy",
]);

/** The values that active items have for each field. */
const USED: [string, readonly string[], (item: CatalogItem) => readonly string[]][] = [
  ["frequency", Object.keys(FREQUENCIES), ({ frequency }) => [frequency]],
  ["automation", Object.keys(AUTOMATIONS), ({ automation }) => [automation]],
  ["evidence verdict", EVIDENCE_VERDICTS, ({ executor }) => [executor.evidence_verdict]],
  ["person's action", PERSON_ACTIONS, ({ executor }) => [executor.person_action]],
  ["runner", RUNNERS, ({ executor }) => [executor.runner]],
  ["kind of output", OUTPUT_KINDS, ({ accepts_output_kinds }) => accepts_output_kinds],
  [
    "channel with an item of its own",
    ALL_CHANNELS,
    ({ channels }) => (channels.length < ALL_CHANNELS.length ? channels : []),
  ],
];

for (const [name, all, of] of USED) {
  test(`every ${name} is in use`, () => {
    const used = new Set(standing.flatMap(of));
    assert.deepEqual(
      all.filter((one) => !used.has(one)),
      [],
    );
  });
}

test("no two items have the same text in any field", () => {
  for (const field of ["task", "done_when", "why"] as const) {
    const texts = items.map((item) => item[field]?.toLowerCase());
    assert.equal(new Set(texts).size, items.length, field);
  }
});

/** Words of at least three letters. */
const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[a-z]{3,}/g));

test("no two tasks are paraphrases: they share less than half of their words", () => {
  for (const [index, one] of items.entries()) {
    for (const other of items.slice(index + 1)) {
      const [a, b] = [wordsOf(one.task), wordsOf(other.task)];
      const shared = [...a].filter((word) => b.has(word)).length;
      assert.ok(shared / (a.size + b.size - shared) < 0.5, `${one.id} and ${other.id}`);
    }
  }
});

test("every text is a sentence of a readable length with enough content", () => {
  for (const { id, task, done_when, why, executor } of standing) {
    assert.ok(task.length >= 60 && task.length <= 400, `${id} task: ${task.length}`);
    assert.ok(done_when !== null && done_when.length >= 30 && done_when.length <= 220, `${id} done_when`);
    assert.ok(why.length >= 60 && why.length <= 300, `${id} why: ${why.length}`);
    for (const text of [task, done_when, why, ...executor.exceptions]) {
      assert.match(text, /^[A-Z].*[.?]$/s, `${id}: ${text}`);
      assert.doesNotMatch(text, / {2}|TODO|lorem/i, id);
    }
  }
});

test("each source has one name, and each URL one source", () => {
  const addresses = new Map<string, string | undefined>();
  for (const { name, url } of items.flatMap(({ sources }) => sources)) {
    if (addresses.has(name)) assert.equal(addresses.get(name), url, name);
    addresses.set(name, url);
  }
  const given = [...addresses.values()].filter((url) => url !== undefined);
  assert.equal(new Set(given).size, given.length);
});

test("every priority is used once, and dependencies come before the items that need them", () => {
  assert.equal(new Set(items.map(({ executor }) => executor.priority)).size, items.length);
  for (const { id, executor } of standing) {
    for (const other of executor.dependencies) {
      const before = byId.get(other)?.executor.priority ?? Number.POSITIVE_INFINITY;
      assert.ok(before < executor.priority, `${id} comes before ${other}`);
    }
  }
});

test("posts are due only after voice, facts and channels, with which an assistant in a new workspace can begin", () => {
  const posting = standing.filter((item) => item.accepts_output_kinds.includes("social_post"));
  const first = Math.min(...posting.map(({ executor }) => executor.priority));
  const foundations = standing.filter(
    ({ kind, detected_by }) => kind === "one_time" && FOUNDATIONS.has(detected_by?.check),
  );
  assert.equal(foundations.length, FOUNDATIONS.size);
  for (const { id, executor } of foundations) assert.ok(executor.priority < first, id);
  const known = { marks: new Map(), cards: new Map(), days: new Map() };
  const handedIn = dueItems(items, known, "2026-11-20").filter(({ item }) => item.accepts_output_kinds.length > 0);
  assert.equal(handedIn[0]?.item.kind, "one_time");
  assert.ok(handedIn.some(({ item }) => item.detected_by?.check === "brand_voice_saved"));
});

test("some items of both kinds are experimental or replaced, and these come last", () => {
  for (const kind of ["one_time", "ongoing"] as const) {
    const set = items.filter((item) => item.kind === kind && !stands(item));
    assert.ok(set.some(({ executor }) => executor.test_first));
    assert.ok(set.some(({ executor }) => executor.replaced_by !== null));
  }
  const last = Math.max(...standing.map(({ executor }) => executor.priority));
  for (const item of items.filter((one) => !stands(one))) assert.ok(item.executor.priority > last, item.id);
});

test("what the service checks for a channel belongs to that channel", () => {
  for (const { id, channels, detected_by } of items) {
    if (detected_by !== null && "channel" in detected_by && detected_by.channel !== undefined) {
      assert.deepEqual(channels, [detected_by.channel], id);
    }
  }
});
