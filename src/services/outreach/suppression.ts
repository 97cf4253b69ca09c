import type { AsSystem, Context } from "../../core/context.ts";
import { emailKey } from "../../domain/contacts/address.ts";
import type { Contact } from "../../domain/contacts/contact.ts";
import { type OptOut, readUnsubscribeToken } from "../../domain/outreach/unsubscribe-link.ts";
import type { Vault } from "../../lib/vault.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import type { SuppressionRow } from "../../store/outreach.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import type { Store, WorkspaceStore } from "../../store/store.ts";
import { recordActivity } from "../contacts/record-activity.ts";
import { stopContact } from "./enrollment.ts";

/**
 * Whether an address is on the do-not-contact list. Enrollment of one contact, the engine, the last check before sending
 * and the approval of socialnet actions ask here. Enrollment of an audience asks in its query: store/sql/approvals.ts.
 */
export async function isSuppressed(
  { suppressions }: Pick<WorkspaceStore, "suppressions">,
  email: string | null,
): Promise<boolean> {
  return email !== null && (await suppressions.has(email));
}

type Addressed = Pick<Contact, "id" | "email">;

/**
 * An address on the do-not-contact list that likely reaches the same person: one that the contact had before, one that
 * is similar to that or to the one they have, or that of another contact with the same profile. It stops nothing: people
 * are warned of it.
 */
export async function findSimilarSuppressed(
  store: Pick<WorkspaceStore, "suppressions">,
  contact: Addressed,
): Promise<string | null> {
  return (await findAllSimilarSuppressed(store, [contact])).get(contact.id) ?? null;
}

/** The same of several contacts, by their ids. */
export async function findAllSimilarSuppressed(
  { suppressions }: Pick<WorkspaceStore, "suppressions">,
  contacts: readonly Addressed[],
): Promise<Map<string, string>> {
  const related = await suppressions.related(contacts.map(({ id }) => id));
  const found = new Map<string, string>();
  for (const { id, email } of contacts) {
    const known = related.get(id);
    const noted = known?.noted[EARLIER_ADDRESS];
    const similar = email === null ? undefined : await suppressions.similar(email);
    const former = typeof noted === "string" && !isSameAddress(email, noted) ? noted : known?.earlier;
    const address = similar ?? former ?? known?.sameProfile ?? (await similarToEarlier(suppressions, known?.addresses));
    if (address !== undefined) found.set(id, address);
  }
  return found;
}

async function similarToEarlier(
  suppressions: WorkspaceStore["suppressions"],
  addresses: readonly string[] = [],
): Promise<string | undefined> {
  for (const address of addresses) {
    const similar = await suppressions.similar(address);
    if (similar !== undefined) return similar;
  }
  return undefined;
}

/** In the metadata of an activity: the address that opted out, which its contact no longer has. */
const EARLIER_ADDRESS = "earlier_address";

/**
 * Notes that a contact had an address that opted out. A teammate who decides to write to their next address reads it. An address
 * that bounced was wrong, and opted out of nothing.
 */
export async function noteEarlierOptOut(
  ctx: Context,
  { id: contactId, email }: Pick<Contact, "id" | "email">,
  earlier: string | null,
): Promise<void> {
  if (earlier === null || isSameAddress(email, earlier)) return;
  const listed = await ctx.store.suppressions.find(earlier);
  if (listed === undefined || isBounce(listed)) return;
  const subject = "An earlier address is on the do-not-contact list";
  await recordActivity(ctx, { contactId, type: "suppressed", subject, metadata: { [EARLIER_ADDRESS]: listed.email } });
}

const isBounce = ({ source, reason }: Pick<SuppressionRow, "source" | "reason">) =>
  source === "engine" && reason === "bounce";
const isSameAddress = (email: string | null, other: string) => email !== null && emailKey(email) === emailKey(other);

/** Why a contact may not be written to, on any channel. Undefined where it may. */
export async function contactBlock(
  store: Pick<WorkspaceStore, "suppressions">,
  record: ContactRecord | undefined,
): Promise<"archived" | "suppressed" | undefined> {
  if (record === undefined) return "archived";
  return (await isSuppressed(store, record.contact.email)) ? "suppressed" : undefined;
}

/**
 * The opt-out of the address that an action's contact had when it was approved. It counts whatever address they have
 * now: an agent could change it.
 */
export async function optOutSinceApproval(
  { suppressions }: Pick<WorkspaceStore, "suppressions">,
  { approvedEmailKey }: Pick<ActionRow, "approvedEmailKey">,
): Promise<SuppressionRow | undefined> {
  const listed = approvedEmailKey === null ? undefined : await suppressions.find(approvedEmailKey);
  return listed === undefined || isBounce(listed) ? undefined : listed;
}

/**
 * Puts an address on the do-not-contact list. Stops everything that is open for the contact who has it, and, unless it
 * bounced, for contacts who had it before.
 */
export async function suppress(
  ctx: Context,
  given: { email: string; reason: string; stated: boolean; source: SuppressionRow["source"] },
): Promise<SuppressionRow> {
  const { suppressions, contacts } = ctx.store;
  const record = await contacts.findByEmail(given.email);
  const reached = isBounce(given) ? [] : await suppressions.reached(given.email);
  const profileUrl = isBounce(given)
    ? null
    : await profileOf(ctx, [...reached, ...(record ? [record.contact.id] : [])]);
  const { row, added } = await suppressions.upsert({ id: ctx.newId(), ...given, profileUrl, createdAt: ctx.now });
  for (const id of reached) {
    if (id !== record?.contact.id) await stopFormerOwner(ctx, id, given.email);
  }
  if (record === undefined) return row;
  const { id: contactId } = record.contact;
  await endOutreach(ctx, contactId);
  if (added) {
    const subject = "Added to the do-not-contact list";
    await recordActivity(ctx, { contactId, type: "suppressed", subject, metadata: { reason: row.reason } });
  }
  return row;
}

/**
 * The profile of whom an address belongs to. Who was written to at it comes before who has it now: an agent can give it
 * to another contact.
 */
async function profileOf({ store }: Context, ids: readonly string[]): Promise<string | null> {
  for (const id of ids) {
    const profile = (await store.contacts.find(id))?.contact.socialnet_url;
    if (profile) return profile;
  }
  return null;
}

/** Also ends what people approved before: the contact may get another address, and no approval of before may count for it. */
async function endOutreach(ctx: Context, contactId: string): Promise<void> {
  await stopContact(ctx, contactId, "suppressed");
  await ctx.store.approvals.spend(contactId, ctx.now);
}

/** The contact who had an address may have another one by now. The opt-out stops what is open all the same. */
export async function stopFormerOwner(ctx: Context, contactId: string, address: string): Promise<void> {
  await endOutreach(ctx, contactId);
  const record = await ctx.store.contacts.find(contactId);
  const { noted } = (await ctx.store.suppressions.related([contactId])).get(contactId) ?? {};
  if (record === undefined || noted?.[EARLIER_ADDRESS] !== undefined) return;
  await noteEarlierOptOut(ctx, record.contact, address);
}

/** The action of an unsubscribe link: it needs no sign-in, and works whatever the billing state. */
export function createOptOuts(vault: Vault, asSystem: AsSystem, store: Pick<Store, "read">) {
  return {
    readToken: (token: string) => readUnsubscribeToken(vault, token),
    /** Repeating it changes and writes nothing: mail providers repeat the request, and anyone with the link may. */
    async unsubscribe(optOut: OptOut): Promise<void> {
      const { workspaceId, contactId, address } = optOut;
      if (await isDone(store.read(workspaceId), optOut)) return;
      await asSystem(workspaceId, "unsubscribe", async (ctx) => {
        await suppress(ctx, { email: address, reason: "unsubscribe", stated: true, source: "unsubscribe_link" });
        await stopFormerOwner(ctx, contactId, address);
      });
    },
  };
}

/** A repeat also stops what began, and spends what was approved, since the address was listed. */
async function isDone({ suppressions, contacts }: WorkspaceStore, optOut: OptOut): Promise<boolean> {
  const { address, contactId } = optOut;
  const listed = await suppressions.find(address);
  if (listed === undefined || (listed.source !== "unsubscribe_link" && listed.reason !== "complaint")) return false;
  const owner = await contacts.findByEmail(address);
  const ids = [contactId, ...(owner === undefined ? [] : [owner.contact.id]), ...(await suppressions.reached(address))];
  return !(await suppressions.anyOpen(ids));
}
