import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { json } from "../statement.ts";
import { apiKeys, workspaceId } from "./access.ts";

/** A webhook that administrators registered for the workspace; each of its events is a subscription. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    url: text().notNull(),
    events: json<string[]>().notNull(),
    createdBy: text().notNull(),
    createdAt: integer().notNull(),
    deletedAt: integer(),
  },
  (t) => [uniqueIndex("webhooks_url").on(t.workspaceId, t.url).where(sql`deleted_at IS NULL`)],
);

/** Who receives which event, and where. `id` follows from principal, url, event and arguments. */
export const subscriptions = sqliteTable(
  "subscriptions",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull(),
    workspaceId: workspaceId(),
    /** The key that subscribed, or the webhook that it belongs to: one of the two. */
    keyId: text().references(() => apiKeys.id),
    webhookId: text().references(() => webhooks.id),
    url: text().notNull(),
    event: text().notNull(),
    arguments: json<Record<string, unknown>>().notNull(),
    /** The one socialnet account that it is about; null for all of the workspace. */
    accountId: text(),
    /** Sealed by the vault, as the previous one is, which signs too until its time is up. */
    secret: text().notNull(),
    previousSecret: text(),
    previousSecretUntil: integer(),
    verifiedAt: integer().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer(),
    suspendedAt: integer(),
    suspendedReason: text(),
    /** Access was lost: the subscriber is told once, and then it is deleted. */
    endedAt: integer(),
    lastDeliveryAt: integer(),
    lastError: text(),
    failedSince: integer(),
  },
  (t) => [
    uniqueIndex("subscriptions_id").on(t.id),
    index("subscriptions_event").on(t.workspaceId, t.event),
    index("subscriptions_key").on(t.keyId).where(sql`key_id IS NOT NULL`),
    index("subscriptions_webhook").on(t.webhookId).where(sql`webhook_id IS NOT NULL`),
    index("subscriptions_expiry").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
    index("subscriptions_ended").on(t.endedAt).where(sql`ended_at IS NOT NULL`),
  ],
);

/**
 * The outbox: one row for each event and subscription, written with the change that caused it. The bytes never change.
 * A claim moves `nextAttemptAt` to the end of its lease, so that a row whose claimer died is due again by itself.
 */
export const deliveries = sqliteTable(
  "deliveries",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull(),
    workspaceId: workspaceId(),
    subscriptionSeq: integer().notNull(),
    url: text().notNull(),
    host: text().notNull(),
    /** `event`, or `terminated`: the one notification that access was lost. */
    kind: text({ enum: ["event", "terminated"] }).notNull(),
    /** The webhook-id, the same over all attempts. */
    eventId: text().notNull(),
    event: text().notNull(),
    body: text().notNull(),
    status: text({ enum: ["pending", "delivered", "given_up", "dead", "dropped"] }).notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: integer(),
    lease: text(),
    lastError: text(),
    createdAt: integer().notNull(),
    finishedAt: integer(),
  },
  (t) => [
    uniqueIndex("deliveries_id").on(t.id),
    index("deliveries_host").on(t.host, t.nextAttemptAt).where(sql`status = 'pending'`),
    index("deliveries_due").on(t.nextAttemptAt).where(sql`status = 'pending'`),
    index("deliveries_oldest").on(t.createdAt).where(sql`status = 'pending'`),
    index("deliveries_workspace").on(t.workspaceId, t.seq),
    index("deliveries_status").on(t.workspaceId, t.status, t.seq),
    index("deliveries_finished").on(t.finishedAt).where(sql`finished_at IS NOT NULL`),
    index("deliveries_subscription").on(t.subscriptionSeq).where(sql`status = 'pending'`),
  ],
);

/** One POST and how it ended; never the endpoint's response body. */
export const deliveryAttempts = sqliteTable(
  "delivery_attempts",
  {
    id: integer().primaryKey(),
    deliverySeq: integer().notNull(),
    at: integer().notNull(),
    outcome: text().notNull(),
    durationMs: integer().notNull(),
  },
  (t) => [index("delivery_attempts_delivery").on(t.deliverySeq)],
);

/** The id of the data key that this database is used with: one row, so that two processes never seal with two keys. */
export const dataKeys = sqliteTable("data_keys", { id: text().primaryKey(), recordedAt: integer().notNull() });
