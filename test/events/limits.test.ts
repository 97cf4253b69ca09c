import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewSubscription } from "../../src/store/events.ts";
import { newAccount, RECONNECT, startLocal, subscribe } from "../support/events.ts";
import { expireNow, rowsOf, unsubscribe } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";
import { FakeClock, type TestServer } from "../support/server.ts";

const MINUTE = 60_000;
const WORK = "socialnet.work.available";
const OF_KEY = [-32013, { limit: "subscriptions_per_key", max: 20 }];
const OF_WORKSPACE = [-32013, { limit: "subscriptions_per_workspace", max: 100 }];

let made = 0;

/** Subscriptions of a key, written directly: a challenge for each would reach its own limit. */
async function fill(
  { running, workspaceId }: TestServer,
  keyId: string,
  { count, now, expiresAt }: { count: number; now: number; expiresAt: number },
): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    made += 1;
    const row: NewSubscription = {
      id: `sub_${made}`,
      principal: { keyId },
      url: `https://filled.example/${made}`,
      event: RECONNECT,
      now,
      arguments: {},
      accountId: null,
      secret: "v1.x.y",
      verifiedAt: now,
      expiresAt,
      previousSecretUntil: null,
    };
    await running.store.write(workspaceId, ({ subscriptions }) => subscriptions.upsert(row));
  }
}

async function prepare(t: Parameters<typeof startLocal>[0]) {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const newKey = (workspaceId?: string): Promise<{ id: string; key: string }> =>
    server.operator("create_key", { name: "k", scopes: ["socialnet.read"] }, workspaceId);
  const now = clock.now();
  return { clock, server, receiver, newKey, live: { now, expiresAt: now + 10 * MINUTE } };
}

test("a key has at most twenty subscriptions; another is refused before anything is sent, a refresh is not", async (t) => {
  const { clock, server, receiver, newKey, live } = await prepare(t);
  const { id, key } = await newKey();
  await subscribe(server, receiver, { key, ttlMs: 10 * MINUTE });
  await fill(server, id, { ...live, count: 19 });
  const challenges = receiver.challenges.length;
  for (const more of [{ name: WORK }, { delivery: { url: `${receiver.url}&x` } }]) {
    const { error } = await subscribe(server, receiver, { key, ...more });
    assert.deepEqual([error?.code, error?.data], OF_KEY);
  }
  assert.equal(receiver.challenges.length, challenges);
  assert.ok((await subscribe(server, receiver, { key, ttlMs: MINUTE })).result, "a refresh");
  assert.ok((await subscribe(server, receiver, { key: (await newKey()).key })).result, "another key");

  clock.advance(MINUTE);
  const late = await subscribe(server, receiver, { key, name: WORK });
  assert.ok(late.result, "the one that has expired no longer counts, swept away or not");
  const again = await subscribe(server, receiver, { key });
  assert.deepEqual([again.error?.code, again.error?.data], OF_KEY, "and is a new one when it comes back");
  await unsubscribe(server, receiver, { key, name: WORK });
  assert.ok((await subscribe(server, receiver, { key })).result);
});

test("a workspace has at most a hundred over all its keys, not counting webhooks and other workspaces", async (t) => {
  const { clock, server, receiver, newKey, live } = await prepare(t);
  await server.operator("create_webhook", { url: receiver.url, events: [RECONNECT, WORK] });
  const keys = await Promise.all(Array.from({ length: 6 }, () => newKey()));
  for (const { id } of keys.slice(0, 5)) await fill(server, id, { ...live, count: 19 });
  const [first, last] = [keys[0], keys[5]] as [{ id: string; key: string }, { id: string; key: string }];
  await fill(server, last.id, { ...live, count: 4 });
  assert.ok((await subscribe(server, receiver, { key: last.key })).result, "the hundredth");
  const challenges = receiver.challenges.length;
  for (const key of [first.key, last.key, server.key]) {
    const { error } = await subscribe(server, receiver, { key, name: WORK });
    assert.deepEqual([error?.code, error?.data], OF_WORKSPACE);
  }
  assert.equal(receiver.challenges.length, challenges);
  assert.ok((await subscribe(server, receiver, { key: last.key })).result, "a refresh");
  const neighbour = await server.neighbour();
  assert.ok((await subscribe(server, receiver, { key: neighbour.key })).result);

  await server.operator("revoke_key", { key_id: keys[1]?.id });
  await expireNow(server, clock);
  assert.ok((await subscribe(server, receiver, { key: first.key, name: WORK })).result, "a key that ended makes room");
});

test("of simultaneous requests for the last free subscription exactly one succeeds", async (t) => {
  const { server, receiver, newKey, live } = await prepare(t);
  const { id, key } = await newKey();
  await fill(server, id, { ...live, count: 19 });
  const account = await newAccount(server);
  const asked = [
    {},
    { name: WORK },
    { arguments: { account_id: account.id } },
    { delivery: { url: `${receiver.url}&x` } },
  ];
  const answers = await Promise.all(asked.map((options) => subscribe(server, receiver, { key, ...options })));
  const refused = answers.flatMap(({ error }) => (error === undefined ? [] : [[error.code, error.data]]));
  assert.deepEqual(refused, [OF_KEY, OF_KEY, OF_KEY]);
  assert.equal(rowsOf(server, "SELECT id FROM subscriptions").length, 20);
});
