import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { CLIENT_COMMANDS, CLIENT_STEPS } from "../../src/domain/access/client-commands.ts";

const URL_ = "https://[::1]:8787/api/v1/mcp";
const KEY = `ros_live_${"aB3_-".repeat(8)}abc`;
const ENTRY = "rostrum-anna";

/** What a shell passes to the client, one argument per line, and then the key in its environment. */
function argumentsOf(command: string, variable: string): string[] {
  const program = `${command.split(" && ").at(-1)?.split(" ")[0]}`;
  const script = `${program}() { printf '%s\\n' "$@"; printenv ${variable} || true; }\n${command}`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split("\n");
}

for (const { name, command, variable } of CLIENT_COMMANDS) {
  test(`the command for ${name} is one line with the URL and the key`, () => {
    const line = command(URL_, KEY, ENTRY);
    assert.doesNotMatch(line, /\n/);
    const given = argumentsOf(line, variable?.(ENTRY) ?? "NO_SUCH_VARIABLE");
    assert.deepEqual(given.slice(0, 3), ["mcp", "add", ENTRY]);
    assert.ok(given.includes(URL_), line);
    assert.ok(given.at(-1)?.endsWith(KEY), line);
    assert.match(command(URL_, KEY), / rostrum /);
  });
}

test("settings to paste are JSON with the URL and the key", () => {
  for (const { settings } of CLIENT_STEPS) {
    if (settings === undefined) continue;
    const entry = Object.values(JSON.parse(settings(URL_, KEY, ENTRY)) as Record<string, Record<string, object>>)[0];
    assert.deepEqual(Object.keys(entry ?? {}), [ENTRY]);
    assert.match(JSON.stringify(entry), new RegExp(`Bearer ${KEY}`));
  }
});
