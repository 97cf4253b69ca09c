import type { WebhookRow, Webhooks } from "../events.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { DROP } from "./delivery-sql.ts";

type Bound = Record<string, string | number | null>;
type Stored = Omit<WebhookRow, "events"> & { events: string };

const SELECT = `SELECT w.id, w.url, w.events, w.created_by AS createdBy, w.created_at AS createdAt,
  s.suspended_at AS suspendedAt, s.suspended_reason AS suspendedReason
  FROM webhooks w LEFT JOIN subscriptions s ON s.seq = (
    SELECT seq FROM subscriptions WHERE webhook_id = w.id AND suspended_at IS NOT NULL ORDER BY suspended_at LIMIT 1)
  WHERE w.workspace_id = @workspaceId AND w.deleted_at IS NULL`;

export function prepareWebhooks({ $client: db }: Drizzle) {
  return {
    findByUrl: db.prepare<[Bound], Stored>(`${SELECT} AND w.url = @url`),
    find: db.prepare<[Bound], Stored>(`${SELECT} AND w.id = @id`),
    list: db.prepare<[Bound], Stored>(`${SELECT} ORDER BY w.created_at DESC, w.id DESC LIMIT @limit OFFSET @offset`),
    total: db
      .prepare<[Bound], number>(
        "SELECT count(*) FROM webhooks WHERE workspace_id = @workspaceId AND deleted_at IS NULL",
      )
      .pluck(),
    insert: db.prepare<[Bound]>(
      `INSERT INTO webhooks (id, workspace_id, url, events, created_by, created_at)
       VALUES (@id, @workspaceId, @url, @events, @createdBy, @createdAt)
       ON CONFLICT (id) DO UPDATE SET deleted_at = NULL, events = excluded.events, created_by = excluded.created_by,
         created_at = excluded.created_at`,
    ),
    setEvents: db.prepare<[Bound]>(
      "UPDATE webhooks SET events = @events WHERE id = @id AND workspace_id = @workspaceId AND deleted_at IS NULL",
    ),
    remove: db.prepare<[Bound]>(
      "UPDATE webhooks SET deleted_at = @now WHERE id = @id AND workspace_id = @workspaceId AND deleted_at IS NULL",
    ),
    drop: db.prepare<[Bound]>(`${DROP} subscription_seq IN (SELECT seq FROM subscriptions WHERE webhook_id = @id)`),
    unsubscribe: db.prepare<[Bound]>("DELETE FROM subscriptions WHERE webhook_id = @id"),
  };
}

const toRow = (stored: Stored): WebhookRow => ({ ...stored, events: JSON.parse(stored.events) as string[] });

export class SqliteWebhooks implements Webhooks {
  readonly #s: ReturnType<typeof prepareWebhooks>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareWebhooks>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async findByUrl(url: string): Promise<WebhookRow | undefined> {
    const row = this.#s.findByUrl.get({ url, workspaceId: this.#workspaceId });
    return row && toRow(row);
  }

  async find(id: string): Promise<WebhookRow | undefined> {
    const row = this.#s.find.get({ id, workspaceId: this.#workspaceId });
    return row && toRow(row);
  }

  async list(page: Page): Promise<{ rows: WebhookRow[]; total: number }> {
    const bound = { ...page, workspaceId: this.#workspaceId };
    return { rows: this.#s.list.all(bound).map(toRow), total: this.#s.total.get(bound) ?? 0 };
  }

  async insert({ events, ...row }: Parameters<Webhooks["insert"]>[0]): Promise<void> {
    this.#s.insert.run({ ...row, events: JSON.stringify(events), workspaceId: this.#workspaceId });
  }

  async setEvents(id: string, events: readonly string[]): Promise<void> {
    this.#s.setEvents.run({ id, events: JSON.stringify(events), workspaceId: this.#workspaceId });
  }

  async remove(id: string, now: number): Promise<boolean> {
    if (this.#s.remove.run({ id, now, workspaceId: this.#workspaceId }).changes === 0) return false;
    this.#s.drop.run({ id, now });
    this.#s.unsubscribe.run({ id });
    return true;
  }
}
