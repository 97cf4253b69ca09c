import type { DeliveryStatus } from "../../domain/events/delivery.ts";
import type { Deliveries, DeliveryRow, NewDelivery } from "../events.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { HAS_ACCESS } from "./delivery-sql.ts";

type Bound = Record<string, string | number | null>;
type Stored = Omit<DeliveryRow, "attempts"> & { attempts: string };

const SELECT = `SELECT d.id, d.url, d.event, d.event_id AS eventId, d.kind, d.status,
  d.next_attempt_at AS nextAttemptAt, d.last_error AS lastError, d.created_at AS createdAt, d.finished_at AS finishedAt,
  (SELECT json_group_array(json_object('at', a.at, 'outcome', a.outcome, 'durationMs', a.duration_ms))
    FROM (SELECT * FROM delivery_attempts WHERE delivery_seq = d.seq ORDER BY id) a) AS attempts
  FROM deliveries d WHERE d.workspace_id = @workspaceId`;

export function prepareDeliveries({ $client: db }: Drizzle) {
  const page = (where: string) =>
    db.prepare<[Bound], Stored>(`${SELECT} ${where} ORDER BY d.seq DESC LIMIT @limit OFFSET @offset`);
  const total = (where: string) =>
    db
      .prepare<[Bound], number>(`SELECT count(*) FROM deliveries d WHERE d.workspace_id = @workspaceId ${where}`)
      .pluck();
  return {
    insert: db.prepare<[Bound]>(
      `INSERT INTO deliveries (id, workspace_id, subscription_seq, url, host, kind, event_id, event, body, status,
         next_attempt_at, created_at)
       VALUES (@id, @workspaceId, @subscriptionSeq, @url, @host, 'event', @eventId, @event, @body, 'pending', @now, @now)`,
    ),
    list: page(""),
    total: total(""),
    listOf: page("AND d.status = @status"),
    totalOf: total("AND d.status = @status"),
    find: db.prepare<[Bound], Stored>(`${SELECT} AND d.id = @id`),
    resend: db.prepare<[Bound]>(
      `UPDATE deliveries SET status = 'pending', attempts = 0, next_attempt_at = @now, finished_at = NULL, lease = NULL
       WHERE id = @id AND workspace_id = @workspaceId AND status <> 'pending' AND kind = 'event' AND EXISTS (
         SELECT 1 FROM subscriptions s LEFT JOIN api_keys k ON k.id = s.key_id
         WHERE s.seq = deliveries.subscription_seq AND s.suspended_at IS NULL AND ${HAS_ACCESS})`,
    ),
  };
}

const toRow = (stored: Stored): DeliveryRow => ({
  ...stored,
  attempts: JSON.parse(stored.attempts) as DeliveryRow["attempts"],
});

export class SqliteDeliveries implements Deliveries {
  readonly #s: ReturnType<typeof prepareDeliveries>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareDeliveries>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(delivery: NewDelivery): Promise<void> {
    this.#s.insert.run({ ...delivery, host: new URL(delivery.url).host, workspaceId: this.#workspaceId });
  }

  async list({ status, ...page }: Page & { status: DeliveryStatus | undefined }) {
    const bound = { ...page, workspaceId: this.#workspaceId };
    const [list, total] = status === undefined ? [this.#s.list, this.#s.total] : [this.#s.listOf, this.#s.totalOf];
    const narrowed = status === undefined ? bound : { ...bound, status };
    return { rows: list.all(narrowed).map(toRow), total: total.get(narrowed) ?? 0 };
  }

  async find(id: string): Promise<DeliveryRow | undefined> {
    const row = this.#s.find.get({ id, workspaceId: this.#workspaceId });
    return row && toRow(row);
  }

  async resend(id: string, now: number): Promise<boolean> {
    return this.#s.resend.run({ id, now, workspaceId: this.#workspaceId }).changes === 1;
  }
}
