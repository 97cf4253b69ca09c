import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import type { Activity } from "../../domain/contacts/activity.ts";
import { MAX_THREAD } from "../../domain/outreach/answer.ts";
import { previewOf, type ReplyType } from "../../domain/outreach/conversation.ts";
import { isoOrNull } from "../../lib/time.ts";
import type { ConversationPatch, ConversationRow } from "../../store/inbox.ts";

/** A received email, as its header names it. */
interface Threaded {
  subject: string;
  from: string | undefined;
  messageId?: string | undefined;
  /** The closest first. */
  refersTo?: readonly string[] | undefined;
}

/** The Message-IDs that a header of ours can carry. */
const PLAIN_ID = /^<[\x21-\x3b\x3d\x3f-\x7e]{3,500}>$/;

/** A contact wrote to us: their conversation is open and unread, whatever became of it before. */
export async function openConversation(ctx: Context, reply: Activity, email?: Threaded): Promise<void> {
  const { id, contact_id: contactId, type, subject, body } = reply;
  const thread = (email?.refersTo ?? []).filter((one) => PLAIN_ID.test(one)).toReversed();
  await ctx.store.conversations.receive(
    {
      contactId,
      lastReplyId: id,
      lastReplyType: type as ReplyType,
      subject,
      excerpt: body === null ? null : previewOf(body),
      email: email && {
        emailFrom: email.from ?? null,
        emailSubject: email.subject,
        emailMessageId: email.messageId !== undefined && PLAIN_ID.test(email.messageId) ? email.messageId : null,
        emailThread: [...thread.slice(0, 1), ...thread.slice(1).slice(1 - MAX_THREAD)],
      },
    },
    ctx.now,
  );
}

/** @throws Problem conversation_not_found */
export async function requireConversation(ctx: Context, contactId: string): Promise<ConversationRow> {
  const found = await ctx.store.conversations.find(contactId);
  if (found === undefined || (await ctx.store.contacts.find(contactId)) === undefined) {
    throw problem("conversation_not_found");
  }
  return found;
}

/**
 * Who decides on a conversation has read its last reply.
 *
 * @param read the id of the reply that was read; undefined: the one that there is
 * @throws Problem version_conflict
 */
export function requireRead({ lastReplyId }: ConversationRow, read: string | undefined): void {
  if (read === undefined || read === lastReplyId) return;
  throw problem("version_conflict", "read_reply_id: the contact has written again. Read the new reply, then decide.");
}

/** Whether a teammate marked the last reply of a contact as not interested. */
export async function isNotInterested({ store }: Pick<Context, "store">, contactId: string): Promise<boolean> {
  return (await store.conversations.find(contactId))?.mark === "not_interested";
}

/**
 * The message that a conversation is at, where it isn't the last reply: one on the network that answers nothing, or one
 * before the reply of another contact who is the same person.
 */
export async function findLastMessage(
  { store }: Pick<Context, "store">,
  contactId: string,
  lastReply: Pick<Activity, "id"> | undefined,
): Promise<Activity | undefined> {
  const row = await store.conversations.find(contactId);
  if (row === undefined || row.lastReplyId === lastReply?.id) return undefined;
  return store.activities.find(contactId, row.lastReplyId);
}

/** Changes a conversation, with its audit row. What stays as it is writes nothing. */
export async function updateConversation(
  ctx: Context,
  before: ConversationRow,
  patch: ConversationPatch,
  extra: Record<string, unknown> = {},
): Promise<ConversationRow> {
  const changes = Object.entries(patch).some(([name, value]) => before[name as keyof ConversationPatch] !== value);
  if (!changes) return before;
  const after = (await ctx.store.conversations.update(before.contactId, patch, ctx.now)) as ConversationRow;
  await ctx.audit({ recordId: before.contactId, before: facts(before), after: { ...facts(after), ...extra } });
  return after;
}

function facts({ status, unread, assigneeId, snoozedUntil, mark }: ConversationRow) {
  return { status, unread, assignee_id: assigneeId, snoozed_until: isoOrNull(snoozedUntil), mark };
}

/** A teammate handled the last reply: it is read, and the conversation is closed. */
export const HANDLED = { status: "done", unread: false, snoozedUntil: null } as const satisfies ConversationPatch;
