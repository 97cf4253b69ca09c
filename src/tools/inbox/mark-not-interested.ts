import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { recordActivity } from "../../services/contacts/record-activity.ts";
import { HANDLED, requireConversation, requireRead, updateConversation } from "../../services/inbox/conversations.ts";
import { stopContact } from "../../services/outreach/enrollment.ts";
import { ChangedConversation, contactId, readReplyId, showChanged } from "./conversation-schema.ts";

export const markNotInterested = personOperation({
  name: "mark_not_interested",
  area: "inbox",
  title: "Mark a contact as not interested",
  description:
    "Stops the contact's sequences, cancels their social-network actions that have not started, and ends their " +
    "approval in every audience. The conversation is marked as done. The contact is not added to the " +
    "do-not-contact list and can be approved again, with a warning. This can't be undone.",
  access: { permission: "work" },
  effect: "write",
  errors: ["conversation_not_found", "version_conflict"],
  input: z.strictObject({ contact_id: contactId, read_reply_id: readReplyId }),
  output: ChangedConversation,
  async handler(ctx, { contact_id, read_reply_id }) {
    const row = await requireConversation(ctx, contact_id);
    requireRead(row, read_reply_id);
    // Said twice, it is one statement. Something may have begun in between, so it stops again.
    await stopContact(ctx, contact_id, "not_interested");
    await ctx.store.approvals.spend(contact_id, ctx.now);
    if (row.mark !== "not_interested") {
      await recordActivity(ctx, { contactId: contact_id, type: "not_interested", subject: "Not interested" });
    }
    const after = await updateConversation(ctx, row, { ...HANDLED, mark: "not_interested" });
    return { data: await showChanged(ctx, after) };
  },
});
