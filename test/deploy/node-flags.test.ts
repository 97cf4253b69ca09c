import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nodeFlags, ROOT } from "../support/program.ts";

test("every way to start the server has the Node options of the program's first line", () => {
  const flags = nodeFlags();
  assert.ok(flags.length > 0);
  for (const file of [
    "bin/rostrum",
    "package.json",
    "deploy/Dockerfile",
    "deploy/rostrum.service",
    "docs/install.md",
  ]) {
    const words = readFileSync(join(ROOT, file), "utf8").split(/[\s",]+/);
    const first = words.indexOf(flags[0] as string);
    assert.deepEqual(words.slice(first, first + flags.length), flags, file);
    assert.doesNotMatch(words[first + flags.length] as string, /^--/, `${file} has one more`);
  }
});
