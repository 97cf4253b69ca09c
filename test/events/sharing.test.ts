import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import type { Settlement } from "../../src/store/events.ts";
import { MAX_TO_HOST } from "../../src/workers/host-queues.ts";
import { addEndpoints, addEvents, groundOf } from "../support/endpoints.ts";
import { startLocal } from "../support/events.ts";
import { keptLog } from "../support/log.ts";
import { rowsOf, watchSettlements } from "../support/outbox.ts";
import { type Received, Receiver } from "../support/receiver.ts";
import { FakeClock, type ServerOptions, type TestServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

const statuses = (server: Pick<TestServer, "folder">) =>
  Object.fromEntries(
    rowsOf(server, "SELECT status, count(*) AS n FROM deliveries GROUP BY status").map(({ status, n }) => [status, n]),
  );
const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers["webhook-id"] as string);

/** Delays its answers, and counts how many requests wait for one. */
function holding(receiver: Receiver) {
  const held: ServerResponse[] = [];
  receiver.respond = (_, response) => void held.push(response);
  return {
    held,
    most: 0,
    release(count = held.length) {
      this.most = Math.max(this.most, held.length);
      for (const response of held.splice(0, count)) response.writeHead(204).end();
    },
  };
}

/** A server with a fixed clock, and an endpoint that delays its answers. */
async function withHeld(t: TestContext, options: ServerOptions = {}) {
  const clock = new FakeClock();
  const server = await startLocal(t, { ...options, clock });
  const ground = await groundOf(server, () => clock.now());
  const receiver = await Receiver.start(t);
  const { held } = holding(receiver);
  const [endpoint] = await addEndpoints(ground, [receiver.url]);
  assert.ok(endpoint);
  return { clock, server, ground, receiver, held, endpoint };
}

test("endpoints that hang delay no others, on another host or their own", async (t) => {
  const server = await startLocal(t);
  const ground = await groundOf(server);
  const [hanging, shared, ...well] = await Promise.all(Array.from({ length: 22 }, () => Receiver.start(t)));
  assert.ok(hanging && shared);
  holding(hanging);
  shared.respond = ({ path }, response) => void (path === "/hangs" || response.writeHead(204).end());
  const base = (receiver: Receiver) => `http://127.0.0.1:${receiver.port}`;
  const slow = await addEndpoints(ground, [hanging.url, `${base(shared)}/hangs`]);
  const [fine] = await addEndpoints(ground, [`${base(shared)}/well`]);
  const others = await addEndpoints(
    ground,
    well.map(({ url }) => url),
  );
  assert.ok(fine);
  const begun = performance.now();
  await addEvents(ground, slow, 100);
  await addEvents(ground, [fine, ...others], 10);
  await until(() => statuses(server).delivered === 210);
  const took = performance.now() - begun;
  assert.ok(took < 8_000, `before the first of the others was given up: ${took} ms`);
  assert.deepEqual(rowsOf(server, "SELECT 1 FROM delivery_attempts WHERE outcome <> '2xx'"), []);
  assert.equal(statuses(server).pending, 200);
});

test("a host gets at most 15 requests at a time, and an unproven endpoint at most 4", async (t) => {
  const server = await startLocal(t);
  const ground = await groundOf(server);
  const receiver = await Receiver.start(t);
  const { held } = holding(receiver);
  const paths = Array.from({ length: 10 }, (_, i) => `http://127.0.0.1:${receiver.port}/${i}`);
  const [first, ...rest] = await addEndpoints(ground, paths);
  assert.ok(first);
  await addEvents(ground, [first], 60);
  await until(() => held.length === 4);
  await addEvents(ground, rest, 20);
  let most = 0;
  let answered = 0;
  while (answered < 240) {
    await until(() => held.length >= Math.min(MAX_TO_HOST, 240 - answered));
    most = Math.max(most, held.length);
    // One at a time: each success can widen its endpoint's limit, but never the host's.
    held.shift()?.writeHead(204).end();
    answered += 1;
  }
  assert.equal(most, MAX_TO_HOST);
  await until(() => statuses(server).delivered === 240);
  assert.equal(new Set(idsOf(receiver.deliveries)).size, 240);
  assert.equal(receiver.deliveries.length, 240);
});

test("claimed deliveries are not sent once access is lost", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const ground = await groundOf(server, () => clock.now());
  const receiver = await Receiver.start(t);
  const { held } = holding(receiver);
  await addEvents(ground, await addEndpoints(ground, [receiver.url]), 12);
  await until(() => held.length === 4);
  await server.operator("revoke_key", { key_id: ground.keyId });
  clock.advance(1_000);
  receiver.respond = (_, response) => void response.writeHead(204).end();
  for (const response of held) response.writeHead(204).end();
  await until(() => statuses(server).pending === undefined);
  const kinds = receiver.deliveries.map(({ body }) => body.type ?? "event");
  assert.deepEqual(kinds, ["event", "event", "event", "event", "terminated"]);
  assert.equal(statuses(server).delivered + statuses(server).dropped, 13);
});

/** A server in whose outbox deliveries are claimed by a process that died, and not yet due. */
async function withDeadClaims(t: TestContext, count: number) {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  // Due later, so that the server finds them claimed.
  let aheadMs = 1_000;
  const ground = await groundOf(server, () => clock.now() + aheadMs);
  const receiver = await Receiver.start(t);
  const [endpoint] = await addEndpoints(ground, [receiver.url]);
  assert.ok(endpoint);
  const host = new URL(receiver.url).host;
  const ids = await addEvents(ground, [endpoint], count);
  const { outbox } = server.running.store;
  const dead = { lease: "of a dead process", leaseMs: 30_000, now: clock.now() + aheadMs };
  const { claimed } = await outbox.claim({ ...dead, hosts: [{ host, most: count }], except: [], admits: () => true });
  assert.equal(claimed.length, count);
  clock.advance(aheadMs);
  aheadMs = 0;
  return { clock, server, ground, receiver, endpoint, ids, outbox, claimed, lease: dead.lease };
}

test("a dead process's claims are sent once the lease has expired, and not before", async (t) => {
  const { clock, server, ground, receiver, endpoint, ids } = await withDeadClaims(t, 5);
  clock.advance(29_999);
  const [later] = await addEvents(ground, [endpoint]);
  await until(() => statuses(server).delivered === 1);
  assert.deepEqual(idsOf(receiver.deliveries), [later]);
  clock.advance(1);
  await until(() => statuses(server).delivered === 6);
  assert.deepEqual(idsOf(receiver.deliveries).toSorted(), [...ids, later].toSorted(), "each once");
});

test("what a dead process recorded as received is settled once the lease has expired, and not sent", async (t) => {
  const { clock, server, receiver, ids, outbox, claimed, lease } = await withDeadClaims(t, 3);
  const [received, ...others] = claimed;
  assert.ok(received);
  const success = { status: "delivered", outcome: "2xx", error: null, nextAttemptAt: null, suspend: null } as const;
  await outbox.record([{ seq: received.seq, lease, at: clock.now(), durationMs: 1, ...success }]);
  clock.advance(30_000);
  await until(() => statuses(server).delivered === ids.length);
  assert.deepEqual(idsOf(receiver.deliveries).toSorted(), others.map(({ eventId }) => eventId).toSorted());
});

test("a delivery that waited 15 s is still sent; one that waited longer is left for the next claim", async (t) => {
  const { clock, server, ground, receiver, held, endpoint } = await withHeld(t);
  await addEvents(ground, [endpoint], 5);
  await until(() => held.length === 4);
  clock.advance(15_000);
  held.shift()?.writeHead(204).end();
  await until(() => receiver.deliveries.length === 5);
  for (const response of held.splice(0)) response.writeHead(204).end();
  await until(() => statuses(server).delivered === 5);

  const claimedAt = clock.now();
  const last = (await addEvents(ground, [endpoint], 5)).at(-1);
  await until(() => held.length === 4);
  receiver.respond = (_, response) => void response.writeHead(204).end();
  clock.advance(15_001);
  for (const response of held.splice(0)) response.writeHead(204).end();
  await until(() => statuses(server).delivered === 9);
  clock.advance(14_999);
  await until(() => statuses(server).delivered === 10);
  const sent = receiver.deliveries.filter(({ headers }) => headers["webhook-id"] === last);
  assert.deepEqual(
    sent.map(({ headers }) => Number(headers["webhook-timestamp"]) * 1_000),
    [claimedAt + 30_000],
  );
});

test("a delivery that can't be checked because of a database error is left to its lease, and uses no attempt", async (t) => {
  const { log, text } = keptLog();
  const { clock, server, ground, receiver, held, endpoint } = await withHeld(t, { log });
  const claimedAt = clock.now();
  const last = (await addEvents(ground, [endpoint], 5)).at(-1) as string;
  await until(() => held.length === 4);
  const { outbox } = server.running.store;
  const { stillSendable } = outbox;
  let asked = 0;
  outbox.stillSendable = async () => {
    asked += 1;
    throw new Error("database disk image is malformed");
  };
  receiver.respond = (_, response) => void response.writeHead(204).end();
  clock.advance(1_000);
  for (const response of held.splice(0)) response.writeHead(204).end();
  await until(() => asked === 1 && statuses(server).delivered === 4);
  const left = `SELECT d.status, d.attempts, d.next_attempt_at, d.lease IS NOT NULL AS leased, s.last_error, s.failed_since
    FROM deliveries d JOIN subscriptions s ON s.seq = d.subscription_seq WHERE d.event_id = '${last}'`;
  const untouched = { status: "pending", attempts: 0, next_attempt_at: claimedAt + 30_000, leased: 1 };
  assert.deepEqual(rowsOf(server, left), [{ ...untouched, last_error: null, failed_since: null }]);
  assert.match(text(), /database disk image is malformed/);
  outbox.stillSendable = stillSendable;
  clock.advance(29_000);
  await until(() => statuses(server).delivered === 5);
  assert.deepEqual(rowsOf(server, "SELECT DISTINCT outcome FROM delivery_attempts"), [{ outcome: "2xx" }]);
  assert.equal(idsOf(receiver.deliveries).filter((id) => id === last).length, 1);
});

test("an expired claim doesn't affect the next one, even in the same process", async (t) => {
  const { clock, server, ground, held, endpoint } = await withHeld(t);
  const row = () => rowsOf(server, "SELECT status, attempts, lease, next_attempt_at FROM deliveries")[0];
  await addEvents(ground, [endpoint]);
  await until(() => held.length === 1);
  const first = row();
  clock.advance(30_000);
  await until(() => held.length === 2);
  const second = row();
  assert.notEqual(second.lease, first.lease);
  held.shift()?.writeHead(500).end();
  await until(() => rowsOf(server, "SELECT outcome FROM delivery_attempts").length === 1);
  assert.deepEqual(row(), second, "it is written down that it was tried, and no more");
  held.shift()?.writeHead(204).end();
  await until(() => statuses(server).delivered === 1);
  assert.equal(row().attempts, 1);
});

test("two servers on one data folder share the work, and send nothing twice", async (t) => {
  const folder = temporaryFolder(t);
  const servers = [await startLocal(t, { folder }), await startLocal(t, { folder })] as const;
  const settled = servers.map((server) => {
    const mine: Settlement[] = [];
    watchSettlements(server, (settlement) => mine.push(settlement));
    return mine;
  });
  const ground = await groundOf(servers[0]);
  const receivers = await Promise.all(Array.from({ length: 20 }, () => Receiver.start(t)));
  // Slow enough for both to get a share, even on a slow machine.
  for (const receiver of receivers) {
    receiver.respond = (_, response) => void setTimeout(() => response.writeHead(204).end(), 100);
  }
  const endpoints = await addEndpoints(
    ground,
    receivers.map(({ url }) => url),
  );
  const ids = await addEvents(ground, endpoints, 50);
  await until(() => statuses(servers[0]).delivered === 1_000, 60_000);
  const received = idsOf(receivers.flatMap(({ deliveries }) => deliveries));
  assert.deepEqual(received.toSorted(), ids.toSorted(), "each once");
  assert.ok(
    settled.every((mine) => mine.length > 0),
    `${settled.map((mine) => mine.length)}`,
  );
  assert.equal(settled.flat().length, 1_000);
});

test("a stop finishes deliveries in progress, returns the rest, and the next server sends it immediately", async (t) => {
  const folder = temporaryFolder(t);
  const server = await startLocal(t, { folder });
  const ground = await groundOf(server);
  const [prompt, hanging] = [await Receiver.start(t), await Receiver.start(t)];
  const { held } = holding(prompt);
  holding(hanging);
  await addEvents(ground, await addEndpoints(ground, [prompt.url, hanging.url]), 10);
  await until(() => held.length === 4 && hanging.deliveries.length === 4);
  const stopped = server.running.close();
  for (const response of held.splice(0)) response.writeHead(204).end();
  await stopped;
  assert.deepEqual(statuses(server), { delivered: 4, pending: 16 });
  const left = rowsOf(server, "SELECT lease, next_attempt_at, attempts FROM deliveries WHERE status = 'pending'");
  for (const { lease, next_attempt_at, attempts } of left) {
    assert.ok(lease === null && next_attempt_at <= Date.now() && attempts === 0, JSON.stringify(left));
  }
  for (const receiver of [prompt, hanging]) receiver.respond = (_, response) => void response.writeHead(204).end();
  await startLocal(t, { folder });
  await until(() => statuses(server).delivered === 20);
  const twice = idsOf(prompt.deliveries).length - new Set(idsOf(prompt.deliveries)).size;
  assert.equal(twice, 0, "what was answered before the stop was written down");
  assert.equal(new Set(idsOf(hanging.deliveries)).size, 10);
});
