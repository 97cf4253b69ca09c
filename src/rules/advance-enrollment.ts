import type { Context } from "../context.ts";
import { firstDueAt } from "../domain/sequence.ts";
import type { ActionRow } from "../store/socialnet-actions.ts";

/** A step is done: what comes next is due after its days, or the way is at its end. */
export async function advanceEnrollment(ctx: Context, enrollmentId: string, step: number): Promise<void> {
  const { enrollments, sequences } = ctx.store;
  const enrollment = await enrollments.find(enrollmentId);
  const sequence = enrollment && (await sequences.find(enrollment.sequenceId));
  const left = sequence?.steps.slice(step + 1) ?? [];
  const next =
    left.length > 0
      ? ({ status: "active", dueAt: firstDueAt(left, ctx.now) } as const)
      : ({ status: "completed", dueAt: null } as const);
  await enrollments.advance(enrollmentId, step, next, ctx.now);
}

/** What an action that is over means for the sequence it is a step of. */
export async function advanceByAction(
  ctx: Context,
  { enrollmentId, step, status, outcome, note }: ActionRow,
): Promise<void> {
  if (enrollmentId === null || step === null) return;
  if (status === "completed") await advanceEnrollment(ctx, enrollmentId, step);
  else if (status === "failed") {
    await ctx.store.enrollments.stop(enrollmentId, "failed", ctx.now, note ?? outcome);
  }
}
