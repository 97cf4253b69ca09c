import type { DeliveryError } from "../../domain/events/delivery.ts";
import type { ListedSubscription, NewSubscription, Principal, SubscriptionRow, Subscriptions } from "../events.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { DROP, HAS_ACCESS } from "./delivery-sql.ts";

const LIVE = "s.ended_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > @now)";
const OWN = "workspace_id = @workspaceId AND coalesce(key_id, webhook_id) = @principal";

type Bound = Record<string, string | number | null>;

export function prepareSubscriptions({ $client: db }: Drizzle) {
  return {
    find: db.prepare<[Bound], Omit<SubscriptionRow, "lastError"> & { lastError: string | null }>(
      `SELECT seq, id, url, event, secret, expires_at AS expiresAt, verified_at AS verifiedAt, suspended_at AS suspendedAt,
         suspended_reason AS suspendedReason, ended_at AS endedAt, last_delivery_at AS lastDeliveryAt,
         last_error AS lastError, failed_since AS failedSince
       FROM subscriptions WHERE id = @id AND workspace_id = @workspaceId`,
    ),
    list: db.prepare<[Bound], ListedSubscription>(
      `SELECT s.id, s.url, s.event, s.expires_at AS expiresAt, s.verified_at AS verifiedAt,
         s.suspended_at AS suspendedAt, s.suspended_reason AS suspendedReason, s.ended_at AS endedAt,
         s.last_delivery_at AS lastDeliveryAt, s.last_error AS lastError, s.failed_since AS failedSince,
         s.created_at AS createdAt, k.name AS keyName, a.label AS accountLabel
       FROM subscriptions s JOIN api_keys k ON k.id = s.key_id LEFT JOIN socialnet_accounts a ON a.id = s.account_id
       WHERE s.workspace_id = @workspaceId AND s.ended_at IS NULL
         ORDER BY s.expires_at, s.seq LIMIT @limit OFFSET @offset`,
    ),
    total: db
      .prepare<[Bound], number>(
        `SELECT count(*) FROM subscriptions
         WHERE workspace_id = @workspaceId AND key_id IS NOT NULL AND ended_at IS NULL`,
      )
      .pluck(),
    verifiedAt: {
      keyId: db.prepare<[Bound], number | null>(verifiedAt("key_id")).pluck(),
      webhookId: db.prepare<[Bound], number | null>(verifiedAt("webhook_id")).pluck(),
    },
    countOwn: db
      .prepare<[Bound], number>(`SELECT count(*) FROM subscriptions s WHERE s.key_id = @principal AND ${LIVE}`)
      .pluck(),
    countAll: db
      .prepare<[Bound], number>(
        `SELECT count(*) FROM subscriptions s WHERE s.workspace_id = @workspaceId AND s.key_id IS NOT NULL AND ${LIVE}`,
      )
      .pluck(),
    upsert: db.prepare<[Bound]>(
      `INSERT INTO subscriptions (id, workspace_id, key_id, webhook_id, url, event, arguments, account_id, secret,
         verified_at, created_at, expires_at)
       VALUES (@id, @workspaceId, @keyId, @webhookId, @url, @event, @arguments, @accountId, @secret, @verifiedAt, @now,
         @expiresAt)
       ON CONFLICT (id) DO UPDATE SET
         previous_secret = CASE WHEN @previousSecretUntil IS NULL THEN previous_secret ELSE secret END,
         previous_secret_until = coalesce(@previousSecretUntil, previous_secret_until), secret = excluded.secret,
         verified_at = excluded.verified_at, expires_at = excluded.expires_at, account_id = excluded.account_id,
         suspended_at = NULL, suspended_reason = NULL, ended_at = NULL,
         failed_since = iif(suspended_at IS NULL, failed_since, NULL)`,
    ),
    drop: db.prepare<[Bound]>(`${DROP} subscription_seq = (SELECT seq FROM subscriptions WHERE id = @id AND ${OWN})`),
    remove: db.prepare<[Bound]>(`DELETE FROM subscriptions WHERE id = @id AND ${OWN}`),
    matching: db.prepare<[Bound], { seq: number; url: string }>(
      `SELECT s.seq, s.url FROM subscriptions s LEFT JOIN api_keys k ON k.id = s.key_id
       WHERE s.workspace_id = @workspaceId AND s.event = @event AND (s.account_id IS NULL OR s.account_id = @accountId)
         AND s.suspended_at IS NULL AND ${HAS_ACCESS}`,
    ),
  };
}

function verifiedAt(principal: "key_id" | "webhook_id"): string {
  return `SELECT max(verified_at) FROM subscriptions
    WHERE ${principal} = @principal AND workspace_id = @workspaceId AND url = @url AND ended_at IS NULL`;
}

const idOf = (principal: Principal) => ("keyId" in principal ? principal.keyId : principal.webhookId);

export class SqliteSubscriptions implements Subscriptions {
  readonly #s: ReturnType<typeof prepareSubscriptions>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareSubscriptions>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async list(page: Page): Promise<{ rows: ListedSubscription[]; total: number }> {
    const bound = { ...page, workspaceId: this.#workspaceId };
    return { rows: this.#s.list.all(bound), total: this.#s.total.get(bound) ?? 0 };
  }

  async find(id: string): Promise<SubscriptionRow | undefined> {
    const row = this.#s.find.get({ id, workspaceId: this.#workspaceId });
    return row && { ...row, lastError: row.lastError as DeliveryError | null };
  }

  async verifiedAt(principal: Principal, url: string): Promise<number | undefined> {
    const statement = this.#s.verifiedAt["keyId" in principal ? "keyId" : "webhookId"];
    return statement.get({ principal: idOf(principal), url, workspaceId: this.#workspaceId }) ?? undefined;
  }

  async count(principal: Principal, now: number): Promise<{ own: number; all: number }> {
    const bound = { principal: idOf(principal), workspaceId: this.#workspaceId, now };
    return { own: this.#s.countOwn.get(bound) ?? 0, all: this.#s.countAll.get(bound) ?? 0 };
  }

  async upsert({ principal, arguments: given, ...row }: NewSubscription): Promise<void> {
    this.#s.upsert.run({
      ...row,
      arguments: JSON.stringify(given),
      workspaceId: this.#workspaceId,
      keyId: "keyId" in principal ? principal.keyId : null,
      webhookId: "webhookId" in principal ? principal.webhookId : null,
    });
  }

  async remove(id: string, principal: Principal, now: number): Promise<void> {
    const bound = { id, principal: idOf(principal), workspaceId: this.#workspaceId, now };
    this.#s.drop.run(bound);
    this.#s.remove.run(bound);
  }

  async matching(event: string, accountId: string, now: number): Promise<{ seq: number; url: string }[]> {
    return this.#s.matching.all({ event, accountId, now, workspaceId: this.#workspaceId });
  }
}
