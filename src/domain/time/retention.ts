import { DAY_MS, HOUR_MS } from "../../lib/time.ts";

/** How far ahead of the time that really passed a clock may be. A server that was off for longer needs a person's word. */
export const FAR_AHEAD_MS = 7 * DAY_MS;
const FAR_BACK_MS = HOUR_MS;

/** How the machine's clock compares with the time that has really passed. */
export type ClockState = "right" | "ahead" | "back";

export interface RetentionTime {
  /** By when retention counts. It follows the clock, and goes on by what really passed while the clock is far ahead. */
  at: number;
  state: ClockState;
}

/**
 * Moves the time by which old rows are deleted. A clock that is set years ahead by mistake must not delete years of
 * history, and one that was set back must not do it when it is set right.
 *
 * @param at where it was
 * @param elapsed how many milliseconds have really passed since; 0 if unknown, as before a start
 * @param now what the clock shows
 */
export function advanceRetention(at: number, elapsed: number, now: number): RetentionTime {
  const expected = at + elapsed;
  if (now - expected > FAR_AHEAD_MS) return { at: expected, state: "ahead" };
  return { at: Math.max(at, now), state: expected - now > FAR_BACK_MS ? "back" : "right" };
}
