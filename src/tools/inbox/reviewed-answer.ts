import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { findSimilarSuppressed } from "../../services/outreach/suppression.ts";
import type { AnswerRow } from "../../store/inbox.ts";
import { Activity } from "../contacts/contact-schema.ts";
import { fromLine } from "../outreach/audience-schema.ts";
import { ListedContact } from "../outreach/sequence-schema.ts";
import { similarSuppressed } from "../outreach/suppression-schema.ts";
import { Answer, showAnswer } from "./conversation-schema.ts";

/** An answer as an approver needs it: with the conversation that it continues. */
export const ReviewedAnswer = Answer.extend({
  contact: ListedContact,
  contact_email: z.string().nullable().describe("The contact's own address, which the answer may not go to."),
  sender_name: z.string().nullable(),
  mail_from: z.string().nullable().describe("The sender of this server's email."),
  last_reply: Activity.nullable().describe("The last reply of the contact."),
  similar_suppressed: similarSuppressed,
});

export async function showReviewedAnswer(ctx: Context, row: AnswerRow): Promise<z.infer<typeof ReviewedAnswer>> {
  const { contacts, activities, workspace } = ctx.store;
  const contact = (await contacts.find(row.contactId))?.contact;
  const mailFrom = await workspace.mailFrom();
  return {
    ...(await showAnswer(ctx, row)),
    contact: (await contacts.names([row.contactId])).get(row.contactId) ?? null,
    contact_email: contact?.email ?? null,
    sender_name: (await workspace.sendingPolicy()).senderName,
    mail_from: mailFrom && fromLine(mailFrom),
    last_reply: (await activities.lastReply(row.contactId)) ?? null,
    similar_suppressed: contact === undefined ? null : await findSimilarSuppressed(ctx.store, contact),
  };
}
