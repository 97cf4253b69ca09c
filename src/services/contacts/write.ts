import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import {
  CONTACT_FIELDS,
  type Contact,
  type ContactField,
  type ContactFields,
  isIdentified,
  type ProvenanceSource,
} from "../../domain/contacts/contact.ts";
import { type ContactPatch, type ContactRecord, EmailTaken } from "../../store/contacts.ts";
import { noteEarlierOptOut } from "../outreach/suppression.ts";
import { followProfile } from "../socialnet/changed-actions.ts";

/** What names a contact. */
export const NEEDS_NAME = "A contact needs an email, a first name or a last name";

/**
 * Inserts every new contact: for create, assert and import. The allowance is counted inside the write transaction, so
 * that no race exceeds it.
 *
 * @throws Problem quota_exceeded_contacts, email_conflict
 */
export async function insertContact(
  ctx: Context,
  fields: ContactFields,
  source: string,
  provenance: ProvenanceSource = editSource(ctx),
): Promise<Contact> {
  await requireAllowance(ctx, fields);
  const record = await unlessTaken(() => ctx.store.contacts.insert({ id: ctx.newId(), fields, source, now: ctx.now }));
  const given = CONTACT_FIELDS.filter((field) => fields[field]);
  await recordEdit(ctx, record.seq, given, provenance);
  return record.contact;
}

/**
 * Writes the fields whose value changes, each with its provenance. Without a change nothing is written, and
 * `updated_at` stays.
 *
 * @throws Problem email_conflict; validation_failed where nothing would identify the contact any more
 */
export async function editContact(
  ctx: Context,
  record: ContactRecord,
  fields: ContactFields,
  more: Pick<ContactPatch, "lifecycle" | "accountId" | "tags"> = {},
  provenance: ProvenanceSource = editSource(ctx),
): Promise<{ contact: Contact; changed: boolean }> {
  const changed = CONTACT_FIELDS.filter(
    (field) => fields[field] !== undefined && fields[field] !== record.contact[field],
  );
  const edited = [...changed, ...extraNames(more)];
  if (edited.length === 0) return { contact: record.contact, changed: false };
  const values = Object.fromEntries(changed.map((field) => [field, fields[field]])) as ContactFields;
  if (!isIdentified({ ...record.contact, ...values })) {
    throw problem("validation_failed", `${NEEDS_NAME}. Set another before you clear the last one.`);
  }
  const contact = await unlessTaken(() => ctx.store.contacts.update(record, { fields: values, ...more, now: ctx.now }));
  await recordEdit(ctx, record.seq, edited, provenance);
  if (changed.includes("socialnet_url")) await followProfile(ctx, contact, provenance === "member");
  if (changed.includes("email")) await noteEarlierOptOut(ctx, contact, record.contact.email);
  return { contact, changed: true };
}

const EXTRA_NAMES = { lifecycle: "lifecycle", accountId: "account_id", tags: "tags" } as const;
type ExtraName = (typeof EXTRA_NAMES)[keyof typeof EXTRA_NAMES];

function extraNames(more: object): ExtraName[] {
  return Object.keys(more).map((name) => EXTRA_NAMES[name as keyof typeof EXTRA_NAMES]);
}

function recordEdit(
  ctx: Context,
  seq: number,
  fields: readonly (ContactField | ExtraName)[],
  source: ProvenanceSource,
): Promise<void> {
  return ctx.store.contacts.recordProvenance({ seq, fields, source, actorId: ctx.actor.id, now: ctx.now });
}

/** Who made an edit: an agent's key, or a person. */
export function editSource(ctx: Context): ProvenanceSource {
  return ctx.actor.kind === "key" ? "public_api" : "member";
}

async function requireAllowance(ctx: Context, { email }: ContactFields): Promise<void> {
  const { name, contactAllowance: limit } = await ctx.store.workspace.plan();
  if (limit === null) return;
  const used = await ctx.store.contacts.count();
  if (used < limit) return;
  // An address that exists already needs another fix than a larger plan.
  if (email && (await ctx.store.contacts.findByEmail(email))) throw taken();
  throw problem(
    "quota_exceeded_contacts",
    `The ${name} plan allows ${limit} contacts and you have ${used}. Archive some, or ask an admin to change the plan.`,
    { extra: { quota: { resource: "contacts", limit, used, plan: name } } },
  );
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof EmailTaken)) throw error;
    throw taken();
  }
}

function taken() {
  return problem("email_conflict", "email: is used by another contact in this workspace. Update that contact instead.");
}
