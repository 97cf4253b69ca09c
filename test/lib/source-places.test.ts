import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inSources } from "../../scripts/source-places.ts";
import { ROOT } from "../support/program.ts";

test("a stack of compiled code names the lines of the sources, and other places stay", () => {
  const failed = new Error("Here.");
  const [, first = ""] = inSources(failed.stack ?? "").split("\n");
  const [, line = ""] = /\/test\/lib\/source-places\.test\.ts:(\d+):\d+\)?$/.exec(first) ?? [];
  const source = readFileSync(`${ROOT}test/lib/source-places.test.ts`, "utf8").split("\n");
  assert.match(source[Number(line) - 1] ?? "", /new Error\("Here\."\)/, first);
  const elsewhere = "at run (node:internal/test:1:2)\nat go (/srv/other.js:3:4)";
  assert.equal(inSources(elsewhere), elsewhere);
});
