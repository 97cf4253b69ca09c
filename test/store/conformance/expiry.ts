import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addKey,
  addWebhook,
  claim,
  claimOne,
  expireNow,
  failure,
  isThere,
  KEEP_MS,
  send,
  settlement,
  statusOf,
  subscribe,
} from "./event-fixtures.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, NOON, W1 } from "./fixtures.ts";

export function expiryConforms(open: OpenStore): void {
  test("an expired subscription is deleted with its pending deliveries, without a notification", async (t) => {
    const store = await found(await open(t));
    const keyId = await addKey(store);
    const row = await subscribe(store, { principal: { keyId }, expiresAt: NOON + 1 });
    const waiting = await send(store, row);
    assert.equal(await expireNow(store, NOON), 0);
    assert.ok(await isThere(store, row));
    await store.write(W1, ({ keys }) => keys.revoke(keyId, NOON + 1));
    assert.ok((await expireNow(store, NOON + 1)) > 0);
    assert.equal(await isThere(store, row), false);
    assert.equal(await statusOf(store, waiting), "dropped");
    assert.deepEqual(await claim(store, "a.example", { now: NOON + 1 }), []);
  });

  test("a subscription whose key was revoked or has expired sends one final notification, and is then deleted", async (t) => {
    const store = await found(await open(t));
    const revoked = await addKey(store, { revokedAt: NOON });
    const lapsed = await addKey(store, { expiresAt: NOON });
    for (const [keyId, reason] of [
      [revoked, "revoked_key"],
      [lapsed, "expired_key"],
    ] as const) {
      const row = await subscribe(store, { principal: { keyId } });
      const waiting = await send(store, row);
      assert.equal(await expireNow(store, NOON), 1);
      assert.equal(await expireNow(store, NOON), 0);
      assert.ok(await isThere(store, row), "until it was said");
      assert.equal(await statusOf(store, waiting), "dropped");
      const [word, ...more] = await claim(store, "a.example");
      assert.deepEqual([word?.kind, word?.body, more], ["terminated", `{"reason":"${reason}"}`, []]);
      assert.deepEqual([word?.subscription.id, word?.subscription.secret], [row.id, row.secret]);
      await store.outbox.settle([failure(word?.seq ?? 0, { status: "dead", nextAttemptAt: null })]);
      assert.equal(await expireNow(store, NOON), 1);
      assert.equal(await isThere(store, row), false);
      const { rows } = await store.read(W1).deliveries.list({ limit: 1, offset: 0, status: "dead" });
      const resend = store.write(W1, ({ deliveries }) => deliveries.resend(rows[0]?.id ?? "", NOON));
      assert.equal(await resend, false, "a last word is said once");
    }
  });

  test("active webhooks and keys are kept", async (t) => {
    const store = await found(await open(t));
    const webhookId = await addWebhook(store, "https://a.example/hook");
    const rows = [
      await subscribe(store, { principal: { keyId: await addKey(store, { expiresAt: NOON + 1 }) } }),
      await subscribe(store, { principal: { webhookId }, expiresAt: null }),
    ];
    assert.equal(await expireNow(store, NOON), 0);
    for (const row of rows) assert.ok(await isThere(store, row));
  });

  test("finished deliveries are deleted after their retention, with their attempts; pending ones are not", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) }, expiresAt: NOON + 9 * KEEP_MS });
    const [done, waiting] = [await send(store, row), await send(store, row, { now: NOON + 1 })];
    const { seq } = await claimOne(store, "a.example");
    await store.outbox.settle([settlement(seq, { at: NOON })]);
    assert.equal(await expireNow(store, NOON + KEEP_MS), 0);
    assert.equal(await expireNow(store, NOON + KEEP_MS + 1), 1);
    assert.deepEqual([await statusOf(store, done), await statusOf(store, waiting)], [undefined, "pending"]);
    assert.equal((await store.read(W1).deliveries.list({ limit: 9, offset: 0, status: undefined })).total, 1);
  });
}
