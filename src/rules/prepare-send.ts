import type { Context } from "../context.ts";
import type { Step } from "../domain/sequence.ts";
import type { SendRow } from "../store/sends.ts";
import { type AtStep, fillOrHold, hold } from "./at-step.ts";
import { hashCopy } from "./hash-sequence.ts";

/** How long whoever sends a message is believed to be alive without a word: longer than any mail server is waited for. */
export const SEND_LEASE_MS = 15 * 60_000;

/** A message that is recorded as being sent: from here on it is handed over, or nobody knows. */
export interface Outgoing {
  workspaceId: string;
  send: SendRow;
  subject: string;
  body: string;
  senderName: string | null;
  to: { address: string; name: string };
  /** Message-IDs of the enrollment's earlier messages. */
  earlier: string[];
  /** What was approved, as it read when the step was taken. */
  approved: { stepsHash: string; copyHash: string };
}

export async function prepareSend(
  ctx: Context,
  at: AtStep,
  step: Extract<Step, { type: "email" }>,
): Promise<Outgoing | undefined> {
  const { enrollment, sequence, record } = at;
  const { email: address, first_name, last_name } = record.contact;
  if (address === null) {
    await hold(ctx, enrollment, "no_address");
    return undefined;
  }
  const filled = await fillOrHold(ctx, at, step.subject, step.body);
  if (filled === undefined) return undefined;
  const [subject = "", body = ""] = filled;
  const send = await beginSend(ctx, at, address, subject);
  // While it is under way nothing is due: its end says what comes next.
  await ctx.store.enrollments.wait(enrollment.id, enrollment.currentStep, { dueAt: null });
  return {
    ...{ workspaceId: ctx.workspaceId, send, subject, body, senderName: at.fillings.sender_name },
    to: { address, name: [first_name, last_name].filter(Boolean).join(" ") },
    earlier: await ctx.store.sends.thread(enrollment.id),
    approved: { stepsHash: sequence.stepsHash, copyHash: hashCopy(record.contact, sequence.steps) },
  };
}

/** The row of this step's message: the one that was tried before, or a new one. */
async function beginSend(
  ctx: Context,
  { enrollment, messageIdFor }: AtStep,
  address: string,
  subject: string,
): Promise<SendRow> {
  const { sends } = ctx.store;
  const lease = { leaseUntil: ctx.now + SEND_LEASE_MS, lastAttemptAt: ctx.now, address, subject };
  const before = await sends.ofStep(enrollment.id, enrollment.currentStep);
  if (before !== undefined) {
    const again = await sends.move(before.id, ["retry", "dropped"], "sending", ctx.now, {
      ...lease,
      attempts: before.attempts + 1,
    });
    if (again === undefined)
      throw new Error(`The message ${before.id} is ${before.status}, and its step is due again.`);
    return again;
  }
  const id = ctx.newId();
  const send: SendRow = {
    ...{ id, enrollmentId: enrollment.id, sequenceId: enrollment.sequenceId, contactId: enrollment.contactId },
    ...{
      step: enrollment.currentStep,
      messageId: messageIdFor(id),
      status: "sending",
      attempts: 1,
      detail: null,
      ...lease,
    },
    ...{ createdAt: ctx.now, updatedAt: ctx.now },
  };
  await sends.insert(send);
  return send;
}
