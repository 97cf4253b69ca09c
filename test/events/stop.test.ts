import assert from "node:assert/strict";
import { test } from "node:test";
import { requestReconnect, rowsOf } from "../support/outbox.ts";
import { withWebhook } from "../support/webhooks.ts";

const SLOW_MS = 3_000;
/** A process that stops for longer ends before it is done. */
const STOP_MS = 7_500;

test("a stop waits for a slow endpoint and records its response, so that nothing is sent twice", async (t) => {
  const { server, receiver, account } = await withWebhook(t);
  receiver.respond = (_, response) => void setTimeout(() => response.writeHead(204).end(), SLOW_MS);
  await requestReconnect(server, account);
  await receiver.waitFor(1);
  await server.running.close();
  assert.deepEqual(rowsOf(server, "SELECT status, attempts FROM deliveries"), [{ status: "delivered", attempts: 1 }]);
  assert.deepEqual(rowsOf(server, "SELECT outcome FROM delivery_attempts"), [{ outcome: "2xx" }]);
});

test("a stop gives deliveries back whose endpoint hangs, before the process would end", async (t) => {
  const { server, receiver, account } = await withWebhook(t);
  receiver.respond = () => undefined;
  await requestReconnect(server, account);
  await receiver.waitFor(1);
  const began = performance.now();
  await server.running.close();
  assert.ok(performance.now() - began < STOP_MS);
  assert.deepEqual(rowsOf(server, "SELECT status, attempts, lease FROM deliveries"), [
    { status: "pending", attempts: 0, lease: null },
  ]);
});
