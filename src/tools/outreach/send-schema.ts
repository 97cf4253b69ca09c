import { z } from "zod";
import { SEND_STATUSES } from "../../domain/outreach/sending.ts";
import { iso } from "../../lib/time.ts";
import type { SendRow } from "../../store/outreach.ts";
import { oneOf } from "../fields.ts";

/** What a person says of a message of unknown outcome. */
export const found = z
  .enum(["sent", "not_sent", "retry"])
  .describe(
    "sent or not_sent: what you found on the mail server or learned from the contact. retry: it was not sent, so send it once more.",
  );

/** A message of a sequence or an answer to a reply, and what became of it. */
export const Send = z.object({
  id: z.uuid(),
  enrollment_id: z.uuid().nullable().describe("Null for an answer to a reply."),
  sequence_id: z.uuid().nullable().describe("Null for an answer to a reply."),
  contact_id: z.uuid(),
  step: z.int().nullable().describe("Index of the sequence's step, from 0. Null for an answer to a reply."),
  answer_id: z
    .uuid()
    .nullable()
    .describe("The answer to a reply that this email contains. Null for an email of a sequence."),
  message_id: z.string(),
  address: z.string(),
  subject: z.string(),
  status: oneOf(SEND_STATUSES),
  attempts: z.int(),
  detail: z.string().nullable().describe("The mail server's reply, or why the email was not sent."),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export function toSend(row: SendRow): z.infer<typeof Send> {
  return {
    id: row.id,
    enrollment_id: row.enrollmentId,
    sequence_id: row.sequenceId,
    contact_id: row.contactId,
    step: row.step,
    answer_id: row.answerId,
    message_id: row.messageId,
    address: row.address,
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    detail: row.detail,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  };
}
