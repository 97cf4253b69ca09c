import type { Context } from "../../core/context.ts";
import type { HoldReason } from "../../domain/outreach/sending.ts";
import { firstDueAt } from "../../domain/outreach/sequence.ts";
import type { EnrollmentRow, SequenceRow, StoppedStatus } from "../../store/outreach.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import { type StopReason, stopActions } from "../socialnet/stop-actions.ts";
import { cancelAnswers } from "./answers.ts";

/**
 * Starts a contact on a sequence, under the approval that authorizes it. The enrollment is on hold from the start if
 * the contact has changed since the approval.
 *
 * @returns undefined where the contact is or was enrolled before
 */
export async function enroll(
  ctx: Context,
  sequence: SequenceRow,
  contactId: string,
  { approvalId, changed }: { approvalId: string; changed: boolean },
): Promise<EnrollmentRow | undefined> {
  const enrollment: EnrollmentRow = {
    id: ctx.newId(),
    sequenceId: sequence.id,
    contactId,
    approvalId,
    status: "active",
    heldReason: changed ? "contact_changed" : null,
    heldDetail: null,
    postponedReason: null,
    currentStep: 0,
    dueAt: firstDueAt(sequence.steps, ctx.now),
    enrolledAt: ctx.now,
    endedAt: null,
    endedReason: null,
  };
  return (await ctx.store.enrollments.insert(enrollment)) ? enrollment : undefined;
}

/** Puts an enrollment on hold until a person fixes the reason. */
export async function holdEnrollment(
  ctx: Context,
  { id, currentStep, dueAt }: EnrollmentRow,
  heldReason: HoldReason,
  heldDetail: string | null = null,
): Promise<void> {
  await ctx.store.enrollments.wait(id, currentStep, { dueAt: dueAt ?? ctx.now, heldReason, heldDetail });
}

/** A step is done: the next one is due after its days, or the enrollment is completed. */
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

/** Passes the end of an action on to the sequence that it is a step of. */
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

/** Ends an enrollment before its last step, with its open actions. @returns undefined where it was over */
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

const STOPPED_STATUS = {
  suppressed: "stopped_suppressed",
  archived: "stopped_by_member",
  replied: "stopped_replied",
  not_interested: "stopped_by_member",
} as const satisfies Partial<Record<StopReason, StoppedStatus>>;

/** Stops everything that is open for a contact, on every channel. With a time given, only what began before it. */
export async function stopContact(
  ctx: Context,
  contactId: string,
  reason: keyof typeof STOPPED_STATUS,
  begunBy = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await ctx.store.enrollments.stopAll(contactId, STOPPED_STATUS[reason], ctx.now, begunBy);
  await stopActions(ctx, { contactId }, reason, begunBy);
  // Other reasons don't stop an answer, which a person wrote. After a newer reply, it needs review again.
  if (reason === "suppressed" || reason === "archived") await cancelAnswers(ctx, contactId, reason);
}
