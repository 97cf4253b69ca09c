import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newAccount, startLocal, subscribe } from "../support/events.ts";
import { attempted, deliveriesOf, expireNow, requestReconnect, rowsOf, signersOf } from "../support/outbox.ts";
import { type Received, Receiver, type Respond } from "../support/receiver.ts";
import { FakeClock } from "../support/server.ts";
import { until } from "../support/until.ts";

const DAY = 86_400_000;
const terminated = (reason: string) => ({
  type: "terminated",
  error: { code: -32012, message: "Forbidden", data: { reason } },
});
const refused =
  (status: number, headers = {}): Respond =>
  (_, response) =>
    void response.writeHead(status, headers).end("its own words");

/** A subscription of its own key, with a pending event that the endpoint has refused once. */
async function waiting(t: TestContext) {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  const key = await server.operator("create_key", { name: "k", scopes: ["socialnet.read"], expires_in_days: 1 });
  const { result } = await subscribe(server, receiver, { key: key.key, ttlMs: null });
  receiver.respond = refused(500);
  await requestReconnect(server, account);
  await attempted(server, 1);
  return { clock, server, receiver, account, key, id: result.id as string };
}

const ENDS = [
  {
    label: "revoked",
    reason: "revoked_key",
    end: ({ server, key }: Awaited<ReturnType<typeof waiting>>) => server.operator("revoke_key", { key_id: key.id }),
  },
  {
    label: "expired",
    reason: "expired_key",
    end: async ({ clock }: Awaited<ReturnType<typeof waiting>>) => clock.advance(DAY),
  },
] as const;

for (const { label, reason, end } of ENDS) {
  test(`a key that was ${label} ends its subscriptions: one signed final notification, and no resends`, async (t) => {
    const those = await waiting(t);
    const { clock, server, receiver, account, id } = those;
    await end(those);
    await requestReconnect(server, account);
    clock.advance(60_000);
    await expireNow(server, clock);
    const [, word] = await receiver.waitFor(2);
    assert.deepEqual(word?.body, terminated(reason));
    assert.equal(word?.headers["x-mcp-subscription-id"], id);
    assert.match(word?.headers["webhook-id"] as string, /^msg_terminated_[0-9a-f]{32}$/);
    assert.deepEqual(signersOf(word as Received, { own: receiver.secret }), ["own"]);

    await attempted(server, 2);
    await expireNow(server, clock);
    assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
    await requestReconnect(server, account);
    clock.advance(DAY);
    await expireNow(server, clock);
    const [last, first, ...more] = await deliveriesOf(server);
    assert.deepEqual([last.kind, last.status, last.attempts.length], ["terminated", "dead", 1]);
    assert.deepEqual([first.kind, first.status, first.attempts.length], ["event", "dropped", 1]);
    assert.deepEqual([more, receiver.deliveries.length], [[], 2]);
    for (const { id: delivery_id } of [last, first]) {
      const resend = server.operator("resend_delivery", { delivery_id });
      await assert.rejects(resend, { code: "delivery_not_resendable", status: 409 });
    }
  });
}

test("between the end of a key and the reaper's run nothing is sent: no event, no retry, no resend", async (t) => {
  const { clock, server, receiver, account, key } = await waiting(t);
  const [{ id: delivery_id }] = await deliveriesOf(server);
  await server.operator("revoke_key", { key_id: key.id });
  await requestReconnect(server, account);
  clock.advance(60_000);
  await until(async () => (await deliveriesOf(server)).at(-1).status === "dropped");
  await assert.rejects(server.operator("resend_delivery", { delivery_id }), { code: "delivery_not_resendable" });
  const events = receiver.deliveries.filter(({ body }) => body.type === undefined);
  assert.equal(events.length, 1);
});

test("the final notification is sent once, and its response is ignored", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const answers: Respond[] = [
    refused(204),
    refused(410),
    refused(429, { "retry-after": "1" }),
    refused(503, { "retry-after": "1" }),
    refused(302, { location: "http://127.0.0.1:1/" }),
    (_, response) => void response.destroy(),
  ];
  const key = await server.operator("create_key", { name: "k", scopes: ["socialnet.read"] });
  const receivers = await Promise.all(answers.map(() => Receiver.start(t)));
  for (const receiver of receivers) await subscribe(server, receiver, { key: key.key });
  for (const [index, receiver] of receivers.entries()) receiver.respond = answers[index] as Respond;
  await server.operator("revoke_key", { key_id: key.id });
  await expireNow(server, clock);
  await attempted(server, answers.length);
  for (let round = 0; round < 3; round += 1) {
    clock.advance(60 * 60_000);
    await expireNow(server, clock);
  }
  assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
  assert.deepEqual(await deliveriesOf(server, { status: "pending" }), []);
  for (const { deliveries } of receivers) {
    assert.deepEqual(
      deliveries.map(({ body }) => body),
      [terminated("revoked_key")],
    );
  }
});

test("the running server does this automatically, within moments, and only for the key that ended", async (t) => {
  const server = await startLocal(t);
  const [lost, kept] = [await Receiver.start(t), await Receiver.start(t)];
  const account = await newAccount(server);
  const key = await server.operator("create_key", { name: "k", scopes: ["socialnet.read"] });
  await subscribe(server, lost, { key: key.key });
  await subscribe(server, kept);
  await server.operator("create_webhook", { url: kept.url, events: ["socialnet.reconnect.requested"] });
  await server.operator("revoke_key", { key_id: key.id });
  assert.deepEqual((await lost.waitFor(1))[0]?.body, terminated("revoked_key"));
  await until(() => rowsOf(server, "SELECT id FROM subscriptions").length === 2);
  await requestReconnect(server, account);
  await kept.waitFor(2);
  assert.deepEqual([lost.deliveries.length, lost.forged], [1, []]);
});

test("an expired subscription sends nothing when its key ends too", async (t) => {
  const { clock, server, receiver, key } = await waiting(t);
  await subscribe(server, receiver, { key: key.key, ttlMs: 60_000 });
  clock.advance(60_000);
  await server.operator("revoke_key", { key_id: key.id });
  await expireNow(server, clock);
  assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
  assert.deepEqual(await deliveriesOf(server, { status: "pending" }), []);
  assert.equal(receiver.deliveries.length, 1);
});

test("a key that ends while its URL is verified gets no subscription", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  for (const [reason, end] of [
    ["revoked_key", (id: string) => server.operator("revoke_key", { key_id: id })],
    ["expired_key", async () => clock.advance(DAY)],
  ] as const) {
    const receiver = await Receiver.start(t);
    const key = await server.operator("create_key", { name: "k", scopes: ["socialnet.read"], expires_in_days: 1 });
    receiver.challengeAnswer = async ({ body }, response) => {
      await end(key.id);
      response.writeHead(200).end(JSON.stringify(body));
    };
    const { error } = await subscribe(server, receiver, { key: key.key });
    assert.deepEqual([error?.code, error?.data], [-32012, { reason }]);
    await expireNow(server, clock);
    assert.deepEqual([receiver.challenges.length, receiver.deliveries.length], [1, 0]);
  }
  assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
});

test("no attempt begins after a key's revocation was answered, however many events were claimed before", async (t) => {
  const server = await startLocal(t);
  const account = await newAccount(server);
  for (let round = 0; round < 5; round++) {
    const receiver = await Receiver.start(t);
    receiver.respond = (_, response) => void setTimeout(() => response.writeHead(204).end(), 3);
    const key = await server.operator("create_key", { name: "k", scopes: ["socialnet.read"] });
    await subscribe(server, receiver, { key: key.key });
    await Promise.all(Array.from({ length: 30 }, () => requestReconnect(server, account)));
    await until(() => receiver.deliveries.length >= 2);
    await server.operator("revoke_key", { key_id: key.id });
    const revokedAt = Date.now();
    await until(
      () => rowsOf(server, "SELECT 1 FROM deliveries WHERE kind = 'event' AND status = 'pending'").length === 0,
    );
    const late = rowsOf(
      server,
      `SELECT a.at FROM delivery_attempts a JOIN deliveries d ON d.seq = a.delivery_seq
       WHERE d.kind = 'event' AND d.url = '${receiver.url}' AND a.at > ${revokedAt}`,
    );
    assert.deepEqual(late, []);
  }
});
