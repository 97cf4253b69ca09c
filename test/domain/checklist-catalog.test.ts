import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { useErrorMessages } from "../../src/core/error-messages.ts";
import { type Catalog, type CatalogFault, parseCatalog } from "../../src/domain/checklist/catalog.ts";
import { platformsLabel } from "../../src/domain/checklist/channel.ts";
import { acceptedOutputKinds, CHECKS, canRecordEvidence } from "../../src/domain/checklist/item.ts";
import { DRAFTED, DRAFTED_BY, type RawItem, rawCatalog, rawItem } from "../support/catalog.ts";

useErrorMessages();

function faultsOf(data: unknown): string[] {
  const read = parseCatalog(data);
  if (!("faults" in read)) return [];
  return read.faults.map(({ path, item, message }: CatalogFault) => `${item} ${path.join(".")}: ${message}`);
}

function sound(...items: RawItem[]): Catalog {
  const read = parseCatalog(rawCatalog(...items));
  assert.ok("catalog" in read, JSON.stringify(read));
  return read.catalog;
}

const waits = (id: string, ...dependencies: string[]) => rawItem(id, {}, { dependencies });

test("a valid catalog is read with defaults filled in and its items ordered by id", () => {
  const { version, items } = sound(rawItem("OT-02"), rawItem("ON-01"), rawItem("OT-01"));
  assert.equal(version, "2026.11");
  assert.deepEqual(
    items.map(({ id, kind }) => [id, kind]),
    [
      ["ON-01", "ongoing"],
      ["OT-01", "one_time"],
      ["OT-02", "one_time"],
    ],
  );
  const [item] = items;
  assert.equal(item?.channels.length, 10);
  assert.equal(item?.detected_by, null);
  assert.deepEqual(item?.accepts_output_kinds, []);
  const { exceptions, dependencies, test_first, replaced_by } = item?.executor ?? {};
  assert.deepEqual([exceptions, dependencies, test_first, replaced_by], [[], [], false, null]);
});

test("channels are shown by name, in their listed order", () => {
  const [item] = sound(rawItem("OT-01", { channels: ["x", "blog", "x"] })).items;
  assert.deepEqual(item?.channels, ["blog", "x"]);
  assert.equal(platformsLabel(item?.channels ?? []), "Blog, X");
  assert.equal(platformsLabel([]), "No specific channel");
  assert.equal(platformsLabel(sound(rawItem("OT-01")).items[0]?.channels ?? []), "All channels");
});

test("a missing required field is reported by its name and its item", () => {
  const whole = rawItem("OT-01");
  const outer = Object.keys(whole).filter((field) => field !== "executor" && field !== "id");
  for (const field of [...outer, "executor"]) {
    const { [field]: _, ...rest } = whole;
    const [fault = ""] = faultsOf({ version: "1", items: [rest] });
    assert.ok(/^: (is|must)/.test(fault.replace(`OT-01 items.0.${field}`, "")), `${field}: ${fault}`);
  }
  for (const field of Object.keys(whole.executor)) {
    const { [field]: _, ...executor } = whole.executor;
    assert.deepEqual(faultsOf(rawCatalog({ ...whole, executor })), [`OT-01 items.0.executor.${field}: is required`]);
  }
});

/** A change to a catalog of two valid items, and the only error found. */
const REFUSED: [string, unknown, string][] = [
  ["no catalog at all", null, "null : must be an object"],
  ["no version", { items: [rawItem("OT-01")] }, 'null version: must be text in quotes, such as "2026.11"'],
  [
    "a version that is read as a number",
    { version: 2026.11, items: [rawItem("OT-01")] },
    'null version: must be text in quotes, such as "2026.11"',
  ],
  ["no items", { version: "1", items: [] }, "null items: must have at least one entry"],
  ["an id of another form", rawCatalog(rawItem("OT-1")), "OT-1 items.0.id: must be an id such as OT-01 or ON-01"],
  [
    "an unknown field",
    rawCatalog(rawItem("OT-01", { owner: "us" })),
    "OT-01 items.0.owner: is not a known field. Remove it",
  ],
  [
    "an unknown field of the executor",
    rawCatalog(rawItem("OT-01", {}, { test_frist: true })),
    "OT-01 items.0.executor.test_frist: is not a known field. Remove it",
  ],
  ["an empty text", rawCatalog(rawItem("OT-01", { task: "  " })), "OT-01 items.0.task: can't be empty"],
  ["no source", rawCatalog(rawItem("OT-01", { sources: [] })), "OT-01 items.0.sources: must have at least one entry"],
  [
    "a source's address that is none",
    rawCatalog(rawItem("OT-01", { sources: [{ name: "W3C", url: "www.w3.org" }] })),
    "OT-01 items.0.sources.0.url: must be an https URL",
  ],
  [
    "an unknown channel",
    rawCatalog(rawItem("OT-01", { channels: ["fax"] })),
    'OT-01 items.0.channels: must be "all" or a list of blog, socialnet, x, facebook, instagram, threads, bluesky, tiktok, youtube, pinterest',
  ],
  [
    "a priority of zero",
    rawCatalog(rawItem("OT-01", {}, { priority: 0 })),
    "OT-01 items.0.executor.priority: must be 1 or more",
  ],
  [
    "an unknown check",
    rawCatalog(rawItem("OT-01", { detected_by: { check: "weather" } })),
    `OT-01 items.0.detected_by.check: must be one of ${CHECKS.map(({ shape }) => shape.check.value).join(", ")}`,
  ],
  [
    "a check without what it takes",
    rawCatalog(rawItem("OT-01", { detected_by: { check: "keys_in_use" } })),
    "OT-01 items.0.detected_by.days: is required",
  ],
  [
    "an id twice",
    rawCatalog(rawItem("OT-01"), rawItem("OT-01")),
    "OT-01 items.1.id: OT-01 is already used by an earlier item",
  ],
  [
    "a one-time item that recurs",
    rawCatalog(rawItem("OT-01", { frequency: "weekly" })),
    "OT-01 items.0.frequency: must be once for a one-time item (OT)",
  ],
  [
    "an ongoing item that is done once",
    rawCatalog(rawItem("ON-01", { frequency: "once" })),
    "ON-01 items.0.frequency: can't be once for a recurring item (ON)",
  ],
  [
    "an unknown dependency",
    rawCatalog(waits("OT-01", "OT-09")),
    "OT-01 items.0.executor.dependencies.0: there is no item OT-09",
  ],
  [
    "a dependency twice",
    rawCatalog(rawItem("OT-01"), waits("OT-02", "OT-01", "OT-01")),
    "OT-02 items.1.executor.dependencies.1: OT-01 is listed twice. Remove one",
  ],
  [
    "an item that waits for itself",
    rawCatalog(waits("OT-01", "OT-01")),
    "OT-01 items.0.executor.dependencies: these items depend on each other: OT-01 → OT-01",
  ],
  [
    "a cycle",
    rawCatalog(waits("OT-03", "OT-01"), waits("OT-01", "OT-02"), waits("OT-02", "OT-03")),
    "OT-01 items.1.executor.dependencies: these items depend on each other: OT-01 → OT-02 → OT-03 → OT-01",
  ],
  [
    "a one-time item that waits for an ongoing one",
    rawCatalog(rawItem("ON-01"), waits("OT-01", "ON-01")),
    "OT-01 items.1.executor.dependencies.0: ON-01 is recurring and never completes. Remove it",
  ],
  [
    "an item that waits for a replaced one",
    rawCatalog(rawItem("OT-01", {}, { replaced_by: "OT-02" }), rawItem("OT-02"), waits("OT-03", "OT-01")),
    "OT-03 items.2.executor.dependencies.0: OT-01 is replaced and never completes. Name OT-02 instead",
  ],
  [
    "an item that waits for one to be tested first",
    rawCatalog(rawItem("OT-01", {}, { test_first: true }), waits("OT-02", "OT-01")),
    "OT-02 items.1.executor.dependencies.0: OT-01 is experimental and never due. Remove it",
  ],
  [
    "a replacement that is not there",
    rawCatalog(rawItem("OT-01", {}, { replaced_by: "OT-02" })),
    "OT-01 items.0.executor.replaced_by: there is no item OT-02",
  ],
  [
    "an item that replaces itself",
    rawCatalog(rawItem("OT-01", {}, { replaced_by: "OT-01" })),
    "OT-01 items.0.executor.replaced_by: an item can't replace itself. Name another item",
  ],
  [
    "a replacement of another kind",
    rawCatalog(rawItem("OT-01", {}, { replaced_by: "ON-01" }), rawItem("ON-01")),
    "OT-01 items.0.executor.replaced_by: ON-01 is recurring. Name a one-time item (OT)",
  ],
  [
    "a chain of replacements",
    rawCatalog(
      rawItem("OT-01", {}, { replaced_by: "OT-02" }),
      rawItem("OT-02", {}, { replaced_by: "OT-03" }),
      rawItem("OT-03"),
    ),
    "OT-01 items.0.executor.replaced_by: OT-02 is replaced too. Name OT-03 instead",
  ],
  [
    "a replaced item that is to be tested",
    rawCatalog(rawItem("OT-01", {}, { replaced_by: "OT-02", test_first: true }), rawItem("OT-02")),
    "OT-01 items.0.executor.replaced_by: a replaced item can't have test_first. Remove it",
  ],
  [
    "a draft to be approved that takes no outputs",
    rawCatalog(rawItem("OT-01", { ...DRAFTED, accepts_output_kinds: [] }, DRAFTED_BY)),
    "OT-01 items.0.accepts_output_kinds: must include social_post or document if evidence_verdict is output",
  ],
  [
    "a kind of output twice",
    rawCatalog(rawItem("OT-01", { ...DRAFTED, accepts_output_kinds: ["document", "document"] }, DRAFTED_BY)),
    "OT-01 items.0.accepts_output_kinds: can't name a kind twice",
  ],
  [
    "an observation that takes outputs",
    rawCatalog(rawItem("OT-01", { accepts_output_kinds: ["document"] }, { evidence_verdict: "observation" })),
    "OT-01 items.0.accepts_output_kinds: must be empty unless evidence_verdict is output",
  ],
  [
    "a verdict of the service without a check",
    rawCatalog(rawItem("OT-01", {}, { evidence_verdict: "service" })),
    "OT-01 items.0.detected_by: is required if evidence_verdict is service",
  ],
  [
    "an automation that leaves the person another part",
    rawCatalog(rawItem("OT-01", {}, { person_action: "none" })),
    "OT-01 items.0.executor.person_action: must be do if automation is human_only",
  ],
  [
    "an automation that has another runner",
    rawCatalog(rawItem("OT-01", {}, { runner: "assistant", evidence_verdict: "observation" })),
    "OT-01 items.0.executor.runner: must be person if automation is human_only",
  ],
  [
    "a verdict that the runner cannot give",
    rawCatalog(
      rawItem(
        "OT-01",
        { automation: "auto" },
        { person_action: "none", runner: "service", evidence_verdict: "person" },
      ),
    ),
    "OT-01 items.0.executor.evidence_verdict: can't be person if the runner is service",
  ],
  [
    "an output where nobody approves",
    rawCatalog(
      rawItem(
        "OT-01",
        { automation: "auto", accepts_output_kinds: ["document"] },
        { person_action: "none", runner: "assistant", evidence_verdict: "output" },
      ),
    ),
    "OT-01 items.0.executor.evidence_verdict: can't be output unless person_action is approve_change_deny",
  ],
];

for (const [name, data, fault] of REFUSED) {
  test(`${name} is the only error, with its position and the fix`, () => {
    assert.deepEqual(faultsOf(data), [fault]);
  });
}

test("all errors are reported at once, in the order of the data", () => {
  const faults = faultsOf(
    rawCatalog(
      waits("OT-01", "OT-77"),
      rawItem("OT-02", { frequency: "daily" }, { replaced_by: "OT-78" }),
      waits("ON-01", "OT-79"),
    ),
  );
  assert.deepEqual(
    faults.map((fault) => fault.split(" ")[0]),
    ["OT-01", "OT-02", "OT-02", "ON-01"],
  );
});

test("a replaced item accepts neither evidence nor outputs, whatever it accepted before", () => {
  const seen = rawItem("OT-01", {}, { evidence_verdict: "observation" });
  const drafted = rawItem("OT-02", DRAFTED, DRAFTED_BY);
  const standing = sound(seen, drafted).items;
  assert.deepEqual(standing.map(canRecordEvidence), [true, false]);
  assert.deepEqual(standing.map(acceptedOutputKinds), [[], ["document"]]);
  for (const item of [seen, drafted]) item.executor.replaced_by = "OT-03";
  const replaced = sound(seen, drafted, rawItem("OT-03")).items;
  assert.deepEqual(replaced.map(canRecordEvidence), [false, false, false]);
  assert.deepEqual(replaced.map(acceptedOutputKinds), [[], [], []]);
});

const idOf = (index: number) => `OT-${String(index).padStart(2, "0")}`;

/** Dependencies among a few items, each as a pair of positions. */
const graphs = fc.integer({ min: 1, max: 12 }).chain((size) => {
  const place = fc.nat({ max: size - 1 });
  return fc.record({
    size: fc.constant(size),
    edges: fc.uniqueArray(fc.tuple(place, place), { maxLength: 24, selector: ([a, b]) => `${a}>${b}` }),
  });
});

/** Kahn's algorithm: what is left after repeatedly removing items that wait for nothing lies on or behind a cycle. */
function hasCycle(size: number, edges: readonly (readonly [number, number])[]): boolean {
  let left = new Set(Array.from({ length: size }, (_, index) => index));
  for (;;) {
    const rest = new Set([...left].filter((index) => edges.some(([from, to]) => from === index && left.has(to))));
    if (rest.size === left.size) return rest.size > 0;
    left = rest;
  }
}

test("a dependency graph is refused exactly if it has a cycle, and each cycle named is one", () => {
  fc.assert(
    fc.property(graphs, ({ size, edges }) => {
      const items = Array.from({ length: size }, (_, index) =>
        waits(idOf(index), ...edges.filter(([from]) => from === index).map(([, to]) => idOf(to))),
      );
      const faults = faultsOf(rawCatalog(...items));
      assert.equal(faults.length > 0, hasCycle(size, edges));
      for (const fault of faults) {
        const [, walk = ""] = /depend on each other: (.*)$/.exec(fault) ?? [];
        const steps = walk.split(" → ");
        assert.ok(steps.length >= 2 && steps[0] === steps.at(-1), fault);
        for (const [index, from] of steps.slice(0, -1).entries()) {
          assert.ok(
            edges.some(([a, b]) => idOf(a) === from && idOf(b) === steps[index + 1]),
            fault,
          );
        }
      }
    }),
  );
});

test("no input makes validation throw", () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (data, item) => {
      assert.ok("faults" in parseCatalog(data));
      assert.ok("faults" in parseCatalog({ version: "1", items: [item] }));
    }),
  );
});
