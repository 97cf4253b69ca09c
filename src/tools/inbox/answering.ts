import type { Context } from "../../core/context.ts";
import { emailPin, isEmail } from "../../domain/contacts/address.ts";
import type { Contact } from "../../domain/contacts/contact.ts";
import { addressMarksOf, type Mark } from "../../domain/text/marks.ts";
import { findRecipient } from "../../services/outreach/approvals.ts";
import { findSimilarSuppressed } from "../../services/outreach/suppression.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import type { ConversationRow } from "../../store/inbox.ts";
import { fromLine } from "../outreach/audience-schema.ts";

/** The sender of an answer as its recipient reads it. Null where the server's sender is not known. */
export async function answerFrom({ store }: Context): Promise<string | null> {
  const mailFrom = await store.workspace.mailFrom();
  if (mailFrom === null) return null;
  const { senderName } = await store.workspace.sendingPolicy();
  const [name, address] = JSON.parse(mailFrom) as [string, string];
  return fromLine(JSON.stringify([senderName ?? name, address]));
}

/**
 * Where a contact can be answered: at the address that the last reply came from, and at the one that the contact has.
 * Anyone who got our message can answer it, so another address than the contact's comes second.
 */
export function addressesOf({ emailFrom }: Pick<ConversationRow, "emailFrom">, { contact }: ContactRecord): string[] {
  const known = [contact.email, emailFrom].filter((address) => address !== null && isEmail(address)) as string[];
  return known.filter((address, i) => known.findIndex((other) => emailPin(other) === emailPin(address)) === i);
}

/** Warnings about an address that an answer goes to. Another one may look just like it. */
export async function marksOfAddress({ store }: Context, contactId: string, address: string): Promise<Mark[]> {
  const contact = await findRecipient(store, contactId);
  const isContacts = contact?.email != null && emailPin(contact.email) === emailPin(address);
  return addressMarksOf(address, isContacts && contact.agentWrote.includes("email"));
}

/** An address on the do-not-contact list that may belong to the contact, or to who reads an answer at one of these. */
export async function findSimilarTo(
  { store }: Context,
  contact: Contact,
  addresses: readonly string[],
): Promise<string | null> {
  for (const address of addresses) {
    const similar = await store.suppressions.similar(address);
    if (similar !== undefined) return similar;
  }
  return findSimilarSuppressed(store, contact);
}
