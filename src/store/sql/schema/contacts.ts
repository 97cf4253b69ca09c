import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SocialStatus } from "../../../domain/socialnet/social-status.ts";
import { json } from "../statement.ts";
import { workspaceId } from "./access.ts";

export const accounts = sqliteTable(
  "accounts",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    name: text().notNull(),
    /** In lower case: names are found without letter case. */
    nameKey: text().notNull().default(""),
    domain: text(),
    website: text(),
    industry: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (t) => [
    index("accounts_created").on(t.workspaceId, t.createdAt, t.id),
    index("accounts_name_key").on(t.workspaceId, t.nameKey, t.createdAt, t.id),
    index("accounts_domain").on(t.workspaceId, t.domain, t.createdAt, t.id),
  ],
);

/**
 * `seq` is the order of creation. The list walks it newest first; contact_blocks, which triggers keep, counts the live
 * contacts of each 1,024 of it, so that a deep page skips whole blocks. contact_sources counts them by source, which
 * makes the exact total one small sum. Each partial index below serves one filter or order of the query operation.
 */
export const contacts = sqliteTable(
  "contacts",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull(),
    workspaceId: workspaceId(),
    email: text(),
    emailKey: text(),
    firstName: text(),
    lastName: text(),
    company: text(),
    jobTitle: text(),
    phone: text(),
    socialnetUrl: text(),
    socialnetKey: text(),
    website: text(),
    lifecycle: text({ enum: ["prospect", "lead", "opportunity", "customer"] })
      .notNull()
      .default("prospect"),
    source: text().notNull(),
    tags: json<string[]>(),
    accountId: text().references(() => accounts.id),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    archivedAt: integer(),
    lastContactedAt: integer(),
    /** The seq of the newest reply of another contact that counted as this contact's reply too. */
    lastReplySeq: integer(),
    socialStatus: text().$type<SocialStatus>().notNull().default("none"),
  },
  (t) => [
    uniqueIndex("contacts_id").on(t.id),
    uniqueIndex("contacts_email")
      .on(t.workspaceId, t.emailKey)
      .where(sql`archived_at IS NULL AND email_key IS NOT NULL`),
    index("contacts_live").on(t.workspaceId, t.seq).where(sql`archived_at IS NULL`),
    index("contacts_created").on(t.workspaceId, t.createdAt, t.id).where(sql`archived_at IS NULL`),
    // Includes the source, so that counting changes of one source reads only the index.
    index("contacts_updated").on(t.workspaceId, t.updatedAt, t.id, t.source).where(sql`archived_at IS NULL`),
    index("contacts_company")
      .on(t.workspaceId, t.company, t.createdAt, t.id)
      .where(sql`archived_at IS NULL AND company IS NOT NULL`),
    index("contacts_stage").on(t.workspaceId, t.lifecycle, t.createdAt, t.id).where(sql`archived_at IS NULL`),
    index("contacts_source").on(t.workspaceId, t.source, t.createdAt, t.id).where(sql`archived_at IS NULL`),
    index("contacts_profile")
      .on(t.workspaceId, t.socialnetKey)
      .where(sql`archived_at IS NULL AND socialnet_key IS NOT NULL`),
    // Names are found by their beginning, without the case of ASCII letters.
    index("contacts_first_name")
      .on(t.workspaceId, sql`first_name COLLATE NOCASE`, sql`last_name COLLATE NOCASE`)
      .where(sql`archived_at IS NULL AND first_name IS NOT NULL`),
    index("contacts_last_name")
      .on(t.workspaceId, sql`last_name COLLATE NOCASE`)
      .where(sql`archived_at IS NULL AND last_name IS NOT NULL`),
    index("contacts_account_newest")
      .on(t.workspaceId, t.accountId, t.createdAt, t.id)
      .where(sql`archived_at IS NULL AND account_id IS NOT NULL`),
    // Includes the stage, so that counting an account by stages reads only the index.
    index("contacts_account")
      .on(t.workspaceId, t.accountId, t.updatedAt, t.lifecycle)
      .where(sql`archived_at IS NULL AND account_id IS NOT NULL`),
  ],
);

/**
 * Addresses that a contact had before, in the form in which they are compared. Their opt-outs count for the contact.
 * The order of `seq` is the order in which they were replaced.
 */
export const earlierAddresses = sqliteTable(
  "earlier_addresses",
  {
    seq: integer().primaryKey(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    emailKey: text().notNull(),
    replacedAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("earlier_addresses_contact").on(t.contactId, t.emailKey),
    index("earlier_addresses_email").on(t.workspaceId, t.emailKey, t.contactId),
  ],
);

/**
 * Profiles that a contact had before, and when each was last replaced. A reply is read after it arrived, so who had the
 * profile when it arrived has replied.
 */
export const earlierProfiles = sqliteTable(
  "earlier_profiles",
  {
    seq: integer().primaryKey(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    socialnetUrl: text().notNull(),
    socialnetKey: text().notNull(),
    replacedAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("earlier_profiles_contact").on(t.contactId, t.socialnetKey),
    index("earlier_profiles_profile").on(t.workspaceId, t.socialnetKey, t.replacedAt),
  ],
);

export const contactBlocks = sqliteTable(
  "contact_blocks",
  { workspaceId: text().notNull(), block: integer().notNull(), live: integer().notNull() },
  (t) => [primaryKey({ columns: [t.workspaceId, t.block] })],
);

export const contactSources = sqliteTable(
  "contact_sources",
  { workspaceId: text().notNull(), source: text().notNull(), live: integer().notNull() },
  (t) => [primaryKey({ columns: [t.workspaceId, t.source] })],
);

/** The tags of live contacts, which triggers keep: those with one tag are walked newest first. */
export const contactTags = sqliteTable(
  "contact_tags",
  {
    workspaceId: text().notNull(),
    tag: text().notNull(),
    createdAt: integer().notNull(),
    contactId: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.tag, t.createdAt, t.contactId] })],
);

/** One row per edited field. */
export const contactProvenance = sqliteTable(
  "contact_provenance",
  {
    id: integer().primaryKey(),
    contactSeq: integer()
      .notNull()
      .references(() => contacts.seq),
    field: text().notNull(),
    source: text({ enum: ["public_api", "member", "enrichment", "import", "agent"] }).notNull(),
    actorId: text().notNull(),
    at: integer().notNull(),
  },
  (t) => [index("contact_provenance_field").on(t.contactSeq, t.field)],
);

export const importRuns = sqliteTable(
  "import_runs",
  {
    workspaceId: workspaceId(),
    fingerprint: text().notNull(),
    rowsDone: integer().notNull(),
    created: integer().notNull(),
    updated: integer().notNull(),
    unchanged: integer().notNull(),
    rejected: integer().notNull(),
    lastRejected: json<{ row: number; reason: string }[]>().notNull(),
    startedAt: integer().notNull(),
    updatedAt: integer().notNull(),
    finishedAt: integer(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.fingerprint] })],
);

/** The timeline of a contact; `seq` is its order. Nothing rewrites it. */
export const activities = sqliteTable(
  "activities",
  {
    seq: integer().primaryKey(),
    id: text().notNull(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    type: text().notNull(),
    subject: text(),
    body: text(),
    metadata: json<Record<string, unknown>>().notNull(),
    createdAt: integer().notNull(),
    /** Of a reply: the key of the profile that the contact had then, which an agent could change later. */
    profileKey: text(),
  },
  (t) => [
    index("activities_contact").on(t.contactId, t.seq),
    index("activities_suppressed").on(t.contactId, t.seq).where(sql`type = 'suppressed'`),
    index("activities_replies").on(t.contactId, t.createdAt).where(sql`type IN ('email_reply', 'socialnet_reply')`),
    index("activities_replied_profile")
      .on(t.workspaceId, t.profileKey, t.createdAt)
      .where(sql`profile_key IS NOT NULL`),
    index("activities_recent").on(t.workspaceId, t.createdAt, t.type),
  ],
);

export const meetings = sqliteTable(
  "meetings",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    /** The activity that booked it; null where a member confirmed one that was never booked here. */
    activityId: text(),
    heldOn: text(),
    note: text(),
    confirmedBy: text(),
    confirmedAt: integer(),
    createdAt: integer().notNull(),
  },
  (t) => [
    index("meetings_contact").on(t.contactId, t.confirmedAt),
    index("meetings_booked").on(t.workspaceId, t.createdAt).where(sql`confirmed_at IS NULL`),
  ],
);

export const bantAssessments = sqliteTable(
  "bant_assessments",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    answers: json<Record<string, { confirmed: boolean; note?: string }>>().notNull(),
    confirmedBy: text(),
    confirmedAt: integer(),
    createdAt: integer().notNull(),
  },
  (t) => [index("bant_assessments_contact").on(t.contactId, t.confirmedAt)],
);

export const deals = sqliteTable(
  "deals",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    title: text().notNull(),
    value: real().notNull(),
    currency: text().notNull(),
    stage: text().notNull(),
    probability: real(),
    expectedCloseDate: text(),
    createdAt: integer().notNull(),
    /** The member who created it as won, moved it there, or confirmed that it is; null while only an agent said so. */
    wonConfirmedBy: text(),
    /** The member who owns it. Null for an agent's deal, and after the owner was removed. */
    ownerId: text(),
  },
  (t) => [
    index("deals_contact").on(t.contactId, t.stage),
    index("deals_stage").on(t.workspaceId, t.stage, t.createdAt, t.id),
    // Includes the value, so that sums read only the index.
    index("deals_value").on(t.workspaceId, t.stage, t.currency, t.value),
    index("deals_owner").on(t.workspaceId, t.ownerId, t.stage, t.createdAt, t.id),
    index("deals_owner_value").on(t.workspaceId, t.ownerId, t.stage, t.currency, t.value),
  ],
);
