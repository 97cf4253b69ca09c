import type { Context } from "../context.ts";
import { firstDueAt } from "../domain/sequence.ts";
import type { ActionRow } from "../store/socialnet-actions.ts";

/** What an action that is over means for the sequence it is a step of: the next step, or the end of the way. */
export async function advanceEnrollment(ctx: Context, { enrollmentId, step, status }: ActionRow): Promise<void> {
  if (enrollmentId === null || step === null) return;
  const { enrollments, sequences } = ctx.store;
  if (status === "failed") {
    await enrollments.stop(enrollmentId, "failed", ctx.now);
    return;
  }
  if (status !== "completed") return;
  const enrollment = await enrollments.find(enrollmentId);
  const sequence = enrollment && (await sequences.find(enrollment.sequenceId));
  const left = sequence?.steps.slice(step + 1) ?? [];
  const next =
    left.length > 0
      ? ({ status: "active", dueAt: firstDueAt(left, ctx.now) } as const)
      : ({ status: "completed", dueAt: null } as const);
  await enrollments.advance(enrollmentId, step, next, ctx.now);
}
