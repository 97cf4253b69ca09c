import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { COPY_LIMITS } from "../../domain/socialnet/action.ts";
import { mayApproveOwn } from "../../services/access/own-proposal.ts";
import { HANDLED, requireConversation, requireRead } from "../../services/inbox/conversations.ts";
import { recordId } from "../fields.ts";
import { readAutomationMode, readProfileUrl } from "../socialnet/account-schema.ts";
import { PlannedAction, readLastReply, showPlanned } from "../socialnet/action-schema.ts";
import { approveSocialnetAction } from "../socialnet/approve-socialnet-action.ts";
import { planByPerson, planSocialnetAction } from "../socialnet/plan-socialnet-action.ts";
import { contactId, readReplyId, readSends, requireReadSends } from "./conversation-schema.ts";

export const answerOnNetwork = personOperation({
  name: "answer_on_network",
  area: "inbox",
  title: "Answer on the professional network",
  description:
    "Plans a message to a contact who wrote to you, for the agent of an account. If you have approve_outbound and " +
    "can approve your own proposals, it is approved immediately. Otherwise it goes to review, even on an " +
    "automatic account. The conversation is marked as done.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: [...planSocialnetAction.errors, "conversation_not_found"],
  input: z.strictObject({
    contact_id: contactId,
    account_id: recordId("social account"),
    read_profile_url: readProfileUrl,
    read_profile_urls: z
      .record(recordId("social account"), z.string().max(500))
      .optional()
      .describe(
        "For the id of each account, the profile that you read. If the profile of account_id has changed, the call is " +
          "refused. Optional.",
      ),
    read_automation_mode: readAutomationMode,
    copy: z.string().max(COPY_LIMITS.message).describe("The exact text to send."),
    recipient_url: z
      .string()
      .max(2_000)
      .optional()
      .describe("The contact's profile that you read. Without it, the current profile is used."),
    read_reply_id: readReplyId,
    read_last_reply: readLastReply,
    read_sends: readSends,
  }),
  output: PlannedAction,
  async handler(ctx, { read_reply_id, read_profile_urls, read_sends, ...given }) {
    const row = await requireConversation(ctx, given.contact_id);
    requireRead(row, read_reply_id);
    const direct = await mayApproveOwn(ctx);
    requireReadSends(direct, read_sends);
    const read_profile_url =
      given.read_profile_url ?? (read_profile_urls && (read_profile_urls[given.account_id] ?? ""));
    const answer = { ...given, kind: "message", read_profile_url } as const;
    // An automatic account approves what is planned for it. An answer is approved by a person.
    const planned = await showPlanned(ctx, await planByPerson(ctx, answer, false));
    await ctx.store.conversations.update(row.contactId, HANDLED, ctx.now);
    if (!direct) return { data: planned };
    const { id: action_id, copy_hash } = planned;
    return approveSocialnetAction.handler(ctx, { action_id, copy_hash }, undefined);
  },
});
