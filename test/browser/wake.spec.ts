import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pino from "pino";
import { Rostrum } from "../../examples/browser-agent/rostrum.ts";
import { Alarm, Subscriptions, startReceiver } from "../../examples/browser-agent/wake.ts";
import { newAccount, RECONNECT, startLocal } from "../support/events.ts";
import { post } from "../support/mcp.ts";
import { newSecret, requestReconnect, rowsOf } from "../support/outbox.ts";

const log = pino({ level: "silent" });
const FAR = Date.now() + 3_600_000;
const never = new AbortController().signal;

async function subscribed(t: TestContext) {
  const server = await startLocal(t);
  const account = await newAccount(server);
  const { id, key } = await server.operator("create_key", {
    name: "agent",
    scopes: ["socialnet.read", "socialnet.execute"],
    socialnet_account_id: account.id,
  });
  const alarm = new Alarm();
  const receiver = await startReceiver({ port: 0, alarm, log });
  const rostrum = await Rostrum.connect({ url: server.mcpUrl.href, key });
  t.after(async () => {
    await rostrum.close();
    await receiver.close();
  });
  const subscriptions = new Subscriptions(rostrum, receiver, log);
  await subscriptions.keep([RECONNECT]);
  return { server, account, keyId: id, alarm, receiver, subscriptions };
}

test("the agent's receiver passes the challenge, and a real event wakes the agent", async (t) => {
  const { server, account, alarm, subscriptions } = await subscribed(t);
  const waiting = alarm.wait(FAR, never);
  await requestReconnect(server, account);
  await waiting;
  assert.ok(subscriptions.renewAt > Date.now() && subscriptions.renewAt < Date.now() + 86_400_000 / 2 + 60_000);
});

test("a subscription is renewed halfway through its lifetime, and removed when the agent ends", async (t) => {
  const { server, subscriptions } = await subscribed(t);
  const rows = () => rowsOf(server, "SELECT * FROM subscriptions");
  const [before] = rows();
  await subscriptions.keep([RECONNECT]);
  assert.deepEqual(rows(), [before], "not yet");
  t.mock.timers.enable({ apis: ["Date"], now: subscriptions.renewAt + 1 });
  await subscriptions.keep([RECONNECT]);
  t.mock.timers.reset();
  const [renewed] = rows();
  assert.equal(renewed.id, before.id);
  assert.ok(renewed.expires_at > before.expires_at);
  await subscriptions.end();
  assert.deepEqual(rows(), []);
});

test("the final notification for a revoked key wakes the agent too, so that it finds out", async (t) => {
  const { server, keyId, alarm } = await subscribed(t);
  const waiting = alarm.wait(FAR, never);
  await server.operator("revoke_key", { key_id: keyId });
  await waiting;
});

test("without an event to subscribe to, the agent follows its schedule", async (t) => {
  const { subscriptions } = await subscribed(t);
  await subscriptions.keep(["no.such.event"]);
  assert.ok(Number.isFinite(subscriptions.renewAt), "of the one that there is");
});

test("a caller without the secret wakes no agent and gets no challenge response", async (t) => {
  const { server, account, alarm, receiver } = await subscribed(t);
  let woken = false;
  const waiting = alarm.wait(FAR, never).then(() => {
    woken = true;
  });
  for (const body of [
    JSON.stringify({ eventId: "1", name: RECONNECT, data: {} }),
    JSON.stringify({ type: "verification", challenge: "x" }),
    "nonsense",
    "x".repeat(300_000),
  ]) {
    const answer = await fetch(receiver.url, { method: "POST", body }).catch(() => ({
      status: 401,
      text: async () => "",
    }));
    assert.deepEqual([answer.status, await answer.text()], [401, ""]);
  }
  const stranger = { name: RECONNECT, delivery: { mode: "webhook", url: receiver.url, secret: newSecret() } };
  const { body } = await post(server, "2025-11-25", "events/subscribe", stranger);
  assert.equal(body.error.data.reason, "http_4xx");
  assert.equal(woken, false);
  await requestReconnect(server, account);
  await waiting;
});

test("a signal without a waiter wakes the next one once; a timeout or a stop also ends a wait", async () => {
  const alarm = new Alarm();
  alarm.ring();
  alarm.ring();
  await alarm.wait(FAR, never);
  const stop = new AbortController();
  const waiting = alarm.wait(FAR, stop.signal);
  stop.abort();
  await waiting;
  await alarm.wait(Date.now() - 1, never);
});
