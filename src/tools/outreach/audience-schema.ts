import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { renderedFields, type SequenceSender, type Step } from "../../domain/outreach/sequence.ts";
import { type ContactPlaceholder, renderedValue } from "../../domain/outreach/template.ts";
import { revealHidden } from "../../domain/text/hidden.ts";
import { addressMarksOf, MARKS, type Mark, marksOf } from "../../domain/text/marks.ts";
import { isoOrNull } from "../../lib/time.ts";
import { hashShown } from "../../services/outreach/approvals.ts";
import { findAllSimilarSuppressed } from "../../services/outreach/suppression.ts";
import type { RecipientRow } from "../../store/outreach.ts";
import { notInterested } from "../contacts/contact-schema.ts";
import { oneOf } from "../fields.ts";
import { RenderedStep, renderSteps } from "./rendered-step.ts";
import { similarSuppressed } from "./suppression-schema.ts";

const Value = z.object({
  field: z.string().describe("The contact's field."),
  value: z.string().nullable().describe("The value as it is sent. Null if there is none."),
  use: z.enum(["recipient", "copy", "record"]).describe("Where it is used: the address, the copy, or the record only."),
  marks: z.array(oneOf(MARKS)).describe("Warnings about the value."),
});

/** A contact as an approval pins it. */
export const AudienceContact = z.object({
  contact_id: z.uuid(),
  name: z.string(),
  copy_hash: z.string(),
  suppressed: z.boolean().describe("The address is on the do-not-contact list. Nothing is sent to it."),
  similar_suppressed: similarSuppressed,
  last_reply_at: z.iso
    .datetime()
    .nullable()
    .describe(
      "When the contact, or another one with the same profile, last replied by email or on the professional network.",
    ),
  not_interested: notInterested,
  values: z.array(Value),
  messages: z.array(RenderedStep).describe("Every step as this contact would get it."),
});

/** Who a sequence is sent as. An approval pins it. */
export const Sender = z.object({
  name: z.string().nullable().describe("The workspace's sender name."),
  mail_from: z.string().nullable().describe("The From line of the server's email."),
  account_id: z.uuid().nullable().describe("The account of the socialnet steps."),
  profile_url: z.string().nullable(),
});

export function toSender({ account, senderName, mailFrom }: SequenceSender): z.infer<typeof Sender> {
  return {
    name: senderName,
    mail_from: mailFrom && fromLine(mailFrom),
    account_id: account?.id ?? null,
    profile_url: account?.profileUrl ?? null,
  };
}

/** The sender of the server's email as its recipients read it. */
export function fromLine(mailFrom: string): string {
  const [name, address] = JSON.parse(mailFrom) as [string, string];
  return name === "" ? address : `${name} <${address}>`;
}

/** Contacts as they would be approved now, with every value that reaches the recipient. */
export async function showRecipients(
  { store }: Context,
  recipients: readonly RecipientRow[],
  steps: readonly Step[],
  senderName: string | null,
): Promise<z.infer<typeof AudienceContact>[]> {
  const similar = await findAllSimilarSuppressed(store, recipients);
  const ids = recipients.map(({ id }) => id);
  const replies = await store.activities.lastReplies(ids);
  const suppressed = new Set(await store.suppressions.among(ids));
  const refused = await store.conversations.notInterested(ids);
  const shown: z.infer<typeof AudienceContact>[] = [];
  for (const recipient of recipients) {
    const { id, email, first_name, last_name } = recipient;
    const name = [first_name, last_name].filter(Boolean).join(" ") || email || "No name";
    shown.push({
      contact_id: id,
      name: revealHidden(name) ?? name,
      copy_hash: hashShown(recipient, steps, replies.get(id)),
      suppressed: suppressed.has(id),
      similar_suppressed: similar.get(id) ?? null,
      last_reply_at: isoOrNull(replies.get(id)?.at ?? null),
      not_interested: refused.has(id),
      values: valuesOf(recipient, steps),
      messages: renderSteps(steps, recipient, senderName),
    });
  }
  return shown;
}

/** Every value of a contact that an approval pins, in the order in which people read them. */
function valuesOf(recipient: RecipientRow, steps: readonly Step[]): z.infer<typeof Value>[] {
  const rendered = renderedFields(steps);
  const fields = rendered.includes("company") ? rendered : [...rendered, "company" as const];
  const values: z.infer<typeof Value>[] = [
    addressed(recipient, "email", steps.some(isEmail)),
    addressed(recipient, "socialnet_url", steps.some(isSocialnet)),
  ];
  for (const field of fields) {
    const stored = recipient[field];
    const value = stored && renderedValue(recipient, field);
    const use = rendered.includes(field) ? ("copy" as const) : ("record" as const);
    values.push({ field, value: value || null, use, marks: marks(recipient, field, value ?? "") });
  }
  return values;
}

const isEmail = ({ type }: Step) => type === "email";
const isSocialnet = ({ type }: Step) => type.startsWith("socialnet");

function addressed(recipient: RecipientRow, field: "email" | "socialnet_url", used: boolean) {
  const value = recipient[field];
  const use = used ? ("recipient" as const) : ("record" as const);
  return { field, value, use, marks: value ? addressMarksOf(value, recipient.agentWrote.includes(field)) : [] };
}

function marks(recipient: RecipientRow, field: ContactPlaceholder, shown: string): Mark[] {
  const stored = recipient[field];
  return stored ? marksOf(shown, stored, recipient.agentWrote.includes(field)) : [];
}
