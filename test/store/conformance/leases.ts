import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseOf } from "../../../src/store/leases.ts";
import { addKey, claim, send, subscribe } from "./event-fixtures.ts";
import { found, NOON, type OpenStore } from "./fixtures.ts";

export function leasesConform(open: OpenStore): void {
  test("deliveries claimed by a dead process are due at once, those claimed by others are not", async (t) => {
    const store = await found(await open(t));
    const row = await subscribe(store, { principal: { keyId: await addKey(store) } });
    for (let i = 0; i < 3; i++) await send(store, row, { now: NOON - i });
    await claim(store, "a.example", { most: 1, lease: leaseOf("dead", "1") });
    await claim(store, "a.example", { most: 1, lease: leaseOf("dead", "2") });
    await claim(store, "a.example", { most: 1, lease: leaseOf("deader", "3") });
    assert.deepEqual(await store.outbox.dueHosts(NOON, "", 9), []);
    await store.leases.releaseOf("dead", NOON);
    assert.equal((await claim(store, "a.example", { lease: leaseOf("heir", "1") })).length, 2);
  });

  test("a notification that a dead process was sending is due at once", async (t) => {
    const { notices, leases } = await open(t);
    for (const id of ["a", "b"]) {
      await notices.askReset({ id, email: `${id}@x.example`, now: NOON, expiresAt: NOON + 9_000 });
      await notices.claim(NOON, NOON + 1_000, 1, id);
    }
    await leases.releaseOf("a", NOON + 1);
    assert.deepEqual(
      (await notices.claim(NOON + 1, NOON + 1_000, 9, "heir")).map(({ id }) => id),
      ["a"],
    );
  });
}
