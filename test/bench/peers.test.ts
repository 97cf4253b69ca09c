import assert from "node:assert/strict";
import { test } from "node:test";
import type { Round } from "../../bench/measure.ts";
import { problemOf } from "../../bench/peers/check.ts";
import {
  descriptionsTable,
  type PeerCase,
  peersDoubts,
  peersTable,
  peersVerdicts,
  rowsOf,
} from "../../bench/peers/report.ts";

const contenders = ["rostrum", "Directus, schema cached"].map((name) => ({ name, child: {} as never, next: () => "" }));

const round = (perSecond: number): Round => ({
  perSecond,
  p50Ms: 1,
  p99Ms: 2,
  cpuMicros: 100,
  databaseMicros: 0,
  allocated: 0,
  generator: 0.5,
  foreign: 0,
});

const measured = (theirs: readonly number[]): PeerCase[] => {
  const taken = new Map([
    ["rostrum", [round(1_200), round(1_000), round(1_300)]],
    ["Directus, schema cached", theirs.map(round)],
  ]);
  return [
    { product: "directus", title: "GET one contact", question: "get", rows: rowsOf(contenders, [500, 400], taken) },
  ];
};

test("a peer's ratio is the median of its rounds, beside the lowest and the highest", () => {
  const table = peersTable(measured([100, 50, 100]));
  const [, , own, other] = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  assert.deepEqual(own?.slice(1, 4), ["GET one contact", "rostrum", "1,200"]);
  assert.deepEqual(own?.slice(8, 11), ["", "", ""], "Rostrum isn't compared with itself");
  assert.deepEqual(other?.slice(1, 4), ["", "Directus, schema cached", "100"]);
  assert.deepEqual(other?.slice(8, 11), ["13.0", "12.0–20.0", "1.00"]);
});

test("a target is met by the median of the ratios", () => {
  const [met] = peersVerdicts(measured([100, 50, 100]));
  assert.deepEqual([met?.found, met?.target, met?.met], ["13.0 × Directus, schema cached", "at least 12.0", true]);
  const [missed] = peersVerdicts(measured([200, 200, 200]));
  assert.equal(missed?.met, false);
});

test("other programs and a busy generator make a measurement doubtful", () => {
  const [quiet] = measured([100]) as [PeerCase];
  assert.deepEqual(peersDoubts([quiet]), []);
  const rows = quiet.rows.map((row) => ({ ...row, foreign: 0.4, generator: 0.95 }));
  assert.equal(peersDoubts([{ ...quiet, rows }]).length, 4);
});

test("every product's version and settings are in the table of products", () => {
  const description = { product: "Directus", version: "1.2.3", node: "22", command: "`start`", differs: "Nothing." };
  assert.match(descriptionsTable([description]), /\| Directus \| `1\.2\.3` +\| `22` +\| `start` +\| Nothing\./);
});

test("an answer is checked for what was asked, in the shape of each product", () => {
  const contact = { id: "1", email: "ada@example.com" };
  const page = Array.from({ length: 25 }, () => contact);
  assert.equal(problemOf("get", { data: contact }, 90), undefined);
  assert.equal(problemOf("get", { data: {} }, 90), "no contact");
  assert.equal(problemOf("list", { data: page, meta: { total: 90 } }, 90), undefined);
  assert.equal(problemOf("list", { data: page, meta: { total_count: 100 } }, 90), undefined);
  assert.equal(problemOf("list", { data: page, meta: { pagination: { total: 100 } } }, 90), undefined);
  assert.equal(problemOf("list", { data: page, meta: { total: 3 } }, 90), "a total of 3, not 90");
  assert.equal(problemOf("list", { data: [], meta: { total: 90 } }, 90), "no page of 25 contacts");
  const called = { content: [{ type: "text", text: JSON.stringify(contact) }] };
  assert.equal(problemOf("call", { result: called }, 90), undefined);
  assert.equal(problemOf("call", { result: { ...called, isError: true } }, 90), "no contact");
  assert.equal(problemOf("tools", { result: { tools: [] } }, 90), undefined);
  assert.equal(problemOf("tools", { error: {} }, 90), "no tools");
});
