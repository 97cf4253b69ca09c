import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { ANSWER_STATUSES } from "../../domain/outreach/answer.ts";
import { CONVERSATION_MARKS, CONVERSATION_STATUSES, OPENS_CONVERSATION } from "../../domain/outreach/conversation.ts";
import { DELIVERIES } from "../../domain/outreach/sending.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { hashAnswer } from "../../services/outreach/answers.ts";
import type { AnswerRow, ListedConversation } from "../../store/inbox.ts";
import { hidden, oneOf, recordId, reveal, time } from "../fields.ts";
import { ListedContact } from "../outreach/sequence-schema.ts";

export const contactId = recordId("contact");

export const readReplyId = z
  .string()
  .max(64)
  .optional()
  .describe(
    "The id of the last reply that you read. If the contact has written again since, the call is refused. Optional.",
  );

export const readSends = z
  .boolean()
  .optional()
  .describe('The value of "sends" that get_conversation returned. If it has changed, the call is refused.');

/**
 * What submitting an answer does depends on the member's permission and a setting.
 *
 * @throws Problem version_conflict
 */
export function requireReadSends(sends: boolean, read: boolean | undefined): void {
  if (read === undefined || read === sends) return;
  throw problem(
    "version_conflict",
    sends
      ? "read_sends: your answer would now be sent without a review. Submit again to send it."
      : "read_sends: your answer now needs a review. Submit again to send it to review.",
  );
}

export const Conversation = z.object({
  contact_id: z.uuid(),
  contact: ListedContact,
  company: z.string().nullable().describe("The contact's company."),
  status: z.enum(CONVERSATION_STATUSES),
  unread: z.boolean(),
  assignee: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .describe("The teammate who handles the conversation."),
  snoozed_until: time.nullable().describe("Hidden from the open conversations until then."),
  mark: z.enum(CONVERSATION_MARKS).nullable().describe("How a teammate marked the last reply."),
  last_reply: z.object({
    id: z.uuid(),
    type: z.enum(OPENS_CONVERSATION),
    at: time,
    subject: z.string().nullable(),
    excerpt: z.string().nullable().describe("The beginning of the reply, on one line."),
  }),
});

export async function showConversations(
  { store }: Context,
  rows: readonly ListedConversation[],
): Promise<z.infer<typeof Conversation>[]> {
  const contactIds = rows.map((row) => row.contactId);
  const names = await store.contacts.names(contactIds);
  const companies = await store.contacts.companies(contactIds);
  const ids = [...new Set(rows.map(({ assigneeId }) => assigneeId))].filter((id) => id !== null);
  const members = new Map(await Promise.all(ids.map(async (id) => [id, await store.members.find(id)] as const)));
  return rows.map((row) => ({
    contact_id: row.contactId,
    contact: names.get(row.contactId) ?? null,
    company: companies.get(row.contactId) ?? null,
    status: row.status,
    unread: row.unread,
    assignee:
      row.assigneeId === null
        ? null
        : { id: row.assigneeId, name: members.get(row.assigneeId)?.name ?? "Former teammate" },
    snoozed_until: isoOrNull(row.snoozedUntil),
    mark: row.mark,
    last_reply: {
      id: row.lastReplyId,
      type: row.lastReplyType,
      at: iso(row.lastReplyAt),
      subject: row.subject,
      excerpt: row.excerpt,
    },
  }));
}

export async function showConversation(ctx: Context, row: ListedConversation): Promise<z.infer<typeof Conversation>> {
  const [shown] = await showConversations(ctx, [row]);
  return shown as z.infer<typeof Conversation>;
}

/** What a write of a conversation answers: the contact's id is the record's. */
export const ChangedConversation = Conversation.extend({ id: z.uuid().describe("The contact's id.") });

export async function showChanged(ctx: Context, row: ListedConversation) {
  return { id: row.contactId, ...(await showConversation(ctx, row)) };
}

export const Answer = z.object({
  id: z.uuid(),
  contact_id: z.uuid(),
  status: oneOf(ANSWER_STATUSES),
  address: z.string().describe("The recipient."),
  subject: z.string(),
  body: z.string().describe("The exact text."),
  in_reply_to: z.string().nullable().describe("The Message-ID of the email that is answered."),
  thread: z.array(z.string()).describe("The Message-IDs of the earlier emails in the thread, oldest first."),
  delivery: oneOf(DELIVERIES).describe("Where the answer goes. files: it is saved to a file, and nothing is sent."),
  copy_hash: z
    .string()
    .describe("The hash of the text, the recipient, the sender and the conversation, as an approval pins them."),
  planned_by: z.object({ id: z.string(), name: z.string() }),
  approved_by: z.string().nullable(),
  approved_at: time.nullable(),
  sends_at: time
    .nullable()
    .describe("When the answer is sent. Null once sending has begun, or if the answer is not approved."),
  note: z.string().nullable().describe("Why the answer waits, which changes were requested, or how it ended."),
  hidden,
  created_at: time,
  updated_at: time,
});

export async function showAnswer({ store }: Context, row: AnswerRow): Promise<z.infer<typeof Answer>> {
  const { subject, body } = row;
  return {
    id: row.id,
    contact_id: row.contactId,
    status: row.status,
    address: row.address,
    subject,
    body,
    in_reply_to: row.inReplyTo,
    thread: row.thread,
    delivery: row.delivery,
    copy_hash: await hashAnswer(store, row),
    planned_by: { id: row.plannedById, name: row.plannedBy },
    approved_by: row.approvedBy,
    approved_at: isoOrNull(row.approvedAt),
    sends_at: isoOrNull(row.dueAt),
    note: row.note,
    hidden: reveal({ subject, body }),
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  };
}
