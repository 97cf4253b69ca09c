import type { Context } from "../context.ts";
import { blockOf, type HoldReason, type Postponed, postponementOf } from "../domain/sending.ts";
import type { Fillings, Step } from "../domain/sequence.ts";
import { isConnected } from "../domain/social-status.ts";
import type { ContactRecord } from "../store/contacts.ts";
import type { EnrollmentRow } from "../store/enrollments.ts";
import type { SequenceRow } from "../store/sequences.ts";
import { advanceEnrollment } from "./advance-enrollment.ts";
import { type AtStep, hold } from "./at-step.ts";
import { hashCopy } from "./hash-sequence.ts";
import { planStep } from "./plan-step.ts";
import { type Outgoing, prepareSend } from "./prepare-send.ts";
import { workspaceBlocks, workspaceStanding } from "./sending-standing.ts";
import { stopContact } from "./stop-contact.ts";

/**
 * Takes the step that is due in an enrollment, where everything still allows it: what was true when it was enrolled is
 * looked at again. What forbids it for good ends the enrollment, what a person must mend holds it, and what time will
 * mend puts it off.
 *
 * @returns the message to send, which is recorded as being sent; undefined where there is none; null where nothing
 * changed, because it is not due or somebody keeps the whole sequence back
 */
export async function takeStep(
  ctx: Context,
  enrollmentId: string,
  messageIdFor: AtStep["messageIdFor"],
): Promise<Outgoing | undefined | null> {
  const enrollment = await ctx.store.enrollments.find(enrollmentId);
  if (enrollment === undefined || !isDue(enrollment, ctx.now)) return null;
  const sequence = (await ctx.store.sequences.find(enrollment.sequenceId)) as SequenceRow;
  const step = sequence.steps[enrollment.currentStep];
  const postponed = await postponement(ctx, enrollment, sequence, step);
  if (postponed?.until === null) return null;
  if (postponed !== null) {
    const { until: dueAt, reason: postponedReason } = postponed;
    await ctx.store.enrollments.wait(enrollmentId, enrollment.currentStep, { dueAt, postponedReason });
    return undefined;
  }
  const record = await ctx.store.contacts.find(enrollment.contactId);
  if (record === undefined) {
    await stopContact(ctx, enrollment.contactId, "archived");
    return undefined;
  }
  const { email } = record.contact;
  if (email !== null && (await ctx.store.suppressions.has(email))) {
    await stopContact(ctx, enrollment.contactId, "suppressed");
    return undefined;
  }
  if (step === undefined) {
    await advanceEnrollment(ctx, enrollmentId, enrollment.currentStep);
    return undefined;
  }
  const held = await unauthorised(ctx, enrollment, sequence, record);
  if (held !== undefined) {
    await hold(ctx, enrollment, held);
    return undefined;
  }
  return act(ctx, { enrollment, sequence, record, step, fillings: await fillingsOf(ctx, record), messageIdFor });
}

async function postponement(
  ctx: Context,
  { id, currentStep }: EnrollmentRow,
  { status }: SequenceRow,
  step: Step | undefined,
): Promise<Postponed | null> {
  if (step?.type !== "email") return blockOf({ ...(await workspaceBlocks(ctx)), sequence: status });
  // The engine knows by itself which mail server it sends through, and whether that rests.
  const standing = { ...(await workspaceStanding(ctx)), sequence: status, restsUntil: null };
  const { capLeft, calendar } = standing;
  if (capLeft === 0) {
    // Of those that were counted today, this one may be tried again: it is one message still.
    const before = await ctx.store.sends.ofStep(id, currentStep);
    if (before !== undefined && before.lastAttemptAt >= calendar.dayStart) standing.capLeft = 1;
  }
  return postponementOf(step.type, standing);
}

function isDue({ status, heldReason, dueAt }: EnrollmentRow, now: number): boolean {
  return status === "active" && heldReason === null && dueAt !== null && dueAt <= now;
}

/** Only an applied approval of the steps as they read, for the contact as it was, authorises. */
async function unauthorised(
  ctx: Context,
  enrollment: EnrollmentRow,
  sequence: SequenceRow,
  { contact }: ContactRecord,
): Promise<HoldReason | undefined> {
  const copyHash = hashCopy(contact, sequence.steps);
  const asked = { sequenceId: sequence.id, stepsHash: sequence.stepsHash, contactId: enrollment.contactId, copyHash };
  const approval = await ctx.store.approvals.covering(asked);
  if (approval === undefined) return "not_authorised";
  return approval.copyHash === copyHash ? undefined : "contact_changed";
}

async function act(ctx: Context, at: AtStep): Promise<Outgoing | undefined> {
  const { enrollment, step, record } = at;
  if (step.type === "wait" || (step.type === "socialnet_connect" && isConnected(record.socialStatus))) {
    await advanceEnrollment(ctx, enrollment.id, enrollment.currentStep);
    return undefined;
  }
  if (step.type === "email") return prepareSend(ctx, at, step);
  await planStep(ctx, at, step);
  return undefined;
}

async function fillingsOf(ctx: Context, { contact }: ContactRecord): Promise<Fillings> {
  const { first_name, last_name, company, job_title } = contact;
  const { senderName } = await ctx.store.workspace.sendingPolicy();
  return { first_name, last_name, company, job_title, sender_name: senderName };
}
