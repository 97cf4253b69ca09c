import assert from "node:assert/strict";
import { test } from "node:test";
import { findMovedStep, type Step } from "../../src/domain/outreach/sequence.ts";

/** `a` to `z`: emails; `A` to `Z`: network messages; digits: waits. */
function stepsOf(text: string): Step[] {
  return [...text].map((mark) => {
    if (/\d/.test(mark)) return { type: "wait", days: Number(mark) };
    if (/[a-z]/.test(mark)) return { type: "email", subject: mark, body: mark, delay_days: 0 };
    return { type: "socialnet_message", body: mark, delay_days: 0 };
  });
}

const EDITS: [before: string, after: string, reached: number, moved: number | undefined][] = [
  ["abc", "abc", 2, undefined],
  ["abc", "abcd", 2, undefined],
  ["abc", "xbc", 2, undefined],
  ["a1b2c", "a3b4c", 4, undefined],
  ["a1b2c", "a2b1c", 4, undefined],
  ["abc", "abxc", 1, undefined],
  ["abc", "ab", 1, undefined],
  ["abc", "acb", 0, undefined],
  ["abab", "abax", 2, undefined],
  ["aab", "axb", 2, undefined],
  // Inserted, removed or moved: counted from the first position that changed.
  ["abc", "xabc", 0, 0],
  ["abc", "xabc", 2, 0],
  ["abc", "axbc", 1, 1],
  ["abc", "bc", 1, 0],
  ["abc", "ac", 1, 1],
  ["abc", "bac", 1, 0],
  ["abc", "xab", 1, 0],
  ["abc", "ab", 2, 2],
  ["a1b", "ab", 2, 1],
  ["aBc", "abc", 1, 1],
  ["abc", "cbx", 0, 0],
];

test("an edit can change text and days of reached steps and anything after them, but can't move a reached step", () => {
  for (const [before, after, reached, moved] of EDITS) {
    assert.equal(
      findMovedStep(stepsOf(before), stepsOf(after), reached)?.index,
      moved,
      `${before} to ${after} at ${reached}`,
    );
  }
});
