import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { COPY_LIMITS } from "../../domain/socialnet/action.ts";
import { HANDLED, requireConversation } from "../../services/inbox/conversations.ts";
import { recordId } from "../fields.ts";
import { readAutomationMode, readProfileUrl } from "../socialnet/account-schema.ts";
import { PlannedAction } from "../socialnet/action-schema.ts";
import { approveSocialnetAction } from "../socialnet/approve-socialnet-action.ts";
import { planSocialnetAction } from "../socialnet/plan-socialnet-action.ts";
import { sendsDirectly } from "./answering.ts";
import { contactId } from "./conversation-schema.ts";

export const answerOnNetwork = personOperation({
  name: "answer_on_network",
  area: "inbox",
  title: "Answer on the professional network",
  description:
    "Plans a message to a contact who wrote to you, for the agent of an account. If you have approve_outbound, it is " +
    "approved at once, unless the workspace forbids approving own proposals. Otherwise it goes to review. The " +
    "conversation is done.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: [...planSocialnetAction.errors, "conversation_not_found"],
  input: z.strictObject({
    contact_id: contactId,
    account_id: recordId("social account"),
    read_profile_url: readProfileUrl,
    read_automation_mode: readAutomationMode,
    copy: z.string().max(COPY_LIMITS.message).describe("The exact text to send."),
    recipient_url: z
      .string()
      .max(2_000)
      .optional()
      .describe("The contact's profile that you read. Without it, the current profile is meant."),
    read_reply_id: z
      .string()
      .max(64)
      .optional()
      .describe("The last reply that you read. If the contact has written again since, the answer is refused."),
  }),
  output: PlannedAction,
  async handler(ctx, { read_reply_id, ...given }) {
    const row = await requireConversation(ctx, given.contact_id);
    if (read_reply_id !== undefined && read_reply_id !== row.lastReplyId) {
      throw problem("version_conflict", "read_reply_id: the contact wrote again. Read the new reply, then answer.");
    }
    const planned = await planSocialnetAction.handler(ctx, { ...given, kind: "message" }, undefined);
    if (!("data" in planned)) return planned;
    await ctx.store.conversations.update(row.contactId, HANDLED, ctx.now);
    const { id, status, copy_hash } = planned.data as z.infer<typeof PlannedAction>;
    if (status !== "planned" || !(await sendsDirectly(ctx))) return planned;
    return approveSocialnetAction.handler(ctx, { action_id: id, copy_hash }, undefined);
  },
});
