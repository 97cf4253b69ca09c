import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { HANDLED, requireConversation, requireRead, updateConversation } from "../../services/inbox/conversations.ts";
import { ChangedConversation, contactId, readReplyId, showChanged } from "./conversation-schema.ts";

const AS = {
  read: { unread: false },
  unread: { status: "open", unread: true, snoozedUntil: null },
  done: HANDLED,
  open: { status: "open", snoozedUntil: null },
} as const;

export const markConversation = personOperation({
  name: "mark_conversation",
  area: "inbox",
  title: "Mark a conversation as read, unread, done or open",
  description:
    "Marks a conversation as read, unread, done or open, for the whole team. Marking it as unread also marks it " +
    "as open, as a new reply does. Marking it as open or unread ends its snooze.",
  access: { permission: "work" },
  effect: "write",
  errors: ["conversation_not_found", "version_conflict"],
  input: z.strictObject({
    contact_id: contactId,
    read_reply_id: readReplyId,
    as: z.enum(["read", "unread", "done", "open"]).describe("read, unread, done or open."),
  }),
  output: ChangedConversation,
  async handler(ctx, { contact_id, read_reply_id, as }) {
    const row = await requireConversation(ctx, contact_id);
    requireRead(row, read_reply_id);
    return { data: await showChanged(ctx, await updateConversation(ctx, row, AS[as])) };
  },
});
