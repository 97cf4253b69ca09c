import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ANNOUNCE_EVERY_MS, type Announced, announcement } from "../../src/domain/socialnet/eligibility.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const known = (announced: number, announcedAt: number | null = NOON): Announced => ({ announced, announcedAt });

test("work after none is announced at once, however recent the last announcement", () => {
  for (const announcedAt of [null, NOON, NOON - ANNOUNCE_EVERY_MS]) {
    const told = { tell: true, after: known(3), again: null };
    assert.deepEqual(announcement(known(0, announcedAt), 3, NOON), told);
  }
});

test("more work is announced 15 minutes after the last announcement at the earliest, with the time to check next", () => {
  assert.equal(ANNOUNCE_EVERY_MS, 900_000);
  const waits = { tell: false, after: known(1), again: NOON + 900_000 };
  for (const later of [0, 1, 899_999]) assert.deepEqual(announcement(known(1), 2, NOON + later), waits, `${later}`);
  for (const later of [900_000, 900_001, 9_000_000]) {
    const told = { tell: true, after: known(2, NOON + later), again: null };
    assert.deepEqual(announcement(known(1), 2, NOON + later), told, `${later}`);
  }
});

test("the same or less work is not announced, and less is remembered for the next comparison", () => {
  for (const count of [0, 1, 3]) {
    const kept = { tell: false, after: known(count), again: null };
    assert.deepEqual(announcement(known(3), count, NOON + 9e6), kept, `${count}`);
  }
});

test("growth is always announced once within 15 minutes, and the first work at once", () => {
  const history = fc.array(fc.record({ claimable: fc.nat(4), ms: fc.nat(ANNOUNCE_EVERY_MS) }), { maxLength: 60 });
  fc.assert(
    fc.property(history, (steps) => {
      let now = NOON;
      let state = known(0, null);
      let previous = 0;
      for (const { claimable, ms } of steps) {
        now += ms;
        const { announced, announcedAt } = state;
        const { tell, after: next, again } = announcement(state, claimable, now);
        if (previous === 0 && claimable > 0) assert.ok(tell);
        if (tell) {
          assert.ok(claimable > announced);
          assert.ok(announced === 0 || now - (announcedAt ?? 0) >= ANNOUNCE_EVERY_MS);
          assert.deepEqual(next, known(claimable, now));
        } else if (claimable > announced) {
          assert.ok(again !== null && again > now && again <= now + ANNOUNCE_EVERY_MS);
          assert.ok(announcement(next, claimable, again).tell, "and is told then");
          assert.ok(!announcement(next, claimable, again - 1).tell);
        } else {
          assert.deepEqual([next, again], [known(claimable, announcedAt), null]);
        }
        assert.ok(!announcement(next, claimable, now).tell, "nothing is told twice");
        state = next;
        previous = claimable;
      }
    }),
  );
});
