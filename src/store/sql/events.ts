import type {
  Deliveries,
  DeliveryRow,
  ListedSubscription,
  Principal,
  SubscriptionRow,
  Subscriptions,
  WebhookRow,
  Webhooks,
} from "../events.ts";
import { filteredList, listOf } from "./lists.ts";
import type { Db, Params } from "./statement.ts";

/** Whether a subscription `s`, whose key is `k`, may receive anything now. */
export const HAS_ACCESS = `s.ended_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > @now)
  AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > @now)`;

/** Drops the deliveries still to be sent that fit a condition. Those that may have been received are left to settle. */
export function dropDeliveries(condition: string): string {
  return `UPDATE deliveries SET status = 'dropped', finished_at = @now, next_attempt_at = NULL, lease = NULL
    WHERE status = 'pending' AND ${condition} AND ${IS_UNRECEIVED}`;
}

/**
 * Whether no success of a pending delivery is recorded while it is leased. It may be an old one, of a delivery that is
 * sent again: its next claim decides. A scalar subquery, since PostgreSQL may read the whole table for NOT EXISTS.
 */
export const IS_UNRECEIVED = `(lease IS NULL OR (
  SELECT a.id FROM delivery_attempts a WHERE a.delivery_seq = deliveries.seq AND a.outcome = '2xx' LIMIT 1) IS NULL)`;

/**
 * Holds the subscriptions that fit a condition. A change of subscriptions and their deliveries begins with it: gateways
 * that took them in different orders would wait for each other.
 */
export function holdSubscriptions(db: Db, condition: string): (params: Params) => Promise<void> {
  const { holding } = db.dialect;
  if (holding === "") return async () => undefined;
  const hold = db.sql(`SELECT seq FROM subscriptions WHERE ${condition} ORDER BY seq ${holding}`);
  return async (params) => void (await hold.all(params));
}

const idOf = (principal: Principal) => ("keyId" in principal ? principal.keyId : principal.webhookId);

export function subscriptions(db: Db): (workspaceId: string) => Subscriptions {
  const live = "s.ended_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > @now)";
  const own = "workspace_id = @workspaceId AND coalesce(key_id, webhook_id) = @principal";
  const verifiedBy = (principal: "key_id" | "webhook_id") =>
    db.value<Params, number | null>(
      `SELECT max(verified_at) FROM subscriptions
       WHERE ${principal} = @principal AND workspace_id = @workspaceId AND url = @url AND ended_at IS NULL`,
    );

  const find = db.sql<Params, SubscriptionRow>(
    `SELECT seq, id, url, event, secret, expires_at AS expiresAt, verified_at AS verifiedAt, suspended_at AS suspendedAt,
       suspended_reason AS suspendedReason, ended_at AS endedAt, last_delivery_at AS lastDeliveryAt,
       last_error AS lastError, failed_since AS failedSince
     FROM subscriptions WHERE id = @id AND workspace_id = @workspaceId`,
  );
  const list = listOf(
    db.sql<Params, ListedSubscription>(
      `SELECT s.id, s.url, s.event, s.expires_at AS expiresAt, s.verified_at AS verifiedAt,
         s.suspended_at AS suspendedAt, s.suspended_reason AS suspendedReason, s.ended_at AS endedAt,
         s.last_delivery_at AS lastDeliveryAt, s.last_error AS lastError, s.failed_since AS failedSince,
         s.created_at AS createdAt, k.name AS keyName, a.label AS accountLabel
       FROM subscriptions s JOIN api_keys k ON k.id = s.key_id LEFT JOIN socialnet_accounts a ON a.id = s.account_id
       WHERE s.workspace_id = @workspaceId AND s.ended_at IS NULL
       ORDER BY s.expires_at, s.seq LIMIT @limit OFFSET @offset`,
    ),
    db.sql<Params, { total: number }>(
      `SELECT count(*) AS total FROM subscriptions
       WHERE workspace_id = @workspaceId AND key_id IS NOT NULL AND ended_at IS NULL`,
    ),
  );
  const verifiedByKey = verifiedBy("key_id");
  const verifiedByWebhook = verifiedBy("webhook_id");
  const countOwn = db.value<Params, number>(
    `SELECT count(*) FROM subscriptions s WHERE s.key_id = @principal AND ${live}`,
  );
  const countAll = db.value<Params, number>(
    `SELECT count(*) FROM subscriptions s WHERE s.workspace_id = @workspaceId AND s.key_id IS NOT NULL AND ${live}`,
  );
  const upsert = db.sql(
    `INSERT INTO subscriptions (id, workspace_id, key_id, webhook_id, url, event, arguments, account_id, secret,
       verified_at, created_at, expires_at)
     VALUES (@id, @workspaceId, @keyId, @webhookId, @url, @event, @arguments, @accountId, @secret, @verifiedAt, @now,
       @expiresAt)
     ON CONFLICT (id) DO UPDATE SET
       previous_secret = CASE WHEN @previousSecretUntil IS NULL THEN subscriptions.previous_secret
         ELSE subscriptions.secret END,
       previous_secret_until = coalesce(@previousSecretUntil, subscriptions.previous_secret_until),
       secret = excluded.secret, verified_at = excluded.verified_at, expires_at = excluded.expires_at,
       account_id = excluded.account_id, suspended_at = NULL, suspended_reason = NULL, ended_at = NULL,
       failed_since = CASE WHEN subscriptions.suspended_at IS NULL THEN subscriptions.failed_since END`,
  );
  const hold = holdSubscriptions(db, `id = @id AND ${own}`);
  const drop = db.sql(dropDeliveries(`subscription_seq = (SELECT seq FROM subscriptions WHERE id = @id AND ${own})`));
  const remove = db.sql(`DELETE FROM subscriptions WHERE id = @id AND ${own}`);
  const matching = db.sql<Params, { seq: number; url: string }>(
    `SELECT s.seq, s.url FROM subscriptions s LEFT JOIN api_keys k ON k.id = s.key_id
     WHERE s.workspace_id = @workspaceId AND s.event = @event AND (s.account_id IS NULL OR s.account_id = @accountId)
       AND s.suspended_at IS NULL AND ${HAS_ACCESS}
     ORDER BY s.seq`,
  );

  return (workspaceId) => ({
    list: (page) => list({ workspaceId }, page),
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async verifiedAt(principal, url) {
      const statement = "keyId" in principal ? verifiedByKey : verifiedByWebhook;
      return (await statement.get({ principal: idOf(principal), url, workspaceId })) ?? undefined;
    },
    async count(principal, now) {
      const params = { principal: idOf(principal), workspaceId, now };
      return { own: (await countOwn.get(params)) ?? 0, all: (await countAll.get(params)) ?? 0 };
    },
    async upsert({ principal, arguments: given, ...row }) {
      await upsert.run({
        ...row,
        arguments: JSON.stringify(given),
        workspaceId,
        keyId: "keyId" in principal ? principal.keyId : null,
        webhookId: "webhookId" in principal ? principal.webhookId : null,
      });
    },
    async remove(id, principal, now) {
      const params = { id, principal: idOf(principal), workspaceId, now };
      await hold(params);
      await drop.run(params);
      await remove.run(params);
    },
    async matching(event, accountId, now) {
      return matching.all({ event, accountId, now, workspaceId });
    },
  });
}

export function webhooks(db: Db): (workspaceId: string) => Webhooks {
  type Stored = Omit<WebhookRow, "events"> & { events: string };
  const toRow = (stored: Stored): WebhookRow => ({ ...stored, events: JSON.parse(stored.events) as string[] });
  const select = `SELECT w.id, w.url, w.events, w.created_by AS createdBy, w.created_at AS createdAt,
    s.suspended_at AS suspendedAt, s.suspended_reason AS suspendedReason
    FROM webhooks w LEFT JOIN subscriptions s ON s.seq = (
      SELECT seq FROM subscriptions WHERE webhook_id = w.id AND suspended_at IS NOT NULL ORDER BY suspended_at LIMIT 1)
    WHERE w.workspace_id = @workspaceId AND w.deleted_at IS NULL`;
  const one = "WHERE id = @id AND workspace_id = @workspaceId AND deleted_at IS NULL";

  const findByUrl = db.sql<Params, Stored>(`${select} AND w.url = @url`);
  const find = db.sql<Params, Stored>(`${select} AND w.id = @id`);
  const list = listOf(
    db.sql<Params, Stored>(`${select} ORDER BY w.created_at DESC, w.id DESC LIMIT @limit OFFSET @offset`),
    db.sql<Params, { total: number }>(
      "SELECT count(*) AS total FROM webhooks WHERE workspace_id = @workspaceId AND deleted_at IS NULL",
    ),
  );
  const insert = db.sql(
    `INSERT INTO webhooks (id, workspace_id, url, events, created_by, created_at)
     VALUES (@id, @workspaceId, @url, @events, @createdBy, @createdAt)
     ON CONFLICT (id) DO UPDATE SET deleted_at = NULL, events = excluded.events, created_by = excluded.created_by,
       created_at = excluded.created_at`,
  );
  const setEvents = db.sql(`UPDATE webhooks SET events = @events ${one}`);
  const remove = db.sql(`UPDATE webhooks SET deleted_at = @now ${one}`);
  const hold = holdSubscriptions(db, "webhook_id = @id");
  const drop = db.sql(dropDeliveries("subscription_seq IN (SELECT seq FROM subscriptions WHERE webhook_id = @id)"));
  const unsubscribe = db.sql("DELETE FROM subscriptions WHERE webhook_id = @id");

  return (workspaceId) => ({
    async findByUrl(url) {
      const row = await findByUrl.get({ url, workspaceId });
      return row && toRow(row);
    },
    async find(id) {
      const row = await find.get({ id, workspaceId });
      return row && toRow(row);
    },
    async list(page) {
      const { rows, total } = await list({ workspaceId }, page);
      return { rows: rows.map(toRow), total };
    },
    async insert({ events, ...row }) {
      await insert.run({ ...row, events: JSON.stringify(events), workspaceId });
    },
    async setEvents(id, events) {
      await setEvents.run({ id, events: JSON.stringify(events), workspaceId });
    },
    async remove(id, now) {
      if ((await remove.run({ id, now, workspaceId })).changes === 0) return false;
      await hold({ id });
      await drop.run({ id, now });
      await unsubscribe.run({ id });
      return true;
    },
  });
}

export function deliveries(db: Db): (workspaceId: string) => Deliveries {
  type Stored = Omit<DeliveryRow, "attempts"> & { attempts: string };
  const toRow = (stored: Stored): DeliveryRow => ({
    ...stored,
    attempts: JSON.parse(stored.attempts) as DeliveryRow["attempts"],
  });
  const { jsonArray, jsonObject } = db.dialect;
  const attempt = jsonObject({ at: "a.at", outcome: "a.outcome", durationMs: "a.duration_ms" });
  const select = `SELECT d.id, d.url, d.event, d.event_id AS eventId, d.kind, d.status,
    d.next_attempt_at AS nextAttemptAt, d.last_error AS lastError, d.created_at AS createdAt,
    d.finished_at AS finishedAt,
    (SELECT ${jsonArray(attempt)}
      FROM (SELECT * FROM delivery_attempts WHERE delivery_seq = d.seq ORDER BY id) a) AS attempts
    FROM deliveries d WHERE d.workspace_id = @workspaceId`;

  const insert = db.sql(
    `INSERT INTO deliveries (id, workspace_id, subscription_seq, url, host, kind, event_id, event, body, status,
       next_attempt_at, created_at)
     VALUES (@id, @workspaceId, @subscriptionSeq, @url, @host, 'event', @eventId, @event, @body, 'pending', @now, @now)`,
  );
  const list = filteredList<Stored, { status: DeliveryRow["status"] | undefined }>((names) => {
    const where = names.map((name) => `AND d.${name} = @${name}`).join(" ");
    return listOf(
      db.sql<Params, Stored>(`${select} ${where} ORDER BY d.seq DESC LIMIT @limit OFFSET @offset`),
      db.sql<Params, { total: number }>(
        `SELECT count(*) AS total FROM deliveries d WHERE d.workspace_id = @workspaceId ${where}`,
      ),
    );
  });
  const find = db.sql<Params, Stored>(`${select} AND d.id = @id`);
  const resend = db.sql(
    `UPDATE deliveries SET status = 'pending', attempts = 0, next_attempt_at = @now, finished_at = NULL, lease = NULL
     WHERE id = @id AND workspace_id = @workspaceId AND status <> 'pending' AND kind = 'event' AND EXISTS (
       SELECT 1 FROM subscriptions s LEFT JOIN api_keys k ON k.id = s.key_id
       WHERE s.seq = deliveries.subscription_seq AND s.suspended_at IS NULL AND ${HAS_ACCESS})`,
  );

  return (workspaceId) => ({
    async insert(delivery) {
      await insert.run({ ...delivery, host: new URL(delivery.url).host, workspaceId });
    },
    async list({ status, ...page }) {
      const { rows, total } = await list({ workspaceId }, { status }, page);
      return { rows: rows.map(toRow), total };
    },
    async find(id) {
      const row = await find.get({ id, workspaceId });
      return row && toRow(row);
    },
    async resend(id, now) {
      return (await resend.run({ id, now, workspaceId })).changes === 1;
    },
  });
}
