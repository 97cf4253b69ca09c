import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { layersTable, sharesOf } from "../../bench/layers.ts";

/** Maps the second, fourth and sixth line of a bundle to a source each. */
const MAP = JSON.stringify({
  version: 3,
  sources: [
    "../../../node_modules/zod/index.js",
    "../../../src/store/sqlite/connection.ts",
    "../../../src/core/invoke.ts",
  ],
  names: [],
  mappings: ";AAAA;;ACAA;;ACAA",
});

test("each sample of a profile counts for the layer of its function, and waiting for none", () => {
  const url = pathToFileURL("/build/chunk.js").href;
  const functions: [name: string, url: string, line: number][] = [
    ["(idle)", "", 0],
    ["(garbage collector)", "", 0],
    ["writev", "", 0],
    ["get", "", 0],
    ["runMicrotasks", "", 0],
    ["emit", "node:events", 1],
    ["parse", url, 1],
    ["get", url, 3],
    ["run", url, 5],
    ["get", "file:///app/node_modules/better-sqlite3/lib/methods/wrappers.js", 0],
  ];
  const nodes = functions.map(([functionName, url, lineNumber], id) => ({
    id,
    callFrame: { functionName, url, lineNumber, scriptId: "0", columnNumber: 0 },
  }));
  const samples = nodes.map(({ id }) => id);
  const times = [1_000, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const shares = sharesOf({ nodes, samples, timeDeltas: times, startTime: 0, endTime: 0 }, () => MAP);
  const total = 45;
  assert.deepEqual(shares, {
    "Socket writes": 2 / total,
    SQLite: 19 / total,
    "Node.js": 5 / total,
    Libraries: 6 / total,
    Rostrum: 8 / total,
    "Garbage collection": 1 / total,
    Other: 4 / total,
  });
  const table = layersTable([{ title: "GET", layers: [{ server: "rostrum", cpuMicros: total, shares }] }]);
  assert.match(table, /GET +\| rostrum \| +2\.00 \| +19\.0 \| +5\.00 \| +6\.00 \| +8\.00 \| +1\.00 \| +4\.00 \|/);
});
