import type { Context } from "../../core/context.ts";
import { profileKey } from "../../domain/contacts/address.ts";
import {
  blockOf,
  type HoldReason,
  type MailDelivery,
  type Postponed,
  postponementOf,
} from "../../domain/outreach/sending.ts";
import { addresseeOf, type NetworkStep, networkTextOf, type Step } from "../../domain/outreach/sequence.ts";
import { type Fillings, fillingsOf, fillTemplate } from "../../domain/outreach/template.ts";
import { COPY_LIMITS } from "../../domain/socialnet/action.ts";
import { isConnected } from "../../domain/socialnet/social-status.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import type { EnrollmentRow, RecipientRow, SendRow, SequenceRow } from "../../store/outreach.ts";
import { planAction } from "../socialnet/plan-action.ts";
import { takeAnswer, threadOf } from "./answers.ts";
import { accountFor, findAuthorization, findRecipient, hashSteps, senderOf } from "./approvals.ts";
import { advanceEnrollment, holdEnrollment, stopContact } from "./enrollment.ts";
import { conditionsFor, sendingConditions, workspaceBlocks } from "./sending-conditions.ts";
import { contactBlock } from "./suppression.ts";

/** An enrollment at its step, with everything about it as it is now. */
interface DueStep {
  enrollment: EnrollmentRow;
  sequence: SequenceRow;
  record: ContactRecord;
  recipient: RecipientRow;
  step: Step;
  /** What the approval pins of the contact. */
  copyHash: string;
  fillings: Fillings;
  /** The Message-ID of a send: it is recorded before the message leaves. */
  messageIdFor: (sendId: string) => string;
  /** The process that executes the step. */
  instance: string;
}

/** A message that is recorded as queued. Until it is handed over, nothing of it has left. */
export interface Outgoing {
  workspaceId: string;
  send: SendRow;
  subject: string;
  body: string;
  senderName: string | null;
  to: { address: string; name: string };
  /** Message-IDs of the earlier messages of the thread. */
  earlier: string[];
  /** Where it goes. */
  delivery: MailDelivery;
  /** The approved text of a step, as it was when the step was executed. An answer keeps what was approved itself. */
  approved: { stepsHash: string; copyHash: string } | undefined;
}

/** How long a sender counts as alive without renewing its lease: longer than any mail server is waited for. */
export const SEND_LEASE_MS = 15 * MINUTE_MS;

/** The mail of the process that executes a step. */
interface SenderOfMail {
  /** Who it is from, as one text; undefined: as the sending server has recorded. */
  from: string | undefined;
  /** Whether there is a mail server; undefined: as the sending server has recorded. */
  hasServer?: boolean | undefined;
  messageIdFor: DueStep["messageIdFor"];
  /** The process itself. */
  instance: string;
}

/**
 * Executes the step that is due in an enrollment, if everything still allows it: what was true at enrollment is checked
 * again. A permanent block ends the enrollment, a problem that a person must fix puts it on hold, and what time will
 * change postpones it.
 *
 * @returns the message to send, which is recorded as queued; undefined where there is none; null where nothing
 * changed, because the step is not due or the whole sequence is blocked
 */
export async function executeStep(
  ctx: Context,
  enrollmentId: string,
  mail: SenderOfMail,
): Promise<Outgoing | undefined | null> {
  const enrollment = await ctx.store.enrollments.find(enrollmentId);
  if (enrollment === undefined || !isDue(enrollment, ctx.now)) return null;
  const sequence = (await ctx.store.sequences.find(enrollment.sequenceId)) as SequenceRow;
  const step = sequence.steps[enrollment.currentStep];
  const postponed = await postponement(ctx, enrollment, sequence, step, mail.hasServer);
  if (postponed?.until === null) return null;
  if (postponed !== null) {
    const { until: dueAt, reason: postponedReason } = postponed;
    await ctx.store.enrollments.wait(enrollmentId, enrollment.currentStep, { dueAt, postponedReason });
    return undefined;
  }
  const record = await ctx.store.contacts.find(enrollment.contactId);
  const blocked = await contactBlock(ctx.store, record);
  if (record === undefined || blocked !== undefined) {
    await stopContact(ctx, enrollment.contactId, blocked ?? "archived");
    return undefined;
  }
  if (step === undefined) {
    await advanceEnrollment(ctx, enrollmentId, enrollment.currentStep);
    return undefined;
  }
  const recipient = (await findRecipient(ctx.store, enrollment.contactId)) as RecipientRow;
  const approved = await findApproved(ctx, sequence, recipient, mail.from);
  if ("unauthorized" in approved) {
    await holdEnrollment(ctx, enrollment, approved.unauthorized);
    return undefined;
  }
  const { copyHash, senderName } = approved;
  const fillings = fillingsOf(recipient, senderName);
  const { messageIdFor, instance } = mail;
  return actOn(ctx, { enrollment, sequence, record, recipient, step, copyHash, fillings, messageIdFor, instance });
}

function isDue({ status, heldReason, dueAt }: EnrollmentRow, now: number): boolean {
  return status === "active" && heldReason === null && dueAt !== null && dueAt <= now;
}

async function postponement(
  ctx: Context,
  { id, currentStep }: EnrollmentRow,
  sequence: SequenceRow,
  step: Step | undefined,
  hasServer: boolean | undefined,
): Promise<Postponed | null> {
  if (step?.type !== "email") return blockOf({ ...(await workspaceBlocks(ctx)), sequence: sequence.status });
  // The worker itself knows which mail server it sends through, and whether that is in cooldown.
  const conditions = {
    ...conditionsFor(await sendingConditions(ctx, hasServer), sequence),
    backoffUntil: null,
  };
  if (conditions.capLeft === 0) {
    // A retry of a message that was counted today is not a second message.
    const before = await ctx.store.sends.ofStep(id, currentStep);
    if (before !== undefined && before.lastAttemptAt >= conditions.calendar.dayStart) conditions.capLeft = 1;
  }
  return postponementOf(step.type, conditions);
}

/**
 * What people approved of a contact and of the sender. Only an applied approval of the sequence as it is sent now, for
 * the contact as it was, authorizes.
 */
async function findApproved(
  ctx: Context,
  sequence: SequenceRow,
  recipient: RecipientRow,
  mailFrom: string | undefined,
): Promise<{ copyHash: string; senderName: string | null } | { unauthorized: HoldReason }> {
  // The mail of this process may be from another sender than people approved.
  const sender = await senderOf(ctx.store, sequence, mailFrom);
  if (hashSteps(sequence.steps, sender) !== sequence.stepsHash) return { unauthorized: "not_authorised" };
  const authorization = await findAuthorization(ctx, sequence, recipient);
  if (authorization === undefined) return { unauthorized: "not_authorised" };
  if (authorization.changed) return { unauthorized: "contact_changed" };
  return { copyHash: authorization.copyHash, senderName: sender.senderName };
}

async function actOn(ctx: Context, due: DueStep): Promise<Outgoing | undefined> {
  const { enrollment, step, record } = due;
  if (step.type === "wait" || (step.type === "socialnet_connect" && isConnected(record.socialStatus))) {
    await advanceEnrollment(ctx, enrollment.id, enrollment.currentStep);
    return undefined;
  }
  if (step.type === "email") return prepareSend(ctx, due, step);
  await planStep(ctx, due, step);
  return undefined;
}

async function prepareSend(
  ctx: Context,
  due: DueStep,
  step: Extract<Step, { type: "email" }>,
): Promise<Outgoing | undefined> {
  const { enrollment, sequence, recipient, copyHash } = due;
  const { email: address } = recipient;
  if (address === null) {
    await holdEnrollment(ctx, enrollment, "no_address");
    return undefined;
  }
  const filled = await fillOrHold(ctx, due, step.subject, step.body);
  if (filled === undefined) return undefined;
  const [subject = "", body = ""] = filled;
  const send = await beginSend(ctx, due, address, subject);
  // Nothing is due while it is being sent: its outcome decides what comes next.
  await ctx.store.enrollments.wait(enrollment.id, enrollment.currentStep, { dueAt: null });
  return {
    workspaceId: ctx.workspaceId,
    send,
    subject,
    body,
    senderName: due.fillings.sender_name,
    to: { address, name: addresseeOf(recipient, sequence.steps) },
    earlier: await ctx.store.sends.thread(enrollment.id),
    delivery: sequence.delivery,
    approved: { stepsHash: sequence.stepsHash, copyHash },
  };
}

/**
 * Takes an answer to a reply that is due.
 *
 * @returns as `executeStep`
 */
export async function executeAnswer(
  ctx: Context,
  answerId: string,
  { from, hasServer, messageIdFor, instance }: SenderOfMail,
): Promise<Outgoing | undefined | null> {
  const taken = await takeAnswer(ctx, answerId, { from, hasServer }, ({ contactId, address, subject }) =>
    queueSend(
      ctx,
      { answerId, enrollmentId: null, sequenceId: null, step: null, contactId },
      { address, subject },
      {
        messageIdFor,
        instance,
      },
    ),
  );
  if (!taken) return taken;
  const { send, answer } = taken;
  const { senderName } = await ctx.store.workspace.sendingPolicy();
  return {
    workspaceId: ctx.workspaceId,
    send,
    subject: answer.subject,
    body: answer.body,
    senderName,
    to: { address: answer.address, name: "" },
    earlier: threadOf(answer),
    delivery: answer.delivery,
    approved: undefined,
  };
}

/** The row of this step's message: the one that was tried before, or a new one. */
function beginSend(ctx: Context, { enrollment, ...mail }: DueStep, address: string, subject: string): Promise<SendRow> {
  const { id: enrollmentId, sequenceId, contactId, currentStep: step } = enrollment;
  return queueSend(ctx, { enrollmentId, sequenceId, step, contactId, answerId: null }, { address, subject }, mail);
}

type SendOf = SendRow extends infer Row
  ? Row extends SendRow
    ? Pick<Row, "enrollmentId" | "sequenceId" | "step" | "contactId" | "answerId">
    : never
  : never;

async function queueSend(
  ctx: Context,
  of: SendOf,
  { address, subject }: { address: string; subject: string },
  { messageIdFor, instance }: Pick<SenderOfMail, "messageIdFor" | "instance">,
): Promise<SendRow> {
  const { sends } = ctx.store;
  const taken = { lastAttemptAt: ctx.now, address, subject };
  const lease = { leaseUntil: ctx.now + SEND_LEASE_MS, leasedBy: instance };
  const before =
    of.answerId === null ? await sends.ofStep(of.enrollmentId, of.step) : await sends.ofAnswer(of.answerId);
  if (before !== undefined) {
    const patch = { ...taken, ...lease, attempts: before.attempts + 1 };
    const retried = await sends.move(before.id, ["retry", "dropped"], "queued", ctx.now, patch);
    if (retried !== undefined) return retried;
    throw new Error(`The message ${before.id} is ${before.status}, and it is due again.`);
  }
  const id = ctx.newId();
  const send: SendRow = {
    id,
    ...of,
    messageId: messageIdFor(id),
    status: "queued",
    attempts: 1,
    detail: null,
    ...taken,
    ...lease,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  await sends.insert(send);
  return send;
}

/** A socialnet step becomes an action, and the enrollment waits for its outcome. */
async function planStep(ctx: Context, due: DueStep, step: NetworkStep): Promise<void> {
  const { enrollment, sequence, recipient } = due;
  const { socialnet_url: recipientUrl } = recipient;
  if (recipientUrl === null || profileKey(recipientUrl) === null) return holdEnrollment(ctx, enrollment, "no_profile");
  const account = await accountFor(ctx.store, sequence);
  if (account === undefined) return holdEnrollment(ctx, enrollment, "no_account");
  const [copy] = (await fillOrHold(ctx, due, networkTextOf(step))) ?? [];
  if (copy === undefined) return;
  const kind = step.type === "socialnet_connect" ? "connection_request" : "message";
  if ([...copy].length > COPY_LIMITS[kind]) {
    const detail = `The filled text is longer than ${COPY_LIMITS[kind]} characters.`;
    return holdEnrollment(ctx, enrollment, "unsendable", detail);
  }
  const waits = { status: "waiting_on_action", dueAt: null } as const;
  if (!(await ctx.store.enrollments.wait(enrollment.id, enrollment.currentStep, waits))) return;
  await planAction(ctx, account, {
    contactId: enrollment.contactId,
    kind,
    origin: "engine",
    copy,
    recipientUrl,
    campaign: null,
    enrollmentId: enrollment.id,
    sequenceId: sequence.id,
    step: enrollment.currentStep,
    stepCount: sequence.steps.length,
  });
}

/** A step's texts, filled. Where a placeholder has no value, the enrollment is held for a person. */
async function fillOrHold(ctx: Context, due: DueStep, ...templates: string[]): Promise<string[] | undefined> {
  const filled = templates.map((template) => fillTemplate(template, due.fillings));
  const unfilled = [...new Set(filled.flatMap((one) => ("unfilled" in one ? one.unfilled : [])))];
  if (unfilled.length === 0) return filled.map((one) => ("text" in one ? one.text : ""));
  await holdEnrollment(ctx, due.enrollment, "unfilled", `No value for ${unfilled.join(", ")}.`);
  return undefined;
}
