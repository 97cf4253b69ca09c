import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseOf } from "../../../src/store/leases.ts";
import { addKey, claim, claimOne, LEASE_MS, send, settlement, statusOf, subscribe } from "./event-fixtures.ts";
import { found, NOON, type OpenStore, W1 } from "./fixtures.ts";

export function leasesConform(open: OpenStore): void {
  test("deliveries claimed by a dead process are due at once, those claimed by others are not", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    for (let i = 0; i < 3; i++) await send(store, row, { now: NOON - i });
    await claim(store, "a.example", { most: 1, lease: leaseOf("dead", "1") });
    await claim(store, "a.example", { most: 1, lease: leaseOf("dead", "2") });
    await claim(store, "a.example", { most: 1, lease: leaseOf("deader", "3") });
    assert.deepEqual(await store.outbox.dueHosts(NOON, "", 9), []);
    await store.leases.releaseOf("dead", NOON, LEASE_MS);
    assert.equal((await claim(store, "a.example", { lease: leaseOf("heir", "1") })).length, 2);
  });

  test("a delivery that a dead process recorded as received is settled, and not due again", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const id = await send(store, row);
    const unknown = await send(store, row);
    const lease = leaseOf("dead", "1");
    const [first, second] = await claim(store, "a.example", { lease });
    assert.ok(first && second);
    await store.outbox.record([settlement(first.seq, { lease })]);
    await store.leases.releaseOf("dead", NOON + 6, LEASE_MS);
    assert.equal(await statusOf(store, id), "delivered");
    assert.equal((await store.read(W1).subscriptions.find(row.id))?.lastDeliveryAt, NOON + 5);
    assert.equal(await statusOf(store, unknown), "pending");
    assert.equal((await claimOne(store, "a.example", { now: NOON + 6 })).seq, second.seq);
  });

  test("a notification that a dead process was sending is due at once", async (t) => {
    const { notices, leases } = await open(t);
    for (const id of ["a", "b"]) {
      await notices.askReset({ id, email: `${id}@x.example`, now: NOON, expiresAt: NOON + 9_000 });
      await notices.claim(NOON, NOON + 1_000, 1, id);
    }
    await leases.releaseOf("a", NOON + 1, LEASE_MS);
    assert.deepEqual(
      (await notices.claim(NOON + 1, NOON + 1_000, 9, "heir")).map(({ id }) => id),
      ["a"],
    );
  });
}
