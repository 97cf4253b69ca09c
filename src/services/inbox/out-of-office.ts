import type { Context } from "../../core/context.ts";
import { previewOf } from "../../domain/outreach/conversation.ts";
import type { ConversationRow } from "../../store/inbox.ts";
import type { EnrollmentRow } from "../../store/outreach.ts";

/** A contact is in few sequences at a time. */
const STOPPED = { limit: 100, offset: 0 };

/**
 * Continues the sequences that a reply has stopped, because no person wrote it. The next step is due no sooner than at
 * the given time. The approvals that the reply spent count again, as far as they covered these sequences: before each
 * step the engine compares them with what would be sent.
 *
 * @param repliedAt when the reply was recorded, in ms: what it stopped ended then
 */
export async function resumeStopped(
  ctx: Context,
  contactId: string,
  repliedAt: number,
  dueAt: number,
): Promise<EnrollmentRow[]> {
  const { enrollments, approvals } = ctx.store;
  const { rows } = await enrollments.list({ contactId, status: "stopped_replied" }, STOPPED);
  const resumed: EnrollmentRow[] = [];
  for (const row of rows.filter(({ endedAt }) => endedAt === repliedAt)) {
    const step = await nextStep(ctx, row);
    const open = step === undefined ? undefined : await enrollments.resume(row.id, step, dueAt);
    if (open === undefined) continue;
    await approvals.restore(row.approvalId, contactId, repliedAt);
    resumed.push(open);
  }
  return resumed;
}

/**
 * Whether the last reply of a conversation is the last one of its contact. Another contact who is the same person may have
 * replied since. One email counts as a reply of each contact who may have written it, with the same text at the same time.
 */
export async function isLastReply({ store }: Pick<Context, "store">, row: ConversationRow): Promise<boolean> {
  const { contactId, lastReplyId, lastReplyAt, subject, excerpt } = row;
  const last = await store.activities.lastReply(contactId);
  if (last === undefined || last.id === lastReplyId) return last !== undefined;
  const said = last.body === null ? null : previewOf(last.body);
  return Date.parse(last.created_at) === lastReplyAt && last.subject === subject && said === excerpt;
}

/**
 * The step that was not executed. Undefined where there is none, where a message may still arrive or has failed, and where
 * a person had put its action on hold.
 */
async function nextStep({ store }: Context, row: EnrollmentRow): Promise<number | undefined> {
  const { id, sequenceId, currentStep } = row;
  const sequence = await store.sequences.find(sequenceId);
  if (sequence === undefined || sequence.status === "archived") return undefined;
  const send = await store.sends.ofStep(id, currentStep);
  const action = await actionOfStep({ store }, row);
  const isSent = send?.status === "sent" || send?.status === "written" || action?.status === "completed";
  const isOver = send === undefined || send.status === "retry" || send.status === "dropped";
  const isFree = action === undefined || (action.status === "cancelled" && action.heldFrom === null);
  if (!isSent && !(isOver && isFree)) return undefined;
  const next = isSent ? currentStep + 1 : currentStep;
  return next < sequence.steps.length ? next : undefined;
}

/** The newest action of the step that an enrollment is at. */
async function actionOfStep({ store }: Pick<Context, "store">, { id, contactId, currentStep }: EnrollmentRow) {
  const { rows } = await store.socialnetActions.list({ contactId }, STOPPED);
  return rows.find(({ enrollmentId, step }) => enrollmentId === id && step === currentStep);
}
