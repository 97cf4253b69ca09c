import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { requireConversation, requireRead, updateConversation } from "../../services/inbox/conversations.ts";
import { givenTime } from "../fields.ts";
import { ChangedConversation, contactId, readReplyId, showChanged } from "./conversation-schema.ts";

export const snoozeConversation = personOperation({
  name: "snooze_conversation",
  area: "inbox",
  title: "Snooze a conversation",
  description:
    "Hides a conversation from the list of open ones until the given time. At that time, it is listed again, as unread. A new reply ends the snooze.",
  access: { permission: "work" },
  effect: "write",
  errors: ["conversation_not_found", "version_conflict"],
  input: z.strictObject({
    contact_id: contactId,
    read_reply_id: readReplyId,
    until: givenTime.describe("When the conversation is listed as open again. Must be in the future."),
  }),
  output: ChangedConversation,
  async handler(ctx, { contact_id, read_reply_id, until }) {
    const row = await requireConversation(ctx, contact_id);
    requireRead(row, read_reply_id);
    const snoozedUntil = Date.parse(until);
    if (snoozedUntil <= ctx.now)
      throw problem("validation_failed", "until: must be in the future. Choose a later time.");
    const snoozed = { status: "open", unread: true, snoozedUntil } as const;
    return { data: await showChanged(ctx, await updateConversation(ctx, row, snoozed)) };
  },
});
