import type { Context } from "../context.ts";
import type { EnrollmentRow, StoppedStatus } from "../store/enrollments.ts";
import { stopActions } from "./stop-actions.ts";

/** Ends one way through a sequence before its last step, with what the ledger still has of it. @returns undefined where it was over */
export async function endEnrollment(
  ctx: Context,
  id: string,
  status: StoppedStatus,
  reason: string | null = null,
): Promise<EnrollmentRow | undefined> {
  const ended = await ctx.store.enrollments.stop(id, status, ctx.now, reason);
  if (ended !== undefined) await stopActions(ctx, { enrollmentId: id }, "enrollment_ended");
  return ended;
}
