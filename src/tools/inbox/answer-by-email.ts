import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { emailPin } from "../../domain/contacts/address.ts";
import { answerSubject, MAX_SUBJECT, UNDO_SEND_MS } from "../../domain/outreach/answer.ts";
import { messageFault } from "../../domain/outreach/sending.ts";
import { mayApproveOwn } from "../../services/access/own-proposal.ts";
import { HANDLED, requireConversation, requireRead } from "../../services/inbox/conversations.ts";
import { answerFacts, hashAnswer, recipientBlock } from "../../services/outreach/answers.ts";
import { decideDelivery } from "../../services/outreach/delivery.ts";
import { requireReadReply } from "../../services/socialnet/actions.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import type { AnswerRow, ConversationRow } from "../../store/inbox.ts";
import { readLastReply } from "../socialnet/action-schema.ts";
import { addressesOf, answerFrom } from "./answering.ts";
import { Answer, contactId, readReplyId, readSends, requireReadSends, showAnswer } from "./conversation-schema.ts";

const MAX_ANSWER = 20_000;

export const answerFields = {
  subject: z.string().max(MAX_SUBJECT).trim().min(1).describe("The exact subject."),
  body: z
    .string()
    .max(MAX_ANSWER)
    .refine((text) => text.trim() !== "", "can't be empty. Write the answer")
    .describe("The exact text, without placeholders."),
};

export const answerByEmail = personOperation({
  name: "answer_by_email",
  area: "inbox",
  title: "Answer by email",
  description:
    "Answers a contact who wrote to you, in the thread of their last email if there is one. The answer goes to " +
    "review. If you have approve_outbound and can approve your own proposals, it is sent after 10 seconds " +
    "instead. Until then, cancel_answer can stop it. Sending hours and the daily limit don't apply. The " +
    "conversation is marked as done.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["conversation_not_found", "contact_suppressed", "version_conflict", "mail_not_configured"],
  input: z.strictObject({
    contact_id: contactId,
    to: z
      .string()
      .max(320)
      .optional()
      .describe(
        "The contact's address, or the one that their last email came from. Default: the contact's address, if they have one.",
      ),
    subject: answerFields.subject
      .optional()
      .describe("The exact subject. Default: the subject of the contact's last email, with Re: before it."),
    body: answerFields.body,
    read_reply_id: readReplyId,
    read_last_reply: readLastReply,
    read_sends: readSends,
    read_from: z
      .string()
      .max(1_000)
      .nullable()
      .optional()
      .describe("The sender that you read, as get_conversation returns it. If it has changed, the call is refused."),
    delivery: z
      .literal("files")
      .optional()
      .describe(
        "Saves the answer to a file instead of sending it. Required if there is no mail server, except on demo servers.",
      ),
  }),
  output: Answer,
  async handler(ctx, { contact_id, to, subject, body, delivery: given, ...read }) {
    const row = await requireConversation(ctx, contact_id);
    requireRead(row, read.read_reply_id);
    await requireReadReply(ctx, contact_id, read.read_last_reply);
    if (read.read_from !== undefined && read.read_from !== (await answerFrom(ctx))) {
      throw problem("version_conflict", "read_from: the sender changed since you read it. Review it again.");
    }
    const direct = await mayApproveOwn(ctx);
    requireReadSends(direct, read.read_sends);
    const delivery = await decideDelivery(ctx, given);
    const record = (await ctx.store.contacts.find(contact_id)) as ContactRecord;
    const address = addressOf(row, record, to);
    if ((await recipientBlock(ctx.store, { contactId: contact_id, address })) !== undefined) {
      throw problem("contact_suppressed");
    }
    const words = { subject: subject ?? answerSubject(row.emailSubject), body };
    const draft = draftOf(ctx, row, { address, delivery, ...words });
    const answer: AnswerRow = direct ? { ...draft, status: "approved", ...(await approvalOf(ctx, draft)) } : draft;
    await ctx.store.emailAnswers.insert(answer);
    const own = direct ? { own_proposal: true } : {};
    await ctx.audit({ recordId: answer.id, before: null, after: { ...answerFacts(answer), ...own } });
    await ctx.store.conversations.update(contact_id, HANDLED, ctx.now);
    return { data: await showAnswer(ctx, answer) };
  },
});

function addressOf(row: ConversationRow, record: ContactRecord, to: string | undefined): string {
  const [first, ...others] = addressesOf(row, record);
  if (first === undefined) {
    throw problem("validation_failed", "contact_id: this contact has no email address. Add one, or answer elsewhere.");
  }
  if (to === undefined) {
    if (record.contact.email === first) return first;
    throw problem(
      "validation_failed",
      `to: is required, because the contact has no email address. Send ${first}, which their last email came from.`,
    );
  }
  // As an approval pins it: another address may have the same key.
  const found = [first, ...others].find((address) => emailPin(address) === emailPin(to.trim()));
  if (found === undefined) {
    throw problem("validation_failed", `to: must be ${[first, ...others].join(" or ")}. Send one of them.`);
  }
  return found;
}

/** An answer in the thread of the last reply by email. Without one, it continues our own last messages. */
function draftOf(
  ctx: Context,
  row: ConversationRow,
  { address, delivery, subject, body }: Pick<AnswerRow, "address" | "delivery" | "subject" | "body">,
): AnswerRow {
  const fault = messageFault({ subject, body, names: [] });
  if (fault !== undefined) throw problem("validation_failed", fault);
  return {
    id: ctx.newId(),
    contactId: row.contactId,
    status: "needs_review",
    address,
    subject,
    body,
    inReplyTo: row.emailMessageId,
    thread: row.emailThread,
    delivery,
    plannedBy: ctx.actor.name,
    plannedById: ctx.actor.id,
    approvedBy: null,
    approvedAt: null,
    approvedHash: null,
    dueAt: null,
    note: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
    endedAt: null,
  };
}

/** The approval of an answer as it is now. It leaves once the time to undo is over. */
export async function approvalOf(ctx: Context, answer: AnswerRow) {
  return {
    approvedBy: ctx.actor.name,
    approvedAt: ctx.now,
    approvedHash: await hashAnswer(ctx.store, answer),
    dueAt: ctx.now + UNDO_SEND_MS,
    note: null,
  };
}
