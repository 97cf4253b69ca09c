import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewSubscription } from "../../../src/store/events.ts";
import {
  ACCOUNT,
  addKey,
  addWebhook,
  claim,
  claimOne,
  EVENT,
  failure,
  isThere,
  KEEP_MS,
  send,
  settlement,
  statusOf,
  subscribe,
} from "./event-fixtures.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, NOON, W1, W2 } from "./fixtures.ts";

export function eventsConform(open: OpenStore): void {
  subscriptionsConform(open);
  deliveriesConform(open);
}

function subscriptionsConform(open: OpenStore): void {
  test("a repeated subscription keeps its number, uses the new secret and lifetime, and is no longer suspended", async (t) => {
    const store = await found(await open(t));
    const principal = { keyId: await addKey(store) };
    const first = await subscribe(store, { principal });
    await send(store, first);
    const { seq } = await claimOne(store, "a.example");
    await store.outbox.settle([
      failure(seq, { status: "dead", nextAttemptAt: null, suspend: { reason: "too long", failedSince: NOON + 5 } }),
    ]);
    const suspended = await store.read(W1).subscriptions.find(first.id);
    assert.deepEqual(
      [suspended?.suspendedAt, suspended?.suspendedReason, suspended?.failedSince, suspended?.lastError],
      [NOON + 5, "too long", NOON + 5, "http_5xx"],
    );
    const renewal = { secret: "v1.aaaaaaaa.y", expiresAt: NOON + 2 * KEEP_MS, verifiedAt: NOON + 9, now: NOON + 10 };
    const again = await subscribe(store, { ...first, ...renewal, previousSecretUntil: NOON + 100 });
    const renewed = await store.read(W1).subscriptions.find(first.id);
    assert.equal(again.seq, first.seq);
    assert.deepEqual(
      [renewed?.secret, renewed?.expiresAt, renewed?.verifiedAt, renewed?.suspendedAt, renewed?.suspendedReason],
      ["v1.aaaaaaaa.y", NOON + 2 * KEEP_MS, NOON + 9, null, null],
    );
    await send(store, first, { now: NOON + 10 });
    const [claimed] = await claim(store, "a.example", { now: NOON + 10 });
    const { secret, previousSecret, previousSecretUntil } = claimed?.subscription ?? {};
    assert.deepEqual([secret, previousSecret, previousSecretUntil], ["v1.aaaaaaaa.y", "v1.aaaaaaaa.x", NOON + 100]);
  });

  test("a repeat with the same secret leaves the replaced one and its time unchanged", async (t) => {
    const store = await found(await open(t));
    const first = await subscribe(store, { principal: { keyId: await addKey(store) } });
    await subscribe(store, { ...first, secret: "v1.aaaaaaaa.y", previousSecretUntil: NOON + 100 });
    await subscribe(store, { ...first, secret: "v1.aaaaaaaa.z" });
    await send(store, first);
    const [claimed] = await claim(store, "a.example");
    const { secret, previousSecret, previousSecretUntil } = claimed?.subscription ?? {};
    assert.deepEqual([secret, previousSecret, previousSecretUntil], ["v1.aaaaaaaa.z", "v1.aaaaaaaa.x", NOON + 100]);
  });

  test("a URL is verified per principal, at its newest proof, across all of its subscriptions there", async (t) => {
    const store = await found(await open(t));
    const [mine, other] = [{ keyId: await addKey(store) }, { keyId: await addKey(store) }];
    const url = "https://a.example/hook";
    const webhook = { webhookId: await addWebhook(store, url) };
    await subscribe(store, { principal: mine, verifiedAt: NOON - 5 });
    await subscribe(store, { principal: mine, verifiedAt: NOON - 9 });
    await subscribe(store, { principal: webhook, verifiedAt: NOON, expiresAt: null });
    const { subscriptions } = store.read(W1);
    assert.equal(await subscriptions.verifiedAt(mine, url), NOON - 5);
    assert.equal(await subscriptions.verifiedAt(webhook, url), NOON);
    assert.equal(await subscriptions.verifiedAt(other, url), undefined);
    assert.equal(await subscriptions.verifiedAt(mine, `${url}?x`), undefined);
    assert.equal(await store.read(W2).subscriptions.verifiedAt(mine, url), undefined);
  });

  test("live subscriptions are counted by key and by workspace; expired ones and webhooks are not", async (t) => {
    const store = await found(await open(t));
    const [mine, other, theirs] = [
      { keyId: await addKey(store) },
      { keyId: await addKey(store) },
      { keyId: await addKey(store, {}, W2) },
    ];
    for (const principal of [mine, mine, other]) await subscribe(store, { principal });
    await subscribe(store, { principal: mine, expiresAt: NOON });
    await subscribe(store, { principal: { webhookId: await addWebhook(store, "https://a.example") }, expiresAt: null });
    await subscribe(store, { principal: theirs, workspaceId: W2 });
    assert.deepEqual(await store.read(W1).subscriptions.count(mine, NOON), { own: 2, all: 3 });
    assert.deepEqual(await store.read(W1).subscriptions.count(mine, NOON - 1), { own: 3, all: 4 });
    assert.deepEqual(await store.read(W2).subscriptions.count(theirs, NOON), { own: 1, all: 1 });
  });

  test("an event goes to its workspace's live subscriptions to it, of the account or of all", async (t) => {
    const store = await found(await open(t));
    const principal = { keyId: await addKey(store) };
    const all = await subscribe(store, { principal });
    const one = await subscribe(store, { principal, accountId: ACCOUNT });
    const webhook = { webhookId: await addWebhook(store, "https://a.example") };
    const forGood = await subscribe(store, { principal: webhook, expiresAt: null });
    await subscribe(store, { principal, accountId: idOf(1) });
    await subscribe(store, { principal, event: "socialnet.work.available" });
    await subscribe(store, { principal, expiresAt: NOON });
    await subscribe(store, { principal: { keyId: await addKey(store, { revokedAt: NOON - 1 }) } });
    await subscribe(store, { principal: { keyId: await addKey(store, { expiresAt: NOON }) } });
    await subscribe(store, { principal: { keyId: await addKey(store, {}, W2) }, workspaceId: W2 });
    const heard = await store.read(W1).subscriptions.matching(EVENT, ACCOUNT, NOON);
    assert.deepEqual(heard.map(({ seq }) => seq).sort(), [all.seq, one.seq, forGood.seq].sort());
    assert.deepEqual(
      heard.map(({ url }) => url),
      Array(3).fill("https://a.example/hook"),
    );
  });

  test("a subscription is removed only by its own principal, with its pending deliveries", async (t) => {
    const store = await found(await open(t));
    const [mine, other] = [{ keyId: await addKey(store) }, { keyId: await addKey(store) }];
    const row = await subscribe(store, { principal: mine });
    const kept = await subscribe(store, { principal: other });
    const [dropped, waiting] = [await send(store, row), await send(store, kept)];
    const remove = (principal: typeof mine, workspaceId = W1) =>
      store.write(workspaceId, ({ subscriptions }) => subscriptions.remove(row.id, principal, NOON));
    await remove(other);
    await remove(mine, W2);
    assert.ok(await isThere(store, row));
    assert.equal(await statusOf(store, dropped), "pending");
    await remove(mine);
    await remove(mine);
    assert.equal(await isThere(store, row), false);
    assert.deepEqual([await statusOf(store, dropped), await statusOf(store, waiting)], ["dropped", "pending"]);
    const anew = await subscribe(store, row);
    assert.ok(anew.seq > kept.seq, "a number is never given twice");
  });

  test("a webhook registered again while it is deleted is the same one, alive", async (t) => {
    const store = await found(await open(t));
    const id = await addWebhook(store, "https://a.example/hook");
    await store.write(W1, ({ webhooks }) => webhooks.remove(id, NOON + 1));
    const again = { id, url: "https://a.example/hook", events: [EVENT, "b"], createdBy: "other", createdAt: NOON + 2 };
    await store.write(W1, ({ webhooks }) => webhooks.insert(again));
    const { rows, total } = await store.read(W1).webhooks.list({ limit: 9, offset: 0 });
    assert.deepEqual([rows, total], [[{ ...again, suspendedAt: null, suspendedReason: null }], 1]);
  });

  test("the data keys are those that sealed stored data, and the last one recorded", async (t) => {
    const store = await found(await open(t));
    assert.deepEqual(await store.dataKeys(), { sealed: [], recorded: undefined });
    const principal = { keyId: await addKey(store) };
    for (const secret of ["v1.aaaaaaaa.x", "v1.bbbbbbbb.y.z", "v1.aaaaaaaa.w"])
      await subscribe(store, { principal, secret });
    for (const id of ["aaaaaaaa", "bbbbbbbb", "bbbbbbbb"]) await store.recordDataKey(id, NOON);
    const { sealed, recorded } = await store.dataKeys();
    assert.deepEqual([sealed.sort(), recorded], [["aaaaaaaa", "bbbbbbbb"], "bbbbbbbb"]);
  });
}

function deliveriesConform(open: OpenStore): void {
  test("a webhook is found by id and URL, listed newest first, and removed with its subscriptions, in its workspace", async (t) => {
    const store = await found(await open(t));
    const old = await addWebhook(store, "https://a.example/hook");
    const young = await addWebhook(store, "https://b.example/hook");
    await addWebhook(store, "https://a.example/hook", W2);
    const row = await subscribe(store, { principal: { webhookId: old }, expiresAt: null });
    const waiting = await send(store, row);
    const { webhooks } = store.read(W1);
    assert.deepEqual(
      [(await webhooks.findByUrl("https://a.example/hook"))?.id, (await webhooks.find(old))?.id],
      [old, old],
    );
    const page = await webhooks.list({ limit: 1, offset: 0 });
    assert.deepEqual([page.rows.map(({ id }) => id), page.total], [[young], 2]);
    await store.write(W1, ({ webhooks }) => webhooks.setEvents(old, ["x", "y"]));
    assert.deepEqual((await webhooks.find(old))?.events, ["x", "y"]);

    await store.write(W2, ({ webhooks }) => webhooks.setEvents(old, []));
    assert.equal(await store.write(W2, ({ webhooks }) => webhooks.remove(old, NOON)), false);
    assert.equal(await store.read(W2).webhooks.find(old), undefined);
    assert.ok(await isThere(store, row));
    assert.equal(await store.write(W1, ({ webhooks }) => webhooks.remove(old, NOON)), true);
    assert.equal(await store.write(W1, ({ webhooks }) => webhooks.remove(old, NOON)), false);
    assert.equal(await isThere(store, row), false);
    assert.equal(await statusOf(store, waiting), "dropped");
    assert.equal(await webhooks.findByUrl("https://a.example/hook"), undefined);
    assert.equal((await webhooks.list({ limit: 9, offset: 0 })).total, 1);
    await addWebhook(store, "https://a.example/hook");
    await assert.rejects(addWebhook(store, "https://a.example/hook"), "an address has one webhook");
  });

  test("deliveries are listed newest first with their attempts, by status, in their workspace", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const [old, young] = [await send(store, row), await send(store, row, { now: NOON + 1 })];
    const { seq } = await claimOne(store, "a.example");
    await store.outbox.settle([failure(seq)]);
    await claim(store, "a.example", { now: NOON + 5_000 });
    // Twice: who lost the database during a commit can't know whether it was done.
    for (let i = 0; i < 2; i += 1) await store.outbox.settle([settlement(seq, { at: NOON + 5_001, durationMs: 9 })]);
    const { deliveries } = store.read(W1);
    const all = await deliveries.list({ limit: 9, offset: 0, status: undefined });
    assert.deepEqual([all.rows.map(({ id }) => id), all.total], [[young, old], 2]);
    const { rows, total } = await deliveries.list({ limit: 9, offset: 0, status: "delivered" });
    assert.equal(total, 1);
    const { eventId: _, ...shown } = rows[0] ?? {};
    assert.deepEqual(shown, {
      id: old,
      url: row.url,
      event: EVENT,
      kind: "event",
      status: "delivered",
      nextAttemptAt: null,
      lastError: null,
      createdAt: NOON,
      finishedAt: NOON + 5_001,
      attempts: [
        { at: NOON + 5, outcome: "5xx", durationMs: 7 },
        { at: NOON + 5_001, outcome: "2xx", durationMs: 9 },
      ],
    });
    assert.equal((await deliveries.list({ limit: 1, offset: 1, status: undefined })).rows[0]?.id, old);
    assert.equal(await store.read(W2).deliveries.find(old), undefined);
    assert.equal((await store.read(W2).deliveries.list({ limit: 9, offset: 0, status: undefined })).total, 0);
  });

  test("only a finished delivery of an active subscription can be resent", async (t) => {
    const store = await found(await open(t));
    const resend = (id: string, workspaceId = W1, now = NOON + 10) =>
      store.write(workspaceId, ({ deliveries }) => deliveries.resend(id, now));
    const keyId = await addKey(store, { expiresAt: NOON + KEEP_MS / 2 });
    const finished = async (changes: Partial<NewSubscription> = {}) => {
      const row = await subscribe(store, { principal: { keyId }, ...changes });
      const id = await send(store, row);
      const { seq } = await claimOne(store, "a.example");
      await store.outbox.settle([settlement(seq)]);
      return { id, row };
    };
    const one = await finished();
    assert.equal(await resend(one.id, W2), false);
    assert.equal(await resend(one.id), true);
    assert.equal(await resend(one.id), false, "it is on its way");
    const [again] = await claim(store, "a.example", { now: NOON + 10 });
    assert.deepEqual([again?.attempts, again?.eventId.startsWith("evt_")], [0, true]);
    await store.outbox.settle([settlement(again?.seq ?? 0)]);

    assert.equal(await resend(one.id, W1, one.row.expiresAt as number), false, "expired");
    assert.equal(await resend(one.id, W1, NOON + KEEP_MS / 2), false, "its key has expired");
    await store.write(W1, ({ keys }) => keys.revoke(keyId, NOON));
    assert.equal(await resend(one.id), false, "its key was revoked");
  });
}
