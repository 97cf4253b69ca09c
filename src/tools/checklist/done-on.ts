import { z } from "zod";
import type { Context } from "../../context.ts";
import { dayOf } from "../../domain/date.ts";
import { problem } from "../../problem.ts";

export const doneOn = z.iso
  .date()
  .optional()
  .describe("With status done alone: the day in UTC on which it was done, YYYY-MM-DD. Default: today.");

/**
 * The day that a mark is for: of a done one the given day or today, of others none.
 *
 * @throws Problem validation_failed
 */
export function dayDone({ now }: Context, status: string, done_on: string | undefined): string | null {
  const today = dayOf(now);
  if (status !== "done") {
    if (done_on === undefined) return null;
    throw problem("validation_failed", "done_on: goes with status done alone; leave it out.");
  }
  if (done_on !== undefined && done_on > today) {
    throw problem("validation_failed", `done_on: lies in the future; today is ${today} in UTC.`);
  }
  return done_on ?? today;
}
