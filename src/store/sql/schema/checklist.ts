import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Channel, ConnectionState } from "../../../domain/checklist/channel.ts";
import type { CardStatus, PostStatus } from "../../../domain/checklist/review.ts";
import type { AssessmentSource, AssessmentState, MarkedStatus, MarkSource } from "../../../domain/checklist/status.ts";
import { json } from "../statement.ts";
import { workspaceId } from "./access.ts";

/**
 * What is recorded of an item: by a member, by the service, or by an agent. The service and an agent have rows of their
 * own, so that one outlives the other.
 */
export const checklistMarks = sqliteTable(
  "checklist_marks",
  {
    workspaceId: workspaceId(),
    itemId: text().notNull(),
    status: text().$type<MarkedStatus>().notNull(),
    evidence: text(),
    source: text().$type<MarkSource>().notNull(),
    byId: text(),
    byName: text().notNull(),
    updatedAt: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.itemId, t.source] })],
);

/** The latest day on which an item is known to have been done. It outlives its mark. */
export const checklistDays = sqliteTable(
  "checklist_days",
  {
    workspaceId: workspaceId(),
    itemId: text().notNull(),
    lastDoneOn: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.itemId] })],
);

/** What the latest assessment found of each item. */
export const checklistAssessments = sqliteTable(
  "checklist_assessments",
  {
    workspaceId: workspaceId(),
    itemId: text().notNull(),
    state: text().$type<AssessmentState>().notNull(),
    reason: text().notNull(),
    sources: json<AssessmentSource[]>().notNull(),
    assessedAt: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.itemId] })],
);

/** Documents that agents submit. `seq` is their order; one of an item is pending at a time. */
export const approvalCards = sqliteTable(
  "approval_cards",
  {
    seq: integer().primaryKey(),
    id: text().notNull(),
    workspaceId: workspaceId(),
    itemId: text().notNull(),
    status: text().$type<CardStatus>().notNull(),
    title: text().notNull(),
    summary: text(),
    body: text().notNull(),
    /** The card that a person wanted changed, which this one answers. */
    redoOf: text(),
    submittedById: text().notNull(),
    submittedByName: text().notNull(),
    submittedAt: integer().notNull(),
    decidedById: text(),
    decidedByName: text(),
    decidedAt: integer(),
    note: text(),
  },
  (t) => [
    uniqueIndex("approval_cards_id").on(t.id),
    uniqueIndex("approval_cards_waiting").on(t.workspaceId, t.itemId).where(sql`status = 'pending'`),
    index("approval_cards_workspace").on(t.workspaceId, t.seq),
    index("approval_cards_status").on(t.workspaceId, t.status, t.seq),
    index("approval_cards_item").on(t.workspaceId, t.itemId, t.seq),
  ],
);

/** Posts in the review queue, and what became of them. Nothing here publishes one. */
export const socialPosts = sqliteTable(
  "social_posts",
  {
    seq: integer().primaryKey(),
    id: text().notNull(),
    workspaceId: workspaceId(),
    itemId: text().notNull(),
    status: text().$type<PostStatus>().notNull(),
    channel: text().$type<Channel>(),
    title: text(),
    body: text().notNull(),
    /** When the assistant would publish it. */
    suggestedFor: integer(),
    /** When the reviewer wants it published. */
    scheduledFor: integer(),
    redoOf: text(),
    submittedById: text().notNull(),
    submittedByName: text().notNull(),
    submittedAt: integer().notNull(),
    decidedById: text(),
    decidedByName: text(),
    decidedAt: integer(),
    note: text(),
    /** When it was published, or a person recorded that it is canceled. */
    endedAt: integer(),
    /** Its public address, as a person recorded it. */
    publishedUrl: text(),
  },
  (t) => [
    uniqueIndex("social_posts_id").on(t.id),
    index("social_posts_workspace").on(t.workspaceId, t.seq),
    index("social_posts_status").on(t.workspaceId, t.status, t.seq),
    index("social_posts_item").on(t.workspaceId, t.itemId, t.seq),
    index("social_posts_asked").on(t.workspaceId, t.itemId, t.seq).where(sql`status = 'changes_requested'`),
    index("social_posts_redo").on(t.workspaceId, t.redoOf).where(sql`redo_of IS NOT NULL`),
    index("social_posts_waiting").on(t.workspaceId, t.itemId).where(sql`status = 'needs_review'`),
    index("social_posts_ended").on(t.workspaceId, t.status, t.endedAt),
    index("social_posts_scheduled").on(t.workspaceId, t.status, t.scheduledFor),
  ],
);

/** How the workspace wants to sound. */
export const brandVoices = sqliteTable("brand_voices", {
  workspaceId: workspaceId().primaryKey(),
  text: text().notNull(),
  savedBy: text().notNull(),
  savedAt: integer().notNull(),
});

/** The claims that a draft may make. */
export const profileFacts = sqliteTable("profile_facts", {
  workspaceId: workspaceId().primaryKey(),
  facts: json<string[]>().notNull(),
  savedBy: text().notNull(),
  savedAt: integer().notNull(),
});

/** What people recorded about the workspace's accounts on each channel. It holds no credential. */
export const socialConnections = sqliteTable(
  "social_connections",
  {
    workspaceId: workspaceId(),
    channel: text().$type<Channel>().notNull(),
    state: text().$type<ConnectionState>().notNull(),
    handle: text(),
    savedBy: text().notNull(),
    savedAt: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.channel] })],
);
