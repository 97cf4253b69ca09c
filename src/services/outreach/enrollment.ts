import type { Context } from "../../core/context.ts";
import { firstDueAt } from "../../domain/outreach/sequence.ts";
import type { EnrollmentRow, StoppedStatus } from "../../store/outreach.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import { type StopReason, stopActions } from "../socialnet/actions.ts";

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

const ENROLLMENT = {
  suppressed: "stopped_suppressed",
  archived: "stopped_by_member",
  replied: "stopped_replied",
} as const satisfies Partial<Record<StopReason, StoppedStatus>>;

/** Stops everything that is open for a contact, on every channel; where a time is given, what was begun by then. */
export async function stopContact(
  ctx: Context,
  contactId: string,
  reason: keyof typeof ENROLLMENT,
  begunBy = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await ctx.store.enrollments.stopAll(contactId, ENROLLMENT[reason], ctx.now, begunBy);
  await stopActions(ctx, { contactId }, reason, begunBy);
}
