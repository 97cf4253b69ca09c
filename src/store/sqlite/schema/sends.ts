import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SendStatus } from "../../../domain/outreach/sending.ts";
import { contacts } from "./contacts.ts";
import { enrollments, sequences } from "./sequences.ts";
import { workspaceId } from "./workspaces.ts";

/** What goes out by e-mail: a row is there, and committed, before a mail server is spoken to. */
export const sends = sqliteTable(
  "sends",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    enrollmentId: text()
      .notNull()
      .references(() => enrollments.id),
    sequenceId: text()
      .notNull()
      .references(() => sequences.id),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    step: integer().notNull(),
    messageId: text().notNull(),
    address: text().notNull(),
    subject: text().notNull(),
    status: text().$type<SendStatus>().notNull(),
    attempts: integer().notNull(),
    lastAttemptAt: integer().notNull(),
    leaseUntil: integer(),
    detail: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("sends_step").on(t.enrollmentId, t.step),
    index("sends_message").on(t.messageId),
    index("sends_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("sends_status").on(t.workspaceId, t.status, t.createdAt, t.id),
    index("sends_sequence").on(t.workspaceId, t.sequenceId, t.createdAt, t.id, t.status),
    index("sends_attempts").on(t.workspaceId, t.lastAttemptAt),
    index("sends_leases").on(t.leaseUntil).where(sql`status = 'sending'`),
  ],
);

/** Mail servers that refuse what comes from us, or cannot be reached, and until when each is left alone. */
export const mailRests = sqliteTable("mail_rests", {
  server: text().primaryKey(),
  /** In a row, each after a rest. */
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
