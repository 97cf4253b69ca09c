import assert from "node:assert/strict";
import { test } from "node:test";
import { chart, niceAbove, short } from "../../bench/growth/chart.ts";
import {
  type GrowthRow,
  growthTable,
  panelsOf,
  pointsOf,
  reasonsTable,
  type Scale,
} from "../../bench/growth/report.ts";

const scale: Scale = {
  base: { contacts: 100, workspaces: 1, connections: 50 },
  values: { contacts: [10, 100, 1_000], workspaces: [1, 10], connections: [1, 50] },
};

const rows: GrowthRow[] = pointsOf(scale).flatMap((point) =>
  (["SQLite", "PostgreSQL"] as const).map((engine, i) => ({
    ...point,
    name: "get",
    engine,
    perSecond: 1_000,
    p99Ms: 5,
    cpuMicros: (i + 1) * (100 + point.contacts / 10),
  })),
);

test("every value is measured once, with the other dimensions at the base", () => {
  const points = pointsOf(scale).map(({ contacts, workspaces, connections }) => [contacts, workspaces, connections]);
  assert.deepEqual(points, [
    [10, 1, 50],
    [100, 1, 1],
    [100, 1, 50],
    [100, 10, 50],
    [1_000, 1, 50],
  ]);
});

test("a table shows one figure along one dimension", () => {
  const [head, , sqlite, postgres] = growthTable(rows, scale, "contacts", "cpuMicros").split("\n");
  assert.match(head ?? "", /CPU µs per request by contacts +\| Engine +\| +10 \| +100 \| +1,000 \|/);
  assert.match(sqlite ?? "", /GET one contact +\| SQLite +\| +101 \| +110 \| +200 \|/);
  assert.match(postgres ?? "", /\| PostgreSQL \| +202 \| +220 \| +400 \|/);
});

test("the reasons stand beside how much each case grows", () => {
  const table = reasonsTable(rows, scale);
  assert.match(table, /1,000 contacts, compared with 10:/);
  assert.match(table, /GET one contact \| × 1\.98 \| × 1\.98 +\| An index/);
});

test("a chart has a line and marks for each engine in each panel, and colors for light and dark pages", () => {
  const svg = chart("A <case>", "CPU µs", panelsOf(rows, scale, "get"));
  assert.equal(svg.match(/<polyline/g)?.length, 6);
  assert.equal(svg.match(/<circle/g)?.length, 2 * (3 + 2 + 2));
  assert.match(svg, /A &lt;case&gt;/);
  assert.match(svg, /prefers-color-scheme: dark/);
  assert.doesNotMatch(svg, /NaN|undefined/);
  const heights = [...svg.matchAll(/cy="([\d.]+)"/g)].map(([, y]) => Number(y));
  assert.ok(Math.min(...heights) >= 64 && Math.max(...heights) <= 280, "the marks are inside the chart");
});

test("the scale of a chart ends at a round number above all values", () => {
  assert.deepEqual([0.9, 1, 3, 41, 81, 420, 1_001].map(niceAbove), [1, 1, 4, 80, 100, 800, 2_000]);
  assert.deepEqual([1, 200, 10_000, 3_000_000].map(short), ["1", "200", "10k", "3M"]);
});
