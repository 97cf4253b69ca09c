import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { HoldReason, MailDelivery, Postponement, SendStatus } from "../../../domain/outreach/sending.ts";
import type { EnrollmentStatus, SequenceStatus, Step } from "../../../domain/outreach/sequence.ts";
import { json } from "../statement.ts";
import { workspaceId } from "./access.ts";
import { contacts } from "./contacts.ts";
import { emailAnswers } from "./inbox.ts";

/** `seq` is the order of creation. `stepsHash` covers the steps as they read now, and who they are sent as. */
export const sequences = sqliteTable(
  "sequences",
  {
    seq: integer().primaryKey(),
    id: text().notNull(),
    workspaceId: workspaceId(),
    name: text().notNull(),
    description: text(),
    status: text().$type<SequenceStatus>().notNull().default("draft"),
    steps: json<Step[]>().notNull(),
    stepsHash: text().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    /** Which account acts in its socialnet steps; null where the workspace has only one. */
    socialnetAccountId: text(),
    /** Where its emails go. */
    delivery: text().$type<MailDelivery>().notNull().default("send"),
  },
  (t) => [
    uniqueIndex("sequences_id").on(t.id),
    index("sequences_workspace").on(t.workspaceId, t.seq),
    index("sequences_active").on(t.id, t.workspaceId).where(sql`status = 'active'`),
  ],
);

/** An audience that a member approved for the steps of one hash; only an applied one authorizes. */
export const sequenceApprovals = sqliteTable(
  "sequence_approvals",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    sequenceId: text()
      .notNull()
      .references(() => sequences.id),
    stepsHash: text().notNull(),
    status: text({ enum: ["approved", "applied", "voided"] }).notNull(),
    contactCount: integer().notNull(),
    approvedBy: text().notNull(),
    approvedAt: integer().notNull(),
    appliedBy: text(),
    appliedAt: integer(),
    voidedAt: integer(),
  },
  (t) => [
    index("sequence_approvals_sequence").on(t.sequenceId, t.approvedAt, t.id),
    index("sequence_approvals_waiting").on(t.workspaceId, t.approvedAt, t.id).where(sql`status = 'approved'`),
  ],
);

/** Who is in the audience, each with the hash of the address and fields that the approver saw. */
export const approvalContacts = sqliteTable(
  "approval_contacts",
  {
    approvalId: text()
      .notNull()
      .references(() => sequenceApprovals.id),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    copyHash: text().notNull(),
    /** The company that the approval vouches for, as it was then; null for none. */
    company: text(),
    /** Since when it authorizes nothing for this contact: approved again, enrolled to the end, replied, or not to be contacted. */
    spentAt: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.approvalId, t.contactId] }),
    index("approval_contacts_contact").on(t.contactId, t.approvalId),
  ],
);

/** An enrollment of one contact in a sequence. A contact is in a sequence once at a time. */
export const enrollments = sqliteTable(
  "enrollments",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    sequenceId: text()
      .notNull()
      .references(() => sequences.id),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    approvalId: text()
      .notNull()
      .references(() => sequenceApprovals.id),
    status: text().$type<EnrollmentStatus>().notNull(),
    /** Why the enrollment is on hold, where it is. */
    heldReason: text().$type<HoldReason>(),
    currentStep: integer().notNull(),
    /** When the current step is due for a check; null once the enrollment has ended. */
    dueAt: integer(),
    enrolledAt: integer().notNull(),
    endedAt: integer(),
    /** Details of the hold for a teammate. */
    heldDetail: text(),
    /** Why the current step was postponed to the time when it is due. */
    postponedReason: text().$type<Postponement>(),
    /** Why it ended before its last step, where its status is not specific enough. */
    endedReason: text(),
  },
  (t) => [
    uniqueIndex("enrollments_open").on(t.sequenceId, t.contactId).where(sql`status IN ('active', 'waiting_on_action')`),
    index("enrollments_reached").on(t.sequenceId, t.currentStep).where(sql`status IN ('active', 'waiting_on_action')`),
    index("enrollments_workspace").on(t.workspaceId, t.enrolledAt, t.id, t.status),
    index("enrollments_sequence").on(t.workspaceId, t.sequenceId, t.enrolledAt, t.id, t.status),
    index("enrollments_status").on(t.workspaceId, t.status, t.enrolledAt, t.id),
    index("enrollments_held")
      .on(t.workspaceId, t.enrolledAt, t.id)
      .where(sql`held_reason IS NOT NULL AND ended_at IS NULL`),
    index("enrollments_contact").on(t.workspaceId, t.contactId, t.enrolledAt, t.id),
    index("enrollments_postponed").on(t.workspaceId).where(sql`postponed_reason IS NOT NULL`),
    index("enrollments_due").on(t.sequenceId, t.dueAt).where(sql`status = 'active' AND held_reason IS NULL`),
  ],
);

/** Emails of sequences, and answers to replies. `sending` is committed before a mail server is given the message. */
export const sends = sqliteTable(
  "sends",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    /** Of an email of a sequence, with its sequence and its step; null for an answer. */
    enrollmentId: text().references(() => enrollments.id),
    sequenceId: text().references(() => sequences.id),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    step: integer(),
    messageId: text().notNull(),
    address: text().notNull(),
    /** The form in which it is compared. */
    addressKey: text().notNull(),
    subject: text().notNull(),
    status: text().$type<SendStatus>().notNull(),
    attempts: integer().notNull(),
    lastAttemptAt: integer().notNull(),
    leaseUntil: integer(),
    /** The process that has the lease. */
    leasedBy: text(),
    detail: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    /** Of an answer to a reply. */
    answerId: text().references(() => emailAnswers.id),
  },
  (t) => [
    uniqueIndex("sends_step").on(t.enrollmentId, t.step),
    uniqueIndex("sends_answer").on(t.answerId).where(sql`answer_id IS NOT NULL`),
    index("sends_message").on(t.messageId),
    index("sends_address").on(t.workspaceId, t.addressKey, t.contactId),
    index("sends_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("sends_status").on(t.workspaceId, t.status, t.createdAt, t.id),
    index("sends_sequence").on(t.workspaceId, t.sequenceId, t.createdAt, t.id, t.status),
    index("sends_attempts").on(t.workspaceId, t.lastAttemptAt),
    index("sends_leases").on(t.leaseUntil).where(sql`status IN ('queued', 'sending')`),
  ],
);

/** Mail servers that refuse messages or cannot be reached, and until when the server backs off from each. */
export const smtpBackoffs = sqliteTable("mail_rests", {
  server: text().primaryKey(),
  /** Refusals in a row, each after a back-off. */
  refusals: integer().notNull(),
  beganAt: integer().notNull(),
  until: integer().notNull(),
  detail: text().notNull(),
});

/** How far each mailbox was read. */
export const mailCursors = sqliteTable("mail_cursors", {
  mailbox: text().primaryKey(),
  uidValidity: text().notNull(),
  uid: integer().notNull(),
  updatedAt: integer().notNull(),
});

/** Messages of the mailbox that meant something, by their own Message-ID: none counts twice. */
export const mailReceived = sqliteTable(
  "mail_received",
  { workspaceId: workspaceId(), messageId: text().notNull(), receivedAt: integer().notNull() },
  (t) => [primaryKey({ columns: [t.workspaceId, t.messageId] })],
);

/** The do-not-contact list. Addresses are kept in lower case, and found by their keys. */
export const suppressions = sqliteTable(
  "suppressions",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    email: text().notNull(),
    emailKey: text().notNull(),
    reason: text().notNull(),
    source: text({ enum: ["public_api", "member", "unsubscribe_link", "engine"] }).notNull(),
    createdAt: integer().notNull(),
    /** The profile of the contact who opted out, as it was then. Null for a bounce and where it is unknown. */
    socialnetKey: text(),
  },
  (t) => [
    uniqueIndex("suppressions_email").on(t.workspaceId, t.emailKey),
    index("suppressions_profile").on(t.workspaceId, t.socialnetKey).where(sql`socialnet_key IS NOT NULL`),
  ],
);
