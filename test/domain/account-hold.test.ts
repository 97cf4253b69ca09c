import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountHeld, accountHoldAfter, afterReady, heldAt } from "../../src/domain/socialnet/eligibility.ts";

const NOW = 1_000;
const TOMORROW = 5_000;
const limit: AccountHeld = { reason: "rate_limited", until: TOMORROW };

test("a hold for a network limit lasts its full time, even if other holds end", () => {
  for (const door of ["login_required", "captcha"] as const) {
    const closed = accountHoldAfter(door, TOMORROW, null);
    assert.deepEqual(afterReady(closed, NOW), null);
    for (const both of [accountHoldAfter(door, TOMORROW, limit), accountHoldAfter("rate_limited", TOMORROW, closed)]) {
      assert.equal(heldAt(both, NOW)?.reason, door);
      assert.deepEqual(heldAt(both, TOMORROW), { reason: door, until: null }, "a door is not opened by time");
      assert.deepEqual(afterReady(both, NOW), limit);
      assert.equal(afterReady(both, TOMORROW), null);
    }
  }
  assert.deepEqual([heldAt(limit, NOW), heldAt(limit, TOMORROW)], [limit, null]);
  assert.deepEqual(afterReady(limit, NOW), limit);
});
