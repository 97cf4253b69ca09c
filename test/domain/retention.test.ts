import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceRetention, FAR_AHEAD_MS } from "../../src/domain/time/retention.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/time.ts";

const AT = Date.UTC(2026, 10, 20);

/** The time that passed, the time that the clock shows, and retention's time. Times are relative to AT. */
const CASES: [string, number, number, number, "right" | "ahead" | "back"][] = [
  ["a minute passed, and the clock says so", MINUTE_MS, MINUTE_MS, MINUTE_MS, "right"],
  ["the clock was set a little ahead", MINUTE_MS, HOUR_MS, HOUR_MS, "right"],
  ["the server was off for a week", 0, FAR_AHEAD_MS, FAR_AHEAD_MS, "right"],
  ["the server was off for longer", 0, FAR_AHEAD_MS + 1, 0, "ahead"],
  ["the clock jumped 800 days ahead", MINUTE_MS, 800 * DAY_MS, MINUTE_MS, "ahead"],
  ["a computer ran for a year without a stop", 365 * DAY_MS, 365 * DAY_MS, 365 * DAY_MS, "right"],
  ["the clock was set a little back", MINUTE_MS, -MINUTE_MS, 0, "right"],
  ["the clock went back by a year", MINUTE_MS, -365 * DAY_MS, 0, "back"],
  ["and came back from there", MINUTE_MS, 2 * MINUTE_MS, 2 * MINUTE_MS, "right"],
];

for (const [what, elapsed, clock, at, state] of CASES) {
  test(`retention: ${what}`, () => {
    assert.deepEqual(advanceRetention(AT, elapsed, AT + clock), { at: AT + at, state });
  });
}
