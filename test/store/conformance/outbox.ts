import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewSubscription, Settlement } from "../../../src/store/events.ts";
import {
  ACCOUNT,
  addKey,
  addWebhook,
  claim,
  claimOne,
  EVENT,
  expireNow,
  failure,
  LEASE_MS,
  send,
  settlement,
  statusOf,
  subscribe,
} from "./event-fixtures.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, NOON, W1 } from "./fixtures.ts";

export function outboxConforms(open: OpenStore): void {
  test("hosts with due deliveries are listed in order, starting at the given one and wrapping around, up to the limit", async (t) => {
    const store = await found(await open(t));
    const principal = { keyId: await addKey(store) };
    for (const host of ["b.example", "a.example", "d.example:8443", "c.example"]) {
      const row = await subscribe(store, { principal, url: `https://${host}/hook` });
      const now = host === "c.example" ? NOON + 1 : NOON;
      await send(store, row, { now });
      await send(store, row, { now: now + 1 });
    }
    const hosts = (from: string, most = 9, now = NOON) => store.outbox.dueHosts(now, from, most);
    assert.deepEqual(await hosts(""), ["a.example", "b.example", "d.example:8443"]);
    assert.deepEqual(await hosts("a.example"), ["b.example", "d.example:8443", "a.example"]);
    assert.deepEqual(await hosts("b.example", 2), ["d.example:8443", "a.example"]);
    assert.deepEqual(await hosts("zzz", 1), ["a.example"]);
    assert.deepEqual(await hosts("b.example", 9, NOON + 1), ["c.example", "d.example:8443", "a.example", "b.example"]);
    assert.deepEqual(await hosts("", 9, NOON - 1), []);
  });

  test("hosts that only wait hide none with due deliveries, however many they are", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    for (let i = 0; i < 1_050; i += 1) {
      await send(store, { seq: row.seq, url: `https://h${1_000 + i}.example/hook` }, { now: NOON + 1 });
    }
    await send(store, { seq: row.seq, url: "https://z.example/hook" });
    assert.deepEqual(await store.outbox.dueHosts(NOON, "", 9), ["z.example"]);
    assert.deepEqual(await store.outbox.dueHosts(NOON, "h2000.example", 9), ["z.example"]);
    assert.deepEqual(await store.outbox.dueHosts(NOON, "zz", 9), ["z.example"]);
  });

  test("a claim takes due deliveries, oldest first, up to a number per host, and leases them", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const young = await send(store, row, { now: NOON - 1 });
    const old = await send(store, row, { now: NOON - 2 });
    await send(store, row, { now: NOON + 1 });
    const ids = async (claimed: { eventId: string }[]) => {
      const { rows } = await store.read(W1).deliveries.list({ limit: 9, offset: 0, status: undefined });
      return claimed.map(({ eventId }) => rows.find((delivery) => delivery.eventId === eventId)?.id);
    };
    assert.deepEqual(await ids(await claim(store, "a.example", { most: 1 })), [old]);
    assert.deepEqual(await ids(await claim(store, "a.example", { lease: "other" })), [young]);
    assert.deepEqual(await claim(store, "a.example"), []);
    assert.deepEqual(await claim(store, "b.example"), []);
    assert.deepEqual(await store.outbox.dueHosts(NOON, "", 9), []);
    const late = await claim(store, "a.example", { now: NOON + LEASE_MS, lease: "heir" });
    assert.equal(late.length, 3, "a lease that runs out frees what it held");
    const { id, secret, previousSecret } = late[0]?.subscription ?? {};
    assert.deepEqual([id, secret, previousSecret], [row.id, row.secret, null]);
    assert.deepEqual(
      [late[0]?.url, late[0]?.host, late[0]?.kind, late[0]?.attempts],
      [row.url, "a.example", "event", 0],
    );
  });

  test("a delivery can be claimed however long it has been due, again after each failure, and is pending until finished", async (t) => {
    const store = await found(await open(t));
    const webhookId = await addWebhook(store, "https://a.example/hook");
    const id = await send(store, await subscribe(store, { principal: { webhookId }, expiresAt: null }));
    const late = NOON + 28 * 86_400_000;
    const first = await claim(store, "a.example", { now: late });
    assert.equal(first.length, 1);
    assert.deepEqual(await claim(store, "a.example", { now: late, lease: "other" }), [], "it is leased");
    assert.equal(await statusOf(store, id), "pending");
    const seq = first[0]?.seq ?? 0;
    await store.outbox.settle([failure(seq, { at: late, nextAttemptAt: late + 1 })]);
    assert.equal((await claim(store, "a.example", { now: late + 1 })).length, 1);
    await store.outbox.settle([settlement(seq, { at: late + 1 })]);
    assert.equal(await statusOf(store, id), "delivered");
  });

  test("a success that is only recorded is settled with others later, and its attempt is written once", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const ids = [await send(store, row), await send(store, row)];
    const claimed = await claim(store, "a.example");
    const [first, second] = claimed.map(({ seq }) => settlement(seq));
    assert.ok(first && second);
    // Again, as where the answer to the first write was lost.
    for (let i = 0; i < 2; i++) await store.outbox.record([first]);
    const rows = async () => Promise.all(ids.map((id) => store.read(W1).deliveries.find(id)));
    const attempt = { at: first.at, outcome: "2xx", durationMs: 7 };
    const told = (found: Awaited<ReturnType<typeof rows>>) => found.map((row) => [row?.status, row?.attempts]);
    assert.deepEqual(told(await rows()), [
      ["pending", [attempt]],
      ["pending", []],
    ]);
    // The first one again as well, as where the answer to its write was lost.
    await store.outbox.settle([first, second], [first]);
    assert.deepEqual(told(await rows()), [
      ["delivered", [attempt]],
      ["delivered", [attempt]],
    ]);
    assert.equal((await store.read(W1).subscriptions.find(row.id))?.lastDeliveryAt, first.at);
  });

  test("a delivery whose success was recorded and never settled is told to its next claim, and not claimed", async (t) => {
    const store = await found(await open(t));
    const id = await send(store, await subscribe(store, { principal: { keyId: await addKey(store) } }));
    const { seq } = await claimOne(store, "a.example");
    await store.outbox.record([settlement(seq)]);
    const asked = { hosts: [{ host: "a.example", most: 9 }], except: [], admits: () => true };
    const late = NOON + LEASE_MS;
    for (let i = 0; i < 2; i++) {
      const answer = await store.outbox.claim({ ...asked, lease: "heir", leaseMs: LEASE_MS, now: late });
      assert.deepEqual(answer, { claimed: [], delivered: [{ seq, at: NOON + 5, lease: "lease" }], dropped: 0 });
    }
    await store.outbox.settle([], [{ seq, at: NOON + 5, lease: "lease" }]);
    assert.equal(await statusOf(store, id), "delivered");
    assert.deepEqual(await store.outbox.dueHosts(late, "", 9), []);
  });

  test("a success that is recorded after another claim is settled right away", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const id = await send(store, row);
    const { seq } = await claimOne(store, "a.example");
    const late = NOON + LEASE_MS;
    await claimOne(store, "a.example", { now: late, lease: "heir" });
    await store.outbox.record([settlement(seq, { at: NOON + 9 })]);
    assert.equal(await statusOf(store, id), "delivered");
    assert.deepEqual(await store.outbox.stillSendable([{ seq, lease: "heir" }], late), new Set());
    assert.equal((await store.read(W1).subscriptions.find(row.id))?.lastDeliveryAt, NOON + 9);
  });

  test("a delivery that was received before its subscription ended counts as delivered, others are dropped", async (t) => {
    const store = await found(await open(t));
    const keyId = await addKey(store);
    const row = await subscribe(store, { principal: { keyId } });
    const [received, other] = [await send(store, row), await send(store, row)];
    const { seq } = await claimOne(store, "a.example");
    await store.outbox.record([settlement(seq)]);
    await store.write(W1, ({ subscriptions }) => subscriptions.remove(row.id, { keyId }, NOON));
    assert.deepEqual([await statusOf(store, received), await statusOf(store, other)], ["pending", "dropped"]);
    await store.outbox.settle([], [settlement(seq)]);
    assert.equal(await statusOf(store, received), "delivered");
  });

  test("a success that is settled late ends no delivery that a person sent again since", async (t) => {
    const store = await found(await open(t));
    const id = await send(store, await subscribe(store, { principal: { keyId: await addKey(store) } }));
    const { seq } = await claimOne(store, "a.example");
    await store.outbox.record([settlement(seq)]);
    await store.outbox.settle([], [settlement(seq)]);
    assert.ok(await store.write(W1, ({ deliveries }) => deliveries.resend(id, NOON + 9)));
    await store.outbox.settle([], [settlement(seq)]);
    assert.equal(await statusOf(store, id), "pending");
    assert.equal((await claimOne(store, "a.example", { now: NOON + 9 })).seq, seq);
  });

  test("an endpoint with a recorded success is not suspended, and its delivery is not lost", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const ids = [await send(store, row), await send(store, row), await send(store, row)];
    const [first, second, third] = (await claim(store, "a.example")).map(({ seq }) => seq) as [number, number, number];
    await store.outbox.settle([failure(first, { at: NOON })]);
    await store.outbox.record([settlement(second)]);
    const suspend = { reason: "never", failedSince: NOON };
    await store.outbox.settle([failure(third, { at: NOON + 9, status: "dead", nextAttemptAt: null, suspend })]);
    assert.equal((await store.read(W1).subscriptions.find(row.id))?.suspendedAt, null);
    const statuses = () => Promise.all(ids.map((id) => statusOf(store, id)));
    assert.deepEqual(await statuses(), ["pending", "pending", "dead"]);
    await store.outbox.settle([], [settlement(second)]);
    assert.deepEqual(await statuses(), ["pending", "delivered", "dead"]);
  });

  test("an earlier success that is settled late hides neither a later one nor a later failure", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    for (let i = 0; i < 3; i++) await send(store, row);
    const [first, second, third] = (await claim(store, "a.example")).map(({ seq }) => seq) as [number, number, number];
    const told = async () => {
      const stored = await store.read(W1).subscriptions.find(row.id);
      return [stored?.lastDeliveryAt, stored?.lastError, stored?.failedSince];
    };
    await store.outbox.settle([settlement(second, { at: NOON + 7 }), failure(third, { at: NOON + 8 })]);
    await store.outbox.settle([], [settlement(first)]);
    assert.deepEqual(await told(), [NOON + 7, "http_5xx", NOON + 8]);
    await store.outbox.settle([settlement(third, { at: NOON + 9 })]);
    assert.deepEqual(await told(), [NOON + 9, null, null]);
  });

  test("a success before a delivery was sent again says nothing about the new attempt", async (t) => {
    const store = await found(await open(t));
    const id = await send(store, await subscribe(store, { principal: { keyId: await addKey(store) } }));
    const { seq } = await claimOne(store, "a.example");
    await store.outbox.settle([settlement(seq)]);
    assert.ok(await store.write(W1, ({ deliveries }) => deliveries.resend(id, NOON + 100)));
    const again = await claimOne(store, "a.example", { now: NOON + 100 });
    assert.equal(again.seq, seq);
    assert.equal((await claimOne(store, "a.example", { now: NOON + 100 + LEASE_MS, lease: "heir" })).seq, seq);
  });

  test("a claimed delivery is dropped if its subscription is gone, has expired or has lost its key", async (t) => {
    const store = await found(await open(t));
    const keyId = await addKey(store);
    const gone = await subscribe(store, { principal: { keyId } });
    const expired = await subscribe(store, { principal: { keyId }, expiresAt: NOON });
    const revoked = await subscribe(store, { principal: { keyId: await addKey(store, { revokedAt: NOON }) } });
    const lapsed = await subscribe(store, { principal: { keyId: await addKey(store, { expiresAt: NOON }) } });
    const live = await subscribe(store, { principal: { keyId: await addKey(store, { expiresAt: NOON + 1 }) } });
    await store.write(W1, ({ subscriptions }) => subscriptions.remove(gone.id, { keyId }, NOON));
    const ids = [];
    for (const row of [gone, expired, revoked, lapsed, live]) ids.push(await send(store, row));
    const usual = { except: [], admits: () => true, lease: "lease", leaseMs: LEASE_MS, now: NOON };
    const { claimed, dropped } = await store.outbox.claim({ hosts: [{ host: "a.example", most: 9 }], ...usual });
    assert.deepEqual(
      claimed.map(({ subscription }) => subscription.id),
      [live.id],
    );
    assert.equal(dropped, 4);
    const statuses = await Promise.all(ids.map((id) => statusOf(store, id)));
    assert.deepEqual(statuses, ["dropped", "dropped", "dropped", "dropped", "pending"]);
  });

  test("an attempt is recorded with its result, and the subscription gets its new delivery status", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const id = await send(store, row);
    const told = async () => {
      const stored = await store.read(W1).subscriptions.find(row.id);
      return [stored?.lastDeliveryAt, stored?.lastError, stored?.failedSince];
    };
    const attempt = async (now: number, make: typeof failure, changes: Partial<Settlement>) => {
      const [claimed] = await claim(store, "a.example", { now });
      await store.outbox.settle([make(claimed?.seq ?? 0, { at: now, ...changes })]);
      return claimed?.attempts;
    };
    assert.deepEqual(await told(), [null, null, null]);
    assert.equal(await attempt(NOON, failure, {}), 0);
    assert.deepEqual(await told(), [null, "http_5xx", NOON]);
    assert.equal(
      await attempt(NOON + 5_000, failure, { error: "timeout", outcome: "timeout", nextAttemptAt: NOON + 9_000 }),
      1,
    );
    assert.deepEqual(await told(), [null, "timeout", NOON], "since the first failure");
    assert.equal(await attempt(NOON + 9_000, settlement, {}), 2);
    assert.deepEqual(await told(), [NOON + 9_000, null, null]);
    const delivery = await store.read(W1).deliveries.find(id);
    assert.deepEqual(
      [delivery?.status, delivery?.finishedAt, delivery?.nextAttemptAt],
      ["delivered", NOON + 9_000, null],
    );
    assert.deepEqual(
      delivery?.attempts.map(({ outcome }) => outcome),
      ["5xx", "timeout", "2xx"],
    );
  });

  test("after a lost lease only a success is recorded, so that the delivery is not sent again", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const id = await send(store, row);
    const { seq } = await claimOne(store, "a.example");
    await claim(store, "a.example", { now: NOON + LEASE_MS, lease: "heir" });
    await store.outbox.settle([failure(seq, { status: "dead", suspend: { reason: "never", failedSince: NOON + 5 } })]);
    const delivery = await store.read(W1).deliveries.find(id);
    assert.deepEqual([delivery?.status, delivery?.lastError, delivery?.attempts.length], ["pending", null, 1]);
    const stored = await store.read(W1).subscriptions.find(row.id);
    assert.deepEqual([stored?.failedSince, stored?.suspendedAt], [null, null]);
    await store.outbox.settle([settlement(seq)]);
    assert.equal(await statusOf(store, id), "delivered");
    await store.outbox.settle([failure(seq, { lease: "heir", at: NOON + LEASE_MS })]);
    assert.equal(await statusOf(store, id), "delivered", "what is delivered stays so");
    assert.equal((await store.read(W1).deliveries.find(id))?.attempts.length, 3);
  });

  test("a late 2xx does not restore a delivery dropped in between", async (t) => {
    const store = await found(await open(t));
    const principal = { keyId: await addKey(store) };
    const row = await subscribe(store, { principal });
    const id = await send(store, row);
    const { seq } = await claimOne(store, "a.example");
    await store.write(W1, ({ subscriptions }) => subscriptions.remove(row.id, principal, NOON));
    await store.outbox.settle([settlement(seq)]);
    const delivery = await store.read(W1).deliveries.find(id);
    assert.deepEqual([delivery?.status, delivery?.attempts.length], ["dropped", 1]);
  });

  test("a claim skips the given subscriptions, and leases only what is admitted", async (t) => {
    const store = await found(await open(t));
    const principal = { keyId: await addKey(store) };
    const rows = [
      await subscribe(store, { principal }),
      await subscribe(store, { principal }),
      await subscribe(store, { principal }),
    ];
    const [a, b, c] = rows.map(({ seq }) => seq) as [number, number, number];
    for (const row of rows) await send(store, row);
    const seqs = (claimed: { subscriptionSeq: number }[]) => claimed.map(({ subscriptionSeq }) => subscriptionSeq);
    const asked: number[] = [];
    const admits = ({ subscriptionSeq }: { subscriptionSeq: number }) => {
      asked.push(subscriptionSeq);
      return subscriptionSeq === c;
    };
    assert.deepEqual(seqs(await claim(store, "a.example", { except: [a], admits })), [c]);
    assert.deepEqual(asked, [b, c]);
    assert.deepEqual(seqs(await claim(store, "a.example", { lease: "other" })), [a, b], "the others are still due");
  });

  test("a claimed delivery is valid only while it is leased and its subscription has access", async (t) => {
    const store = await found(await open(t));
    const keyId = await addKey(store);
    const mayStillSend = async (seq: number, now = NOON, lease = "lease") =>
      (await store.outbox.stillSendable([{ seq, lease }], now)).has(seq);
    const claimed = async (changes: Partial<NewSubscription> = {}) => {
      const row = await subscribe(store, { principal: { keyId }, ...changes });
      await send(store, row);
      const { seq } = await claimOne(store, "a.example");
      return { seq, row };
    };
    const one = await claimed({ expiresAt: NOON + 5 });
    assert.deepEqual([await mayStillSend(one.seq), await mayStillSend(one.seq, NOON, "other")], [true, false]);
    assert.deepEqual(
      [await mayStillSend(one.seq, NOON + 4), await mayStillSend(one.seq, NOON + 5)],
      [true, false],
      "it expires",
    );
    const gone = await claimed();
    await store.write(W1, ({ subscriptions }) => subscriptions.remove(gone.row.id, { keyId }, NOON));
    assert.equal(await mayStillSend(gone.seq), false);
    const done = await claimed();
    await store.outbox.settle([settlement(done.seq)]);
    assert.equal(await mayStillSend(done.seq), false);
    const lost = await claimed();
    await store.write(W1, ({ keys }) => keys.revoke(keyId, NOON));
    assert.equal(await mayStillSend(lost.seq), false, "its key was revoked");
    await expireNow(store, NOON);
    const [word] = await claim(store, "a.example");
    assert.deepEqual([word?.kind, await mayStillSend(word?.seq ?? 0)], ["terminated", true], "but for the last word");
  });

  test("a suspension drops everything pending for the subscription, which gets no new events", async (t) => {
    const store = await found(await open(t));
    const principal = { keyId: await addKey(store) };
    const [row, other] = [await subscribe(store, { principal }), await subscribe(store, { principal })];
    const ids = [await send(store, row), await send(store, row), await send(store, other)];
    const claimed = await claim(store, "a.example", { most: 1 });
    const dead = failure(claimed[0]?.seq ?? 0, {
      status: "dead",
      nextAttemptAt: null,
      suspend: { reason: "why", failedSince: NOON + 5 },
    });
    await store.outbox.settle([dead]);
    const statuses = await Promise.all(ids.map((id) => statusOf(store, id)));
    assert.deepEqual(statuses, ["dead", "dead", "pending"]);
    const heard = await store.read(W1).subscriptions.matching(EVENT, ACCOUNT, NOON);
    assert.deepEqual(
      heard.map(({ seq }) => seq),
      [other.seq],
    );
    const resend = store.write(W1, ({ deliveries }) => deliveries.resend(ids[0] as string, NOON));
    assert.equal(await resend, false);
  });

  test("a webhook with a success since the failures began is not suspended", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    for (let i = 0; i < 3; i += 1) await send(store, row);
    const [a, b, c] = (await claim(store, "a.example")).map(({ seq }) => seq) as [number, number, number];
    await store.outbox.settle([failure(a, { at: NOON }), settlement(b)]);
    const suspend = { reason: "why", failedSince: NOON };
    await store.outbox.settle([failure(c, { at: NOON + 9, status: "dead", nextAttemptAt: null, suspend })]);
    const stored = await store.read(W1).subscriptions.find(row.id);
    assert.deepEqual([stored?.suspendedAt, stored?.failedSince], [null, NOON + 9]);
  });

  test("a returned delivery is due immediately, and another server's claim or a finished delivery is not changed", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    for (let i = 0; i < 3; i += 1) await send(store, row);
    const mine = await claimOne(store, "a.example");
    const others = await claimOne(store, "a.example", { lease: "other" });
    const settled = await claimOne(store, "a.example");
    await store.outbox.settle([failure(settled.seq)]);
    assert.deepEqual(await claim(store, "a.example"), []);
    await store.outbox.release("lease", [mine.seq, others.seq, settled.seq], NOON);
    const again = await claim(store, "a.example", { lease: "heir" });
    assert.deepEqual(
      again.map(({ seq }) => seq),
      [mine.seq],
    );
  });
}
