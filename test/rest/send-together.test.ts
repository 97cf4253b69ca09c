import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sendTogether } from "../../src/http/send-together.ts";

function responses(count: number) {
  const events: string[] = [];
  const all = Array.from({ length: count }, (_, at) => ({ destroy: () => events.push(`destroyed ${at}`) }));
  const send = (at: number, action = () => void events.push(`sent ${at}`)) =>
    sendTogether(all[at] as unknown as ServerResponse, action);
  return { events, send };
}

test("answers of one turn are sent at its end, in their order", async () => {
  const { events, send } = responses(2);
  send(0);
  assert.deepEqual(events, []);
  send(1);
  await nextTurn();
  assert.deepEqual(events, ["sent 0", "sent 1"]);
});

test("an answer that can't be sent ends its own connection only", async () => {
  const { events, send } = responses(3);
  send(0);
  send(1, () => {
    throw new Error("invalid header");
  });
  send(2);
  await nextTurn();
  assert.deepEqual(events, ["sent 0", "destroyed 1", "sent 2"]);
});

test("answers are sent at once when the first of them has waited for more than a millisecond", async () => {
  const { events, send } = responses(3);
  send(0);
  const until = performance.now() + 2;
  while (performance.now() < until);
  send(1);
  assert.deepEqual(events, ["sent 0", "sent 1"]);
  send(2);
  await nextTurn();
  assert.deepEqual(events, ["sent 0", "sent 1", "sent 2"]);
});
