import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { contacts } from "./contacts.ts";
import { workspaceId } from "./workspaces.ts";

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
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer().notNull(),
  },
  (t) => [
    index("activities_contact").on(t.contactId, t.seq),
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
  (t) => [
    index("deals_contact").on(t.contactId, t.stage),
    index("deals_stage").on(t.workspaceId, t.stage, t.createdAt, t.id),
    // The value stands in it too, so that sums read the index alone.
    index("deals_value").on(t.workspaceId, t.stage, t.currency, t.value),
  ],
);

/** The do-not-contact list. Addresses are kept in lower case. */
export const suppressions = sqliteTable(
  "suppressions",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    email: text().notNull(),
    reason: text().notNull(),
    source: text({ enum: ["public_api", "member", "unsubscribe_link", "engine"] }).notNull(),
    createdAt: integer().notNull(),
  },
  (t) => [uniqueIndex("suppressions_email").on(t.workspaceId, t.email)],
);
