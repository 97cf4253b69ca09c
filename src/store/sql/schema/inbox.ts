import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AnswerStatus } from "../../../domain/outreach/answer.ts";
import type { ConversationMark, ConversationStatus, ReplyType } from "../../../domain/outreach/conversation.ts";
import type { MailDelivery } from "../../../domain/outreach/sending.ts";
import { json } from "../statement.ts";
import { workspaceId } from "./access.ts";
import { contacts } from "./contacts.ts";

/** What contacts answered: one conversation for each contact, on all channels. */
export const conversations = sqliteTable(
  "conversations",
  {
    contactId: text()
      .primaryKey()
      .references(() => contacts.id),
    workspaceId: workspaceId(),
    status: text().$type<ConversationStatus>().notNull(),
    /** 1 or 0. */
    unread: integer().notNull(),
    /** Member who handles it. */
    assigneeId: text(),
    /** Until when it is hidden. A new reply ends this. */
    snoozedUntil: integer(),
    /** What a teammate made of the last reply. */
    mark: text().$type<ConversationMark>(),
    lastReplyId: text().notNull(),
    lastReplyType: text().$type<ReplyType>().notNull(),
    lastReplyAt: integer().notNull(),
    subject: text(),
    excerpt: text(),
    /** Of the last reply by email, for the answer to it: who wrote it, its subject, its Message-ID, and its thread, oldest first. */
    emailFrom: text(),
    emailSubject: text(),
    emailMessageId: text(),
    emailThread: json<string[]>(),
    /** 1 where the contact is archived: lists and counts then need no look at the contact. */
    archived: integer().notNull().default(0),
    updatedAt: integer().notNull(),
  },
  (t) => [
    // With the last two columns, a count reads only the index.
    index("conversations_listed").on(
      ...[t.workspaceId, t.archived, t.status, t.unread],
      ...[t.lastReplyAt, t.contactId, t.snoozedUntil, t.assigneeId],
    ),
  ],
);

/** Answers to replies by email: what a person wrote, what was approved of it, and when it is due. Their delivery is in `sends`. */
export const emailAnswers = sqliteTable(
  "email_answers",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    contactId: text()
      .notNull()
      .references(() => contacts.id),
    status: text().$type<AnswerStatus>().notNull(),
    address: text().notNull(),
    subject: text().notNull(),
    body: text().notNull(),
    /** The Message-ID that it answers; null where the reply had none. */
    inReplyTo: text(),
    /** The Message-IDs of the thread, oldest first. */
    thread: json<string[]>().notNull(),
    plannedBy: text().notNull(),
    plannedById: text().notNull(),
    approvedBy: text(),
    approvedAt: integer(),
    /** What the approval pins. */
    approvedHash: text(),
    /** When it is sent; null while it is being sent, and where it is not approved. */
    dueAt: integer(),
    note: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    endedAt: integer(),
    /** Where it goes. */
    delivery: text().$type<MailDelivery>().notNull().default("send"),
  },
  (t) => [
    index("email_answers_contact").on(t.contactId, t.createdAt, t.id),
    index("email_answers_status").on(t.workspaceId, t.status, t.createdAt, t.id),
    index("email_answers_due").on(t.dueAt).where(sql`due_at IS NOT NULL`),
  ],
);
