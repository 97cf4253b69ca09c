import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * Ids are text, times integer milliseconds, so that a second engine can hold the same rows. Every table is STRICT
 * (scripts/migration.ts adds the word, which the generator does not know).
 */

export const workspaces = sqliteTable("workspaces", {
  id: text().primaryKey(),
  name: text().notNull(),
  createdAt: integer().notNull(),
  plan: text().notNull().default("self_hosted"),
  contactAllowance: integer(),
  socialnetAllowance: integer(),
  billingState: text({ enum: ["active", "trial", "financed", "delinquent"] })
    .notNull()
    .default("active"),
  billingEndsAt: integer(),
  pausedAt: integer(),
  pauseReason: text(),
});

const workspaceId = () =>
  text()
    .notNull()
    .references(() => workspaces.id);

export const members = sqliteTable(
  "members",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    email: text().notNull(),
    emailKey: text().notNull(),
    name: text().notNull(),
    role: text({ enum: ["super_admin", "org_admin", "owner", "admin", "rep", "viewer"] }).notNull(),
    approveOutbound: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer().notNull(),
    removedAt: integer(),
  },
  (t) => [uniqueIndex("members_email").on(t.workspaceId, t.emailKey).where(sql`removed_at IS NULL`)],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    name: text().notNull(),
    prefix: text().notNull(),
    hash: blob({ mode: "buffer" }).notNull(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    creator: text().notNull(),
    createdAt: integer().notNull(),
    lastUsedAt: integer(),
    expiresAt: integer(),
    revokedAt: integer(),
    connectorName: text(),
    socialnetAccountId: text(),
  },
  (t) => [uniqueIndex("api_keys_hash").on(t.hash), index("api_keys_workspace").on(t.workspaceId, t.createdAt)],
);

export const accounts = sqliteTable(
  "accounts",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    name: text().notNull(),
    domain: text(),
    website: text(),
    industry: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (t) => [index("accounts_name").on(t.workspaceId, t.name), index("accounts_domain").on(t.workspaceId, t.domain)],
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
    tags: text({ mode: "json" }).$type<string[]>(),
    accountId: text().references(() => accounts.id),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    archivedAt: integer(),
  },
  (t) => [
    uniqueIndex("contacts_id").on(t.id),
    uniqueIndex("contacts_email")
      .on(t.workspaceId, t.emailKey)
      .where(sql`archived_at IS NULL AND email_key IS NOT NULL`),
    index("contacts_live").on(t.workspaceId, t.seq).where(sql`archived_at IS NULL`),
    index("contacts_created").on(t.workspaceId, t.createdAt, t.id).where(sql`archived_at IS NULL`),
    // The source stands in it too, so that counting what changed of one source reads the index alone.
    index("contacts_updated").on(t.workspaceId, t.updatedAt, t.id, t.source).where(sql`archived_at IS NULL`),
    index("contacts_company")
      .on(t.workspaceId, t.company, t.createdAt, t.id)
      .where(sql`archived_at IS NULL AND company IS NOT NULL`),
    index("contacts_source").on(t.workspaceId, t.source, t.createdAt, t.id).where(sql`archived_at IS NULL`),
    index("contacts_profile")
      .on(t.workspaceId, t.socialnetKey)
      .where(sql`archived_at IS NULL AND socialnet_key IS NOT NULL`),
    index("contacts_account").on(t.accountId).where(sql`account_id IS NOT NULL`),
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
  (t) => [index("contact_provenance_contact").on(t.contactSeq)],
);

export const meetings = sqliteTable(
  "meetings",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    heldOn: text(),
    note: text(),
    confirmedBy: text(),
    confirmedAt: integer(),
    createdAt: integer().notNull(),
  },
  (t) => [index("meetings_contact").on(t.contactId, t.confirmedAt)],
);

export const bantAssessments = sqliteTable(
  "bant_assessments",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    answers: text({ mode: "json" }).$type<Record<string, { confirmed: boolean; note?: string }>>().notNull(),
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
  },
  (t) => [index("deals_contact").on(t.contactId, t.stage)],
);

/** A rowid table on purpose: a text key WITHOUT ROWID doubles the cost of the write. */
export const answers = sqliteTable(
  "answers",
  {
    id: integer().primaryKey(),
    hash: blob({ mode: "buffer" }).notNull(),
    status: integer().notNull(),
    body: text().notNull(),
    createdAt: integer().notNull(),
  },
  (t) => [uniqueIndex("answers_hash").on(t.hash)],
);

export const operationLog = sqliteTable("operation_log", {
  id: integer().primaryKey(),
  workspaceId: text().notNull(),
  at: integer().notNull(),
  operation: text().notNull(),
  surface: text().notNull(),
  actorKind: text().notNull(),
  actorId: text().notNull(),
  recordId: text(),
  requestId: text().notNull(),
});

export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer().primaryKey(),
    workspaceId: text().notNull(),
    at: integer().notNull(),
    action: text().notNull(),
    actorKind: text().notNull(),
    actorId: text().notNull(),
    recordId: text().notNull(),
    before: text({ mode: "json" }).$type<Record<string, unknown>>(),
    after: text({ mode: "json" }).$type<Record<string, unknown>>(),
  },
  (t) => [index("audit_log_workspace").on(t.workspaceId)],
);

export const authEvents = sqliteTable(
  "auth_events",
  {
    id: integer().primaryKey(),
    workspaceId: text(),
    at: integer().notNull(),
    code: text().notNull(),
    keyPrefix: text(),
    address: text(),
    route: text().notNull(),
  },
  (t) => [index("auth_events_workspace").on(t.workspaceId)],
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
    lastRejected: text({ mode: "json" }).$type<{ row: number; reason: string }[]>().notNull(),
    startedAt: integer().notNull(),
    updatedAt: integer().notNull(),
    finishedAt: integer(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.fingerprint] })],
);
