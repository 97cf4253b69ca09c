import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nodeEnv, nodeFlags, ROOT } from "../support/program.ts";

test("every way to start the server has the environment and the Node options of the program's first line", () => {
  const flags = nodeFlags();
  const env = Object.entries(nodeEnv()).map(([name, value]) => `${name}=${value}`);
  assert.ok(flags.length > 0 && env.length > 0);
  for (const file of ["bin/rostrum", "deploy/Dockerfile", "deploy/rostrum.service", "docs/install.md"]) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const words = text.split(/[\s",]+/);
    const first = words.indexOf(flags[0] as string);
    assert.deepEqual(words.slice(first, first + flags.length), flags, file);
    assert.doesNotMatch(words[first + flags.length] as string, /^--/, `${file} has one more`);
    // Before 5.1, Linux reads no more of a first line.
    assert.ok(!words[0]?.startsWith("#!") || text.indexOf("\n") <= 127, file);
    const firstSet = words.indexOf(env[0] as string);
    assert.deepEqual(words.slice(firstSet, firstSet + env.length), env, file);
  }
});
