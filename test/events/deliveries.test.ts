import assert from "node:assert/strict";
import { test } from "node:test";
import { RECONNECT } from "../support/events.ts";
import { attempted, deliveriesOf, requestReconnect } from "../support/outbox.ts";
import { withWebhook } from "../support/webhooks.ts";

test("deliveries are listed newest first, optionally by status, each with its attempts", async (t) => {
  const { clock, server, receiver, account, webhook } = await withWebhook(t);
  const at = new Date(clock.now()).toISOString();
  await requestReconnect(server, account);
  await attempted(server, 1);
  const answers = [410, 500];
  receiver.respond = (_, response) => response.writeHead(answers.shift() as number).end();
  await requestReconnect(server, account);
  await attempted(server, 2);
  await requestReconnect(server, account);
  await attempted(server, 3);
  const [pending, givenUp, delivered] = await deliveriesOf(server);
  for (const [delivery, status, last_error, outcome] of [
    [pending, "pending", "http_5xx", "5xx"],
    [givenUp, "given_up", "http_4xx", "4xx"],
    [delivered, "delivered", null, "2xx"],
  ]) {
    const { id, event_id, next_attempt_at, finished_at, attempts, ...rest } = delivery;
    assert.deepEqual(rest, { event: RECONNECT, kind: "event", url: webhook.url, status, last_error, created_at: at });
    assert.deepEqual([next_attempt_at === null, finished_at], status === "pending" ? [false, null] : [true, at]);
    const [{ duration_ms, ...attempt }, ...more] = attempts;
    assert.deepEqual([attempt, more], [{ at, outcome }, []]);
    assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0 && duration_ms < 5_000);
    assert.deepEqual(await deliveriesOf(server, { status }), [delivery]);
    assert.ok(receiver.deliveries.some(({ body }) => body.eventId === event_id));
    assert.notEqual(id, event_id);
  }
  assert.deepEqual(await deliveriesOf(server, { limit: 1, offset: 1 }), [givenUp]);
  for (const status of ["dead", "dropped"]) assert.deepEqual(await deliveriesOf(server, { status }), []);
  await assert.rejects(deliveriesOf(server, { status: "lost" }), { code: "validation_failed" });
});

test("a resent delivery has the same id and bytes and six new attempts; a pending one is left alone", async (t) => {
  const { clock, server, receiver, account, resend } = await withWebhook(t);
  receiver.respond = (_, response) => response.writeHead(500).end();
  await requestReconnect(server, account);
  await attempted(server, 1);
  const [waiting] = await deliveriesOf(server);
  assert.deepEqual(await resend(waiting.id), waiting);
  const fail = async (attempt: number) => {
    const [{ next_attempt_at }] = await deliveriesOf(server);
    clock.advance(Date.parse(next_attempt_at) - clock.now());
    await attempted(server, attempt);
  };
  for (const attempt of [2, 3, 4, 5, 6]) await fail(attempt);
  const [dead] = await deliveriesOf(server);
  assert.deepEqual([dead.status, dead.attempts.length], ["dead", 6]);
  assert.equal((await resend(dead.id)).status, "pending");
  for (const attempt of [7, 8, 9, 10, 11, 12]) await fail(attempt);
  assert.equal((await deliveriesOf(server))[0].status, "dead");
  assert.equal((await deliveriesOf(server))[0].attempts.length, 12);
  receiver.respond = (_, response) => response.writeHead(204).end();
  await resend(dead.id);
  const all = await receiver.waitFor(13);
  assert.equal(new Set(all.map(({ text }) => text)).size, 1);
  assert.deepEqual(new Set(all.map(({ headers }) => headers["webhook-id"])), new Set([dead.event_id]));
  await attempted(server, 13);
  await resend(dead.id);
  assert.equal((await receiver.waitFor(14)).length, 14, "what was delivered can be sent again too");
});
