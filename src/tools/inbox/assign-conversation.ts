import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { requireConversation, updateConversation } from "../../services/inbox/conversations.ts";
import { recordId } from "../fields.ts";
import { ChangedConversation, contactId, showChanged } from "./conversation-schema.ts";

export const assignConversation = personOperation({
  name: "assign_conversation",
  area: "inbox",
  title: "Assign a conversation",
  description: "Sets which teammate handles a conversation. Send null to unassign it.",
  access: { permission: "work" },
  effect: "write",
  errors: ["conversation_not_found", "member_not_found"],
  input: z.strictObject({
    contact_id: contactId,
    member_id: recordId("member").nullable().describe("The member's id, a UUID, or null to unassign the conversation."),
  }),
  output: ChangedConversation,
  async handler(ctx, { contact_id, member_id }) {
    const row = await requireConversation(ctx, contact_id);
    if (member_id !== null) {
      const member = await ctx.store.members.find(member_id);
      if (member === undefined || member.removedAt !== null) throw problem("member_not_found");
    }
    return { data: await showChanged(ctx, await updateConversation(ctx, row, { assigneeId: member_id })) };
  },
});
