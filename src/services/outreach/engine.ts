import { createHash } from "node:crypto";
import type { Context } from "../../core/context.ts";
import { profileKey } from "../../domain/contacts/contact.ts";
import { blockOf, type HoldReason, type Postponed, postponementOf } from "../../domain/outreach/sending.ts";
import {
  copyText,
  type Fillings,
  fillTemplate,
  type Recipient,
  type Step,
  stepsText,
} from "../../domain/outreach/sequence.ts";
import { COPY_LIMITS } from "../../domain/socialnet/action.ts";
import { isConnected } from "../../domain/socialnet/social-status.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import type { EnrollmentRow, SendRow, SequenceRow } from "../../store/outreach.ts";
import type { SocialnetAccountRow } from "../../store/socialnet.ts";
import { planAction } from "../socialnet/actions.ts";
import { advanceEnrollment, stopContact } from "./enrollment.ts";
import { sendingConditions, workspaceBlocks } from "./sending-conditions.ts";

/** An enrollment at its step, as everything about it reads now. */
export interface AtStep {
  enrollment: EnrollmentRow;
  sequence: SequenceRow;
  record: ContactRecord;
  step: Step;
  fillings: Fillings;
  /** The Message-ID of a send: it is recorded before the message leaves. */
  messageIdFor: (sendId: string) => string;
}

/** Keeps an enrollment from the engine until a person has done something about it. */
export async function hold(
  ctx: Context,
  { id, currentStep, dueAt }: EnrollmentRow,
  heldReason: HoldReason,
  heldDetail: string | null = null,
): Promise<void> {
  await ctx.store.enrollments.wait(id, currentStep, { dueAt: dueAt ?? ctx.now, heldReason, heldDetail });
}

/** A step's texts, filled; an enrollment whose step has nothing to put somewhere waits for a person. */
async function fillOrHold(ctx: Context, at: AtStep, ...templates: string[]): Promise<string[] | undefined> {
  const filled = templates.map((template) => fillTemplate(template, at.fillings));
  const unfilled = [...new Set(filled.flatMap((one) => ("unfilled" in one ? one.unfilled : [])))];
  if (unfilled.length === 0) return filled.map((one) => ("text" in one ? one.text : ""));
  await hold(ctx, at.enrollment, "unfilled", `Nothing to put for ${unfilled.join(", ")}.`);
  return undefined;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** What an approval pins of a sequence. */
export function hashSteps(steps: readonly Step[]): string {
  return sha256(stepsText(steps));
}

/** What an approval pins of a contact. */
export function hashCopy(recipient: Recipient, steps: readonly Step[]): string {
  return sha256(copyText(recipient, steps));
}

/** A socialnet step becomes an action of the ledger, and the enrollment waits for what comes of it. */
async function planStep(ctx: Context, at: AtStep, step: Extract<Step, { type: `socialnet_${string}` }>): Promise<void> {
  const { enrollment, sequence, record } = at;
  const { socialnet_url: recipientUrl } = record.contact;
  if (recipientUrl === null || profileKey(recipientUrl) === null) return hold(ctx, enrollment, "no_profile");
  const account = await accountFor(ctx, sequence);
  if (account === undefined) return hold(ctx, enrollment, "no_account");
  const [copy] = (await fillOrHold(ctx, at, step.type === "socialnet_connect" ? step.note : step.body)) ?? [];
  if (copy === undefined) return;
  const kind = step.type === "socialnet_connect" ? "connection_request" : "message";
  if ([...copy].length > COPY_LIMITS[kind]) {
    return hold(ctx, enrollment, "unsendable", `Filled, it is longer than ${COPY_LIMITS[kind]} characters.`);
  }
  const waits = { status: "waiting_on_action", dueAt: null } as const;
  if (!(await ctx.store.enrollments.wait(enrollment.id, enrollment.currentStep, waits))) return;
  await planAction(ctx, account, {
    ...{ contactId: enrollment.contactId, kind, origin: "engine", copy, recipientUrl, campaign: null },
    ...{ enrollmentId: enrollment.id, step: enrollment.currentStep, stepCount: sequence.steps.length },
  });
}

/** The account that the sequence names, or the only one there is. */
async function accountFor(ctx: Context, { socialnetAccountId }: SequenceRow): Promise<SocialnetAccountRow | undefined> {
  const { socialnetAccounts } = ctx.store;
  if (socialnetAccountId !== null) return socialnetAccounts.find(socialnetAccountId);
  const { rows, total } = await socialnetAccounts.list({ limit: 1, offset: 0 });
  return total === 1 ? rows[0] : undefined;
}

/** How long whoever sends a message is believed to be alive without a word: longer than any mail server is waited for. */
export const SEND_LEASE_MS = 15 * MINUTE_MS;

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

async function prepareSend(
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

/**
 * Takes the step that is due in an enrollment, where everything still allows it: what was true when it was enrolled is
 * looked at again. What forbids it for good ends the enrollment, what a person must mend holds it, and what time will
 * mend puts it off.
 *
 * @returns the message to send, which is recorded as being sent; undefined where there is none; null where nothing
 * changed, because it is not due or somebody keeps the whole sequence back
 */
export async function executeStep(
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
  const standing = { ...(await sendingConditions(ctx)), sequence: status, restsUntil: null };
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
