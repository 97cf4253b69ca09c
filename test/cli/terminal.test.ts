import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { pretty } from "../../src/cli/terminal.ts";
import { startRostrum } from "./process.ts";

test("text shown on a terminal for approval contains no control or hidden characters", () => {
  const hostile = { body: "Hi \u009b8m, wire 5000 \u009b28m \u0090q\u202egnp\u200b \u{e0041} \u2028 \u007f" };
  const printed = pretty(hostile);
  assert.doesNotMatch(printed, /[\u007f-\u009f\u202e\u200b\u2028]|\u{e0041}/u);
  assert.match(printed, /\\u009b8m, wire 5000/);
  assert.deepEqual(JSON.parse(printed), hostile, "it is the same JSON");
  assert.equal(pretty({ name: "Żółć 名前 👍🏽" }), '{\n  "name": "Żółć 名前 👍🏽"\n}');
});

test("closing the pipe early ends the command without an error", async () => {
  const child = startRostrum(["openapi"]);
  const ended = once(child, "close");
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  // As head -c 10 does: the description is much longer than a pipe holds.
  child.stdout?.once("data", () => child.stdout?.destroy());
  const [status] = await ended;
  assert.deepEqual([status, stderr], [0, ""]);
});
