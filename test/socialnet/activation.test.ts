import assert from "node:assert/strict";
import { test } from "node:test";
import { UNKNOWN } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

test("a server that does not execute says so first, even to a key without an account", async (t) => {
  const command = { claim: { actionId: UNKNOWN }, start: { actionId: UNKNOWN, leaseToken: UNKNOWN } };
  for (const [env, reason] of [
    [{}, "execution_not_activated"],
    [{ ROSTRUM_SOCIALNET_EXECUTION: "on" }, "unbound_agent"],
  ] as const) {
    const server = await startServer(t, { env });
    for (const [name, input] of Object.entries(command)) {
      const { status, body } = await server.rest("POST", "/socialnet/actions", { body: { command: name, ...input } });
      assert.deepEqual([status, (body as any).reason], [409, reason], name);
    }
  }
});
