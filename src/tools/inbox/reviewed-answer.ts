import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { MARKS } from "../../domain/text/marks.ts";
import type { AnswerRow } from "../../store/inbox.ts";
import { Activity, notInterested } from "../contacts/contact-schema.ts";
import { oneOf } from "../fields.ts";
import { fromLine } from "../outreach/audience-schema.ts";
import { ListedContact } from "../outreach/sequence-schema.ts";
import { similarSuppressed } from "../outreach/suppression-schema.ts";
import { findSimilarTo, marksOfAddress } from "./answering.ts";
import { Answer, showAnswer } from "./conversation-schema.ts";

/** An answer as an approver needs it: with the conversation that it continues. */
export const ReviewedAnswer = Answer.extend({
  contact: ListedContact,
  contact_email: z.string().nullable().describe("The contact's own address, which the answer may not go to."),
  sender_name: z.string().nullable(),
  mail_from: z.string().nullable().describe("The sender of this server's email."),
  last_reply: Activity.nullable().describe("The last reply of the contact."),
  last_message: Activity.nullable().describe(
    "The last message of the contact, if it isn't their last reply: one on the network that answers nothing.",
  ),
  not_interested: notInterested,
  address_marks: z.array(oneOf(MARKS)).describe("Warnings about address."),
  similar_suppressed: similarSuppressed,
});

export async function showReviewedAnswer(ctx: Context, row: AnswerRow): Promise<z.infer<typeof ReviewedAnswer>> {
  const { contacts, activities, conversations, workspace } = ctx.store;
  // First: the hash never covers what isn't shown.
  const answer = await showAnswer(ctx, row);
  const contact = (await contacts.find(row.contactId))?.contact;
  const mailFrom = await workspace.mailFrom();
  const last_reply = (await activities.lastReply(row.contactId)) ?? null;
  const conversation = await conversations.find(row.contactId);
  const isNews = conversation?.lastReplyType === "socialnet_message_received";
  return {
    ...answer,
    contact: (await contacts.names([row.contactId])).get(row.contactId) ?? null,
    contact_email: contact?.email ?? null,
    sender_name: (await workspace.sendingPolicy()).senderName,
    mail_from: mailFrom && fromLine(mailFrom),
    address_marks: await marksOfAddress(ctx, row.contactId, row.address),
    last_reply,
    last_message: (isNews ? await activities.find(row.contactId, conversation.lastReplyId) : undefined) ?? null,
    not_interested: conversation?.mark === "not_interested",
    similar_suppressed: contact === undefined ? null : await findSimilarTo(ctx, contact, [row.address]),
  };
}
