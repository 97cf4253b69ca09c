import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { emailKey, isEmail } from "../../domain/contacts/address.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import type { ConversationRow } from "../../store/inbox.ts";

/** Whether the caller's answer needs no other teammate: they may approve, and may approve what they wrote. */
export async function sendsDirectly({ actor, store }: Context): Promise<boolean> {
  return mayApprove(actor) && (await store.workspace.ownProposals()) === "allowed";
}

/**
 * Where a contact can be answered: at the address that the last reply came from, and at the one that the contact has.
 * Anyone who got our message can answer it, so another address than the contact's comes second.
 */
export function addressesOf({ emailFrom }: Pick<ConversationRow, "emailFrom">, { contact }: ContactRecord): string[] {
  const known = [contact.email, emailFrom].filter((address) => address !== null && isEmail(address)) as string[];
  return known.filter((address, i) => known.findIndex((other) => emailKey(other) === emailKey(address)) === i);
}
