import assert from "node:assert/strict";
import { test } from "node:test";
import { newAccount, startLocal, subscribe } from "../support/events.ts";
import { attempted, deliveriesOf, expireNow, newSecret, requestReconnect, rowsOf } from "../support/outbox.ts";
import { Receiver, type Respond } from "../support/receiver.ts";
import { FakeClock } from "../support/server.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** The requested lifetime, and the granted one. */
const LIFETIMES: readonly [ttlMs: number | null | undefined, ms: number][] = [
  [undefined, DAY],
  [null, 7 * DAY],
  [1, MINUTE],
  [0, MINUTE],
  [-5 * DAY, MINUTE],
  [MINUTE - 1, MINUTE],
  [MINUTE, MINUTE],
  [MINUTE + 1, MINUTE + 1],
  [90_000.9, 90_000],
  [0.5, MINUTE],
  [7 * DAY, 7 * DAY],
  [10 * DAY, 7 * DAY],
  [1e300, 7 * DAY],
];

test("a lifetime is as requested, from a minute to a week; by default a day, and a week if unlimited", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  for (const [ttlMs, ms] of LIFETIMES) {
    clock.advance(SECOND);
    const { result } = await subscribe(server, receiver, ttlMs === undefined ? {} : { ttlMs });
    assert.equal(result.refreshBefore, new Date(clock.now() + ms).toISOString(), `${ttlMs}`);
    assert.equal(rowsOf(server, "SELECT expires_at FROM subscriptions")[0].expires_at, clock.now() + ms);
  }
  for (const ttlMs of ["60000", true, {}, [1]]) {
    assert.equal((await subscribe(server, receiver, { ttlMs })).error.code, -32602, JSON.stringify(ttlMs));
  }
});

test("at refreshBefore a subscription is deleted, its pending deliveries are dropped, and nothing is sent", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  await subscribe(server, receiver, { ttlMs: MINUTE });
  receiver.respond = (_, response) => response.writeHead(500).end();
  await requestReconnect(server, account);
  await attempted(server, 1);
  clock.advance(MINUTE - 1);
  await attempted(server, 2);
  await requestReconnect(server, account);
  await attempted(server, 3);
  assert.equal((await deliveriesOf(server, { status: "pending" })).length, 2, "to its last millisecond");

  clock.advance(1);
  await requestReconnect(server, account);
  await expireNow(server, clock);
  assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
  const left = await deliveriesOf(server);
  assert.deepEqual(
    left.map(({ status, next_attempt_at, kind }) => [status, next_attempt_at, kind]),
    [
      ["dropped", null, "event"],
      ["dropped", null, "event"],
    ],
  );
  assert.equal(receiver.deliveries.length, 3);
  await assert.rejects(server.operator("resend_delivery", { delivery_id: left[0].id }), {
    code: "delivery_not_resendable",
  });
});

test("a refresh in time renews the lifetime, and pending deliveries still arrive", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  await subscribe(server, receiver, { ttlMs: MINUTE });
  receiver.respond = (_, response) => response.writeHead(503).end();
  await requestReconnect(server, account);
  await attempted(server, 1);
  await subscribe(server, receiver, { ttlMs: 10 * MINUTE });
  receiver.respond = (_, response) => response.writeHead(204).end();
  clock.advance(MINUTE);
  await expireNow(server, clock);
  const [first, second] = await receiver.waitFor(2);
  assert.deepEqual([second?.text, second?.headers["webhook-id"]], [first?.text, first?.headers["webhook-id"]]);
});

test("a refresh after the expiry starts a new subscription, and pending deliveries are dropped", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  const first = await subscribe(server, receiver, { ttlMs: MINUTE });
  receiver.respond = (_, response) => response.writeHead(500).end();
  await requestReconnect(server, account);
  await attempted(server, 1);
  const [{ seq }] = rowsOf(server, "SELECT seq FROM subscriptions");
  clock.advance(MINUTE);
  const again = await subscribe(server, receiver, { delivery: { secret: newSecret() } });
  assert.equal(again.result.id, first.result.id);
  assert.equal("deliveryStatus" in again.result, false, "it is new");
  const [row] = rowsOf(server, "SELECT seq, previous_secret FROM subscriptions");
  assert.notEqual(row.seq, seq);
  assert.equal(row.previous_secret, null, "there is no secret to replace");
  assert.equal((await deliveriesOf(server))[0].status, "dropped");
});

/** How an endpoint fails, and its status name. */
const FAILURES: readonly [respond: Respond, word: string][] = [
  [(_, response) => response.writeHead(404).end("its own words"), "http_4xx"],
  [(_, response) => response.writeHead(410, "its own words").end(), "http_4xx"],
  [(_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/its-own-words" }).end(), "http_4xx"],
  [(_, response) => response.writeHead(500).end("its own words"), "http_5xx"],
  [(_, response) => response.writeHead(503).end("its own words"), "http_5xx"],
  [(_, response) => void response.destroy(), "connection_refused"],
];

test("a refresh reports the delivery status in one word: none yet, fine, or failing since when", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const account = await newAccount(server);
  const receivers = await Promise.all(FAILURES.map(() => Receiver.start(t)));
  const statuses = () =>
    Promise.all(receivers.map(async (receiver) => (await subscribe(server, receiver)).result.deliveryStatus));
  await statuses();
  const never = { active: true, lastDeliveryAt: null, lastError: null };
  assert.deepEqual(
    await statuses(),
    FAILURES.map(() => never),
  );

  const good = new Date(clock.now()).toISOString();
  await requestReconnect(server, account);
  await attempted(server, FAILURES.length);
  const well = { active: true, lastDeliveryAt: good, lastError: null };
  assert.deepEqual(
    await statuses(),
    FAILURES.map(() => well),
  );

  clock.advance(MINUTE);
  const failedSince = new Date(clock.now()).toISOString();
  for (const [index, receiver] of receivers.entries()) receiver.respond = FAILURES[index]?.[0] as Respond;
  await requestReconnect(server, account);
  await attempted(server, 2 * FAILURES.length);
  const failed = FAILURES.map(([, lastError]) => ({ active: true, lastDeliveryAt: good, lastError, failedSince }));
  assert.deepEqual(await statuses(), failed);
  clock.advance(SECOND);
  await requestReconnect(server, account);
  await attempted(server, 3 * FAILURES.length);
  assert.deepEqual(await statuses(), failed, "since the first of them");

  for (const receiver of receivers) receiver.respond = (_, response) => response.writeHead(200).end();
  await requestReconnect(server, account);
  await attempted(server, 4 * FAILURES.length);
  const now = new Date(clock.now()).toISOString();
  assert.deepEqual(
    await statuses(),
    FAILURES.map(() => ({ ...well, lastDeliveryAt: now })),
  );
});

test("a subscription suspended after a day of failures receives nothing until it is renewed", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  await subscribe(server, receiver, { ttlMs: null });
  receiver.respond = (_, response) => response.writeHead(500).end();
  await requestReconnect(server, account);
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await attempted(server, attempt);
    clock.advance(DAY / 4);
  }
  const [suspended] = rowsOf(server, "SELECT suspended_at, suspended_reason FROM subscriptions");
  assert.ok(suspended.suspended_at > 0);
  assert.match(suspended.suspended_reason, /http_5xx/);
  await requestReconnect(server, account);
  const [dead, ...none] = await deliveriesOf(server);
  assert.deepEqual([dead.status, none], ["dead", []]);
  const resend = () => server.operator("resend_delivery", { delivery_id: dead.id });
  await assert.rejects(resend(), { code: "delivery_not_resendable" });

  receiver.respond = (_, response) => response.writeHead(200).end();
  const { deliveryStatus } = (await subscribe(server, receiver, { ttlMs: null })).result;
  assert.deepEqual([deliveryStatus.active, deliveryStatus.lastError], [true, "http_5xx"]);
  await requestReconnect(server, account);
  await resend();
  const all = await receiver.waitFor(8);
  assert.equal(all.length, 8);
  const last = all.slice(6).map(({ body }) => body.eventId);
  assert.ok(last.includes(dead.event_id) && new Set(last).size === 2);
});
