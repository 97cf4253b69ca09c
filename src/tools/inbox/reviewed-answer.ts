import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { MARKS } from "../../domain/text/marks.ts";
import { findLastMessage, isNotInterested } from "../../services/inbox/conversations.ts";
import type { AnswerRow } from "../../store/inbox.ts";
import { Activity, lastMessage, notInterested } from "../contacts/contact-schema.ts";
import { oneOf } from "../fields.ts";
import { fromLine } from "../outreach/audience-schema.ts";
import { ListedContact } from "../outreach/sequence-schema.ts";
import { similarSuppressed } from "../outreach/suppression-schema.ts";
import { findSimilarTo, marksOfAddress } from "./answering.ts";
import { Answer, showAnswer } from "./conversation-schema.ts";

/** An answer as an approver needs it: with the conversation that it continues. */
export const ReviewedAnswer = Answer.extend({
  contact: ListedContact,
  contact_email: z.string().nullable().describe("The contact's own address. The answer may go to a different one."),
  sender_name: z.string().nullable(),
  mail_from: z.string().nullable().describe("The sender of this server's email."),
  last_reply: Activity.nullable().describe("The last reply of the contact."),
  last_message: lastMessage,
  not_interested: notInterested,
  address_marks: z.array(oneOf(MARKS)).describe("Warnings about the answer's address."),
  similar_suppressed: similarSuppressed,
});

export async function showReviewedAnswer(ctx: Context, row: AnswerRow): Promise<z.infer<typeof ReviewedAnswer>> {
  const { contacts, activities, workspace } = ctx.store;
  // First: the hash never covers what isn't shown.
  const answer = await showAnswer(ctx, row);
  const contact = (await contacts.find(row.contactId))?.contact;
  const mailFrom = await workspace.mailFrom();
  const lastReply = await activities.lastReply(row.contactId);
  return {
    ...answer,
    contact: (await contacts.names([row.contactId])).get(row.contactId) ?? null,
    contact_email: contact?.email ?? null,
    sender_name: (await workspace.sendingPolicy()).senderName,
    mail_from: mailFrom && fromLine(mailFrom),
    address_marks: await marksOfAddress(ctx, row.contactId, row.address),
    last_reply: lastReply ?? null,
    last_message: (await findLastMessage(ctx, row.contactId, lastReply)) ?? null,
    not_interested: await isNotInterested(ctx, row.contactId),
    similar_suppressed: contact === undefined ? null : await findSimilarTo(ctx, contact, [row.address]),
  };
}
