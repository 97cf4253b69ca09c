import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { OwnProposals, Scope } from "../../../domain/access/roles.ts";
import type { Window } from "../../../domain/time/calendar.ts";
import { json } from "../statement.ts";

export const workspaces = sqliteTable(
  "workspaces",
  {
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
    timeZone: text().notNull().default("UTC"),
    sendingWindows: json<Window[]>(),
    dailyCap: integer(),
    senderName: text(),
    /** Whether people may approve what they proposed themselves. */
    ownProposals: text().$type<OwnProposals>().notNull().default("allowed"),
    /** When the latest assessment of the checklist began, and with which catalog; 0 and empty before the first. */
    checklistAssessedAt: integer().notNull().default(0),
    checklistCatalog: text().notNull().default(""),
  },
  (t) => [index("workspaces_assessed").on(t.checklistCatalog, t.checklistAssessedAt)],
);

/** What holds for the whole server and is known to every process. `mail_from`: who its mail is from.
 * `retention_at`, `clock_jump`: see `advanceRetention`. `has_mail_server`, `default_delivery`, `mail_settings`, `mail_test`: see MailRecord. `write_check`: there while the disk is tried. */
export const serverSettings = sqliteTable("server_settings", {
  name: text().primaryKey(),
  value: text().notNull(),
  updatedAt: integer().notNull(),
});

/** The column by which every row of a tenant names it. */
export const workspaceId = () =>
  text()
    .notNull()
    .references(() => workspaces.id);

/** Who can sign in, once for the whole server: a person may be a member of several workspaces. */
export const people = sqliteTable(
  "people",
  {
    id: text().primaryKey(),
    email: text().notNull(),
    emailKey: text().notNull(),
    name: text().notNull(),
    /** Argon2id in PHC form; null where the person cannot sign in by password, like the demo's owner. */
    passwordHash: text(),
    /** When they proved that they own the address, or the operator vouched for it; null while it is unverified. */
    provedAt: integer(),
    createdAt: integer().notNull(),
  },
  (t) => [uniqueIndex("people_email").on(t.emailKey)],
);

/** Who a person is to a provider of single sign-on: bound at the first sign-in, whatever their address becomes there. */
export const identities = sqliteTable(
  "identities",
  {
    id: integer().primaryKey(),
    issuer: text().notNull(),
    subject: text().notNull(),
    personId: text()
      .notNull()
      .references(() => people.id),
    createdAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("identities_subject").on(t.issuer, t.subject),
    uniqueIndex("identities_person").on(t.personId, t.issuer),
  ],
);

/** Notification emails still to be sent. Their links are created when they are sent, so none is stored here. */
export const notices = sqliteTable(
  "notices",
  {
    id: text().primaryKey(),
    kind: text({ enum: ["reset", "invitation"] }).notNull(),
    /** Of a reset: as it was typed, whether or not it has an account. */
    email: text(),
    /** Of an invitation. */
    memberId: text().references(() => members.id),
    attempts: integer().notNull().default(0),
    /** When to try next; while one is being sent, when to take it for lost. */
    dueAt: integer().notNull(),
    /** The process that sends it. */
    leasedBy: text(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (t) => [index("notices_due").on(t.dueAt), index("notices_member").on(t.memberId).where(sql`member_id IS NOT NULL`)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: integer().primaryKey(),
    hash: blob({ mode: "buffer" }).notNull(),
    personId: text()
      .notNull()
      .references(() => people.id),
    createdAt: integer().notNull(),
    seenAt: integer().notNull(),
  },
  (t) => [uniqueIndex("sessions_hash").on(t.hash), index("sessions_person").on(t.personId)],
);

/** Links that work once. Only their hashes are stored, and using one deletes it. */
export const oneTimeTokens = sqliteTable(
  "one_time_tokens",
  {
    id: integer().primaryKey(),
    hash: blob({ mode: "buffer" }).notNull(),
    kind: text({ enum: ["setup", "demo", "invitation", "reset", "callback"] }).notNull(),
    personId: text().references(() => people.id),
    memberId: text().references(() => members.id),
    /** The member who was shown an invitation's link; null where it proves the address: mailed, or the operator's. */
    shownTo: text(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("one_time_tokens_hash").on(t.hash),
    index("one_time_tokens_member").on(t.memberId).where(sql`member_id IS NOT NULL`),
  ],
);

export const members = sqliteTable(
  "members",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    /** Who signs in as this member; null until the invitation is accepted. */
    personId: text().references(() => people.id),
    email: text().notNull(),
    emailKey: text().notNull(),
    name: text().notNull(),
    role: text({ enum: ["super_admin", "org_admin", "owner", "admin", "rep", "viewer"] }).notNull(),
    approveOutbound: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer().notNull(),
    removedAt: integer(),
    /** When they last viewed the workspace, and when their previous visit ended. */
    visitedAt: integer(),
    visitedBefore: integer(),
    /** When they dismissed the setup guide. */
    guideHiddenAt: integer(),
  },
  (t) => [
    uniqueIndex("members_email").on(t.workspaceId, t.emailKey).where(sql`removed_at IS NULL`),
    index("members_person").on(t.personId, t.workspaceId).where(sql`removed_at IS NULL AND person_id IS NOT NULL`),
  ],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    name: text().notNull(),
    prefix: text().notNull(),
    hash: blob({ mode: "buffer" }).notNull(),
    scopes: json<Scope[]>().notNull(),
    creator: text().notNull(),
    /** Whose agent it is; null where it was made before this was kept. */
    creatorId: text(),
    createdAt: integer().notNull(),
    lastUsedAt: integer(),
    expiresAt: integer(),
    revokedAt: integer(),
    connectorName: text(),
    socialnetAccountId: text(),
  },
  (t) => [
    uniqueIndex("api_keys_hash").on(t.hash),
    index("api_keys_workspace").on(t.workspaceId, t.createdAt),
    index("api_keys_prefix").on(t.prefix),
    index("api_keys_connector").on(t.workspaceId, t.createdAt).where(sql`connector_name IS NOT NULL`),
    index("api_keys_revoked").on(t.revokedAt).where(sql`revoked_at IS NOT NULL`),
    index("api_keys_expiry").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
);

/** MCP clients that registered themselves; they belong to no workspace. */
export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    redirectUris: json<string[]>().notNull(),
    createdAt: integer().notNull(),
    /** When a member last approved something for it. */
    usedAt: integer(),
  },
  (t) => [
    index("oauth_clients_unused").on(t.createdAt).where(sql`used_at IS NULL`),
    index("oauth_clients_used").on(t.usedAt).where(sql`used_at IS NOT NULL`),
  ],
);

/** Authorization codes. Only their hashes are stored, and using one deletes it. */
export const oauthCodes = sqliteTable(
  "oauth_codes",
  {
    id: integer().primaryKey(),
    hash: blob({ mode: "buffer" }).notNull(),
    workspaceId: workspaceId(),
    memberId: text()
      .notNull()
      .references(() => members.id),
    /** The id that the key will have. */
    keyId: text().notNull(),
    clientId: text().notNull(),
    connectorName: text().notNull(),
    redirectUri: text().notNull(),
    resource: text().notNull(),
    challenge: text().notNull(),
    socialnetAccountId: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("oauth_codes_hash").on(t.hash),
    index("oauth_codes_expiry").on(t.expiresAt),
    index("oauth_codes_member").on(t.memberId),
  ],
);

/** Which client a key was created for, who approved it, and for which code. A code that is used again revokes its key. */
export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    keyId: text()
      .primaryKey()
      .references(() => apiKeys.id),
    workspaceId: workspaceId(),
    memberId: text()
      .notNull()
      .references(() => members.id),
    clientId: text().notNull(),
    codeHash: blob({ mode: "buffer" }).notNull(),
    createdAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("oauth_grants_code").on(t.codeHash),
    index("oauth_grants_member").on(t.memberId),
    index("oauth_grants_client").on(t.clientId),
  ],
);
