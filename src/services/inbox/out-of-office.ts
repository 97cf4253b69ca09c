import type { Context } from "../../core/context.ts";
import { previewOf } from "../../domain/outreach/conversation.ts";
import { LASTING_HOLD } from "../../domain/outreach/sending.ts";
import { findMovedStep, type Step } from "../../domain/outreach/sequence.ts";
import type { ConversationRow } from "../../store/inbox.ts";
import type { EnrollmentRow, SequenceRow } from "../../store/outreach.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import { findAuthorization, findRecipient } from "../outreach/approvals.ts";
import { isNotInterested } from "./conversations.ts";

/** A contact is in few sequences at a time. */
const STOPPED = { limit: 100, offset: 0 };

/** An enrollment that can continue, and its next step. */
interface Resumable {
  enrollment: EnrollmentRow;
  sequence: SequenceRow;
  step: number;
}

/** What the last reply of a conversation stopped and nothing keeps from continuing, if no person wrote that reply. */
export async function findResumable(ctx: Context, row: ConversationRow): Promise<Resumable[]> {
  const { contactId, lastReplyAt, mark } = row;
  if (mark === "not_interested" || !(await isLastReply(ctx, row)) || (await isTwinNotInterested(ctx, row))) return [];
  // Replies that an agent reports in one call have the same time, so another one may have stopped the sequence.
  if (await ctx.store.activities.hasOtherReplyAt(contactId, lastReplyAt, row.lastReplyId)) return [];
  const { rows } = await ctx.store.enrollments.list({ contactId, status: "stopped_replied" }, STOPPED);
  const found: Resumable[] = [];
  for (const enrollment of rows.filter(({ endedAt }) => endedAt === lastReplyAt)) {
    const spentAt = await ctx.store.approvals.spentAt(enrollment.approvalId, contactId);
    const next = await nextStep(ctx, enrollment);
    if (next === undefined) continue;
    // Something later has spent it, such as an opt-out of the contact's earlier address, or a newer approval, which counts.
    const isSpent = spentAt !== null && spentAt !== lastReplyAt;
    if (!isSpent || (await isApproved(ctx, next.sequence, contactId))) found.push({ enrollment, ...next });
  }
  return found;
}

/**
 * Continues the sequences that a reply has stopped, because no person wrote it. The next step is due no sooner than at
 * the given time. The approvals that the reply spent count again, as far as they covered these sequences: before each
 * step the engine compares them with what would be sent.
 */
export async function resumeStopped(ctx: Context, row: ConversationRow, dueAt: number): Promise<EnrollmentRow[]> {
  const { enrollments, approvals } = ctx.store;
  const resumed: EnrollmentRow[] = [];
  for (const { enrollment, step } of await findResumable(ctx, row)) {
    const open = await enrollments.resume(enrollment.id, step, dueAt);
    if (open === undefined) continue;
    await approvals.restore(enrollment.approvalId, row.contactId, row.lastReplyAt);
    resumed.push(open);
  }
  return resumed;
}

/** Whether an approval that was activated since covers the contact as they are now. */
async function isApproved(ctx: Context, sequence: SequenceRow, contactId: string): Promise<boolean> {
  const recipient = await findRecipient(ctx.store, contactId);
  const authorization = recipient && (await findAuthorization(ctx, sequence, recipient));
  return authorization !== undefined && !authorization.changed;
}

/**
 * Whether the last reply of a conversation is the last one of its contact. Another contact who is the same person may have
 * replied since. One email counts as a reply of each contact who may have written it, with the same text at the same time.
 */
async function isLastReply({ store }: Pick<Context, "store">, row: ConversationRow): Promise<boolean> {
  const { contactId, lastReplyId, lastReplyAt, subject, excerpt } = row;
  const last = await store.activities.lastReply(contactId);
  if (last === undefined || last.id === lastReplyId) return last !== undefined;
  const said = last.body === null ? null : previewOf(last.body);
  return Date.parse(last.created_at) === lastReplyAt && last.subject === subject && said === excerpt;
}

/** Whether a teammate marked the same person as not interested, on the page of another contact. It ends with their next reply. */
async function isTwinNotInterested({ store }: Context, { contactId, lastReplyAt }: ConversationRow): Promise<boolean> {
  for (const twin of await store.contacts.samePerson(contactId, lastReplyAt)) {
    if (await isNotInterested({ store }, twin)) return true;
  }
  return false;
}

/**
 * The step that was not executed. Undefined where there is none, where a message may still arrive or has failed, where
 * a person had put its action on hold or changed its text, where the steps moved, where the contact was enrolled again, and
 * where only a person ends the enrollment's hold.
 */
async function nextStep(
  { store, now }: Context,
  row: EnrollmentRow,
): Promise<{ sequence: SequenceRow; step: number } | undefined> {
  const { id, sequenceId, currentStep, heldReason } = row;
  const sequence = await store.sequences.find(sequenceId);
  if (sequence === undefined || sequence.status === "archived" || heldReason === LASTING_HOLD) return undefined;
  if ((await cameBack({ store }, row, sequence)) || (await isEnrolledAgain({ store }, row))) return undefined;
  const send = await store.sends.ofStep(id, currentStep);
  const action = await actionOfStep({ store }, row);
  const isSent = send?.status === "sent" || send?.status === "written" || action?.status === "completed";
  const isOver = send === undefined || send.status === "retry" || send.status === "dropped";
  const isFree = action === undefined || (action.status === "cancelled" && isAsPlanned(action));
  if (!isSent && !(isOver && isFree)) return undefined;
  const step = isSent ? currentStep + 1 : currentStep;
  if (step >= sequence.steps.length || (await hasMoved({ store, now }, row))) return undefined;
  return { sequence, step };
}

/** More changes of a sequence since a reply are not read: it doesn't continue. */
const MAX_CHANGES = 100;

/**
 * Whether an edit since an enrollment ended moved a step that it had reached. It is refused only while the enrollment is
 * open, and the next step by its position could be one that was sent, or skip one. If the clock was set back since then,
 * times say nothing about the order, so every change counts.
 */
async function hasMoved({ store, now }: Pick<Context, "store" | "now">, row: EnrollmentRow): Promise<boolean> {
  const { sequenceId, currentStep } = row;
  const endedAt = row.endedAt ?? 0;
  const newest = await store.logs.auditOf(sequenceId, MAX_CHANGES);
  const since = newest.filter(({ at }) => at >= endedAt || endedAt > now);
  const moves = since.some(({ before, after }) => {
    const [was, is] = [before?.steps, after?.steps] as [Step[]?, Step[]?];
    return was !== undefined && is !== undefined && findMovedStep(was, is, currentStep) !== undefined;
  });
  return moves || since.length === MAX_CHANGES;
}

/** Whether a contact was enrolled in the same sequence again: the newer enrollment sends, or has sent, the steps that are left. */
async function isEnrolledAgain({ store }: Pick<Context, "store">, row: EnrollmentRow): Promise<boolean> {
  const { id, sequenceId, contactId, enrolledAt } = row;
  const { rows } = await store.enrollments.list({ contactId, sequenceId }, STOPPED);
  return rows.some((other) => other.id !== id && (other.endedAt === null || other.endedAt > enrolledAt));
}

/** Whether the last email before the step an enrollment is at was rejected or bounced. */
async function cameBack(
  { store }: Pick<Context, "store">,
  { id, currentStep }: EnrollmentRow,
  { steps }: SequenceRow,
): Promise<boolean> {
  const last = steps.slice(0, currentStep).findLastIndex(({ type }) => type === "email");
  return last >= 0 && (await store.sends.ofStep(id, last))?.status === "failed";
}

/** Whether no person had put an action on hold or changed its text. Planned again, it would have the text of the step. */
const isAsPlanned = ({ heldFrom, editedById }: ActionRow) => heldFrom === null && editedById === null;

/** The newest action of the step that an enrollment is at. */
async function actionOfStep({ store }: Pick<Context, "store">, { id, contactId, currentStep }: EnrollmentRow) {
  const { rows } = await store.socialnetActions.list({ contactId }, STOPPED);
  return rows.find(({ enrollmentId, step }) => enrollmentId === id && step === currentStep);
}
