import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AutomationMode, SocialnetSession } from "../../../domain/socialnet/account.ts";
import type {
  AccountHold,
  ActionChange,
  ActionKind,
  ActionOrigin,
  ActionStatus,
  Outcome,
  Stop,
} from "../../../domain/socialnet/action.ts";
import type { Window } from "../../../domain/time/calendar.ts";
import type { ReportedSchedule } from "../../socialnet.ts";
import { json } from "../statement.ts";
import { workspaceId } from "./access.ts";
import { contacts } from "./contacts.ts";
import { enrollments, sequences } from "./outreach.ts";

/**
 * A sender on the professional network. `lookAt` is when its claimable actions have to be counted again: now, after a change,
 * else when a window, a day or a hold ends. `announced` is the count that its subscribers know.
 */
export const socialnetAccounts = sqliteTable(
  "socialnet_accounts",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    label: text().notNull(),
    profileUrl: text().notNull(),
    /** The form in which profile addresses are compared. */
    profileKey: text().notNull(),
    automationMode: text().$type<AutomationMode>().notNull(),
    timeZone: text().notNull(),
    windows: json<Window[]>().notNull(),
    dailyConnectionRequests: integer().notNull(),
    dailyMessages: integer().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    ownerMemberId: text(),
    session: text().$type<SocialnetSession>(),
    sessionAt: integer(),
    /** Since when the session is what it is. */
    sessionSince: integer(),
    heldReason: text().$type<AccountHold>(),
    heldUntil: integer(),
    heldSince: integer(),
    schedules: json<ReportedSchedule[]>(),
    checkInMinutes: integer(),
    schedulesAt: integer(),
    announced: integer().notNull().default(0),
    announcedAt: integer(),
    lookAt: integer(),
  },
  (t) => [
    index("socialnet_accounts_workspace").on(t.workspaceId, t.createdAt),
    index("socialnet_accounts_look").on(t.lookAt).where(sql`look_at IS NOT NULL`),
  ],
);

const account = () =>
  text()
    .notNull()
    .references(() => socialnetAccounts.id);

/**
 * The ledger: what an agent is to do, and what became of it. `recipientUrl` and `copy` are what a person approves;
 * `leaseHash` is that of the last token, and `stopWanted` what happened to the contact while the action was in progress.
 */
export const socialnetActions = sqliteTable(
  "socialnet_actions",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    accountId: account(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    kind: text().$type<ActionKind>().notNull(),
    origin: text().$type<ActionOrigin>().notNull(),
    status: text().$type<ActionStatus>().notNull(),
    copy: text().notNull(),
    recipientUrl: text().notNull(),
    /** The form in which it is compared. */
    recipientKey: text().notNull().default(""),
    enrollmentId: text().references(() => enrollments.id),
    /** The enrollment's sequence. */
    sequenceId: text().references(() => sequences.id),
    /** Index of the sequence's step, from 0. */
    step: integer(),
    stepCount: integer(),
    campaign: text(),
    plannedBy: text().notNull(),
    /** Who wrote its text: the planner, and the last editor. */
    plannedById: text(),
    editedById: text(),
    /** The member who approved it; null where an automatic account did. */
    approvedBy: text(),
    approvedAt: integer(),
    /** The key of the contact's email when it was approved: an opt-out of that address counts whatever they have now. */
    approvedEmailKey: text(),
    /** Where a held one goes back to. */
    heldFrom: text().$type<"planned" | "approved">(),
    /** What changed last since it was planned, until a person approves it. */
    changed: text().$type<ActionChange>(),
    /** When a member requested changes; null once it was revised, released or canceled. The note says what to change. */
    changeRequestedAt: integer(),
    stopWanted: text().$type<Stop>(),
    leaseHash: blob({ mode: "buffer" }),
    leaseExpiresAt: integer(),
    outcome: text().$type<Outcome>(),
    /** Why it was held, canceled or settled, as a person or the server wrote it. */
    note: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    endedAt: integer(),
  },
  (t) => [
    index("socialnet_actions_account").on(t.accountId, t.createdAt, t.id, t.workspaceId),
    index("socialnet_actions_account_status").on(t.accountId, t.status, t.createdAt, t.id, t.workspaceId),
    index("socialnet_actions_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("socialnet_actions_status").on(t.workspaceId, t.status, t.createdAt, t.id),
    index("socialnet_actions_contact").on(t.contactId, t.createdAt, t.id, t.workspaceId),
    index("socialnet_actions_contact_status").on(t.contactId, t.status, t.createdAt, t.id, t.workspaceId),
    index("socialnet_actions_enrollment").on(t.enrollmentId).where(sql`enrollment_id IS NOT NULL`),
    // These include the workspace, so that counting reads only the index.
    index("socialnet_actions_recipient").on(t.accountId, t.recipientKey, t.contactId),
    index("socialnet_actions_waiting")
      .on(t.accountId, t.kind, t.origin, t.sequenceId, t.workspaceId)
      .where(sql`status = 'approved'`),
    index("socialnet_actions_email")
      .on(t.workspaceId, t.approvedEmailKey, t.contactId)
      .where(sql`approved_email_key IS NOT NULL AND ended_at IS NULL`),
    index("socialnet_actions_leases").on(t.leaseExpiresAt).where(sql`status IN ('claimed', 'started')`),
  ],
);

/** Every start there was, by the hash of its lease: what daily limits and the plan count, and what was reported of it. */
export const socialnetStarts = sqliteTable(
  "socialnet_starts",
  {
    leaseHash: blob({ mode: "buffer" }).primaryKey(),
    workspaceId: workspaceId(),
    accountId: account(),
    actionId: text()
      .notNull()
      .references(() => socialnetActions.id),
    keyId: text().notNull(),
    kind: text().$type<ActionKind>().notNull(),
    startedAt: integer().notNull(),
    outcome: text().$type<Outcome>(),
    evidence: text(),
    /** The status that the report led to. */
    statusAfter: text().$type<ActionStatus>(),
    recordedAt: integer(),
  },
  (t) => [
    index("socialnet_starts_account").on(t.accountId, t.kind, t.startedAt, t.workspaceId),
    index("socialnet_starts_workspace").on(t.workspaceId, t.startedAt),
    index("socialnet_starts_action").on(t.actionId, t.startedAt),
  ],
);

/** What agents measured of a sender. `answer` is replayed byte for byte. */
export const socialnetHealth = sqliteTable(
  "socialnet_health",
  {
    accountId: account(),
    observationId: text().notNull(),
    workspaceId: workspaceId(),
    observedAt: integer().notNull(),
    recordedAt: integer().notNull(),
    answer: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.observationId] }),
    index("socialnet_health_newest").on(t.accountId, t.observedAt),
    index("socialnet_health_kept").on(t.recordedAt),
  ],
);

/** What agents reported of their runs. `answer` is replayed byte for byte. */
export const socialnetRuns = sqliteTable(
  "socialnet_runs",
  {
    accountId: account(),
    runId: text().notNull(),
    workspaceId: workspaceId(),
    finishedAt: integer().notNull(),
    recordedAt: integer().notNull(),
    answer: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.runId] }),
    index("socialnet_runs_newest").on(t.accountId, t.finishedAt),
    index("socialnet_runs_kept").on(t.recordedAt),
  ],
);

/**
 * What agents saw in an account's inbox, each once. Of an unknown person nothing is kept but that it was seen.
 * `recordedAt` is when it was last reported: what an agent keeps reporting is not pruned.
 */
export const socialnetSightings = sqliteTable(
  "socialnet_sightings",
  {
    accountId: account(),
    externalKey: text().notNull(),
    workspaceId: workspaceId(),
    kind: text({ enum: ["reply", "connection_accepted", "message_received"] }).notNull(),
    contactId: text().references(() => contacts.id),
    observedAt: integer().notNull(),
    recordedAt: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.externalKey] }), index("socialnet_sightings_kept").on(t.recordedAt)],
);

/** A person's wish that the owner of an account signs in again. At most one is open for an account. */
export const reconnectRequests = sqliteTable(
  "reconnect_requests",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    accountId: text()
      .notNull()
      .references(() => socialnetAccounts.id),
    requestedBy: text().notNull(),
    requestedAt: integer().notNull(),
    acknowledgedAt: integer(),
    resolvedAt: integer(),
  },
  (t) => [
    uniqueIndex("reconnect_requests_open").on(t.accountId).where(sql`resolved_at IS NULL`),
    index("reconnect_requests_newest").on(t.accountId, t.requestedAt),
  ],
);
