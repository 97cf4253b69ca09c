import type { Database } from "better-sqlite3";
import { REVIEW_KINDS, type ReviewKind } from "../../domain/checklist/review.ts";
import type { CancelledRow, DecisionRow, NewsRow, ReviewQueue, WaitingRow } from "../checklist.ts";
import type { Page } from "../page.ts";

/** So much of a text without a title stands for it. */
const OPENING = 120;

/** Each kind's waiting rows: what it selects, from where, and in which order of an index. */
const WAITING = {
  action: {
    select: `a.id, trim(coalesce(c.first_name, '') || ' ' || coalesce(c.last_name, '')) AS title, a.kind AS about,
      a.planned_by AS proposedBy, a.created_at AS since`,
    from: "socialnet_actions a",
    join: "CROSS JOIN contacts c ON c.id = a.contact_id",
    where: "a.workspace_id = @workspaceId AND a.status = 'planned'",
    order: "a.created_at, a.id",
  },
  sequence: {
    select: "a.id, s.name AS title, a.contact_count AS about, a.approved_by AS proposedBy, a.approved_at AS since",
    from: "sequence_approvals a",
    join: "CROSS JOIN sequences s ON s.id = a.sequence_id",
    where: "a.workspace_id = @workspaceId AND a.status = 'approved'",
    order: "a.approved_at, a.id",
  },
  card: {
    select: "a.id, a.title, a.item_id AS about, a.submitted_by_name AS proposedBy, a.submitted_at AS since",
    from: "approval_cards a",
    join: "",
    where: "a.workspace_id = @workspaceId AND a.status = 'pending'",
    order: "a.seq",
  },
  post: {
    select: `a.id, coalesce(a.title, substr(a.body, 1, ${OPENING})) AS title, a.channel AS about,
      a.submitted_by_name AS proposedBy, a.submitted_at AS since`,
    from: "social_posts a",
    join: "",
    where: "a.workspace_id = @workspaceId AND a.status = 'needs_review'",
    order: "a.seq",
  },
  publish: {
    select: `a.id, coalesce(a.title, substr(a.body, 1, ${OPENING})) AS title, a.channel AS about,
      a.submitted_by_name AS proposedBy, coalesce(a.scheduled_for, a.decided_at) AS since`,
    from: "social_posts a",
    join: "",
    where: "a.workspace_id = @workspaceId AND a.status = 'approved'",
    order: "a.seq",
  },
} as const satisfies Record<ReviewKind, object>;

type Bound = Record<string, string | number>;

export function prepareReviewQueue(db: Database) {
  const each = <T>(of: (kind: ReviewKind) => T) =>
    Object.fromEntries(REVIEW_KINDS.map((kind) => [kind, of(kind)])) as Record<ReviewKind, T>;
  const newsOf = (source: NewsRow["source"], table: string, kind: string, at: string) =>
    db.prepare<[Bound], NewsRow>(
      `SELECT '${source}' AS source, kind, count(*) AS count, max(at) AS latestAt FROM (
         SELECT ${kind} AS kind, ${at} AS at FROM ${table} WHERE workspace_id = @workspaceId AND ${at} > @since
         ORDER BY ${at} DESC LIMIT @most
       ) GROUP BY kind`,
    );
  return {
    waiting: each((kind) => {
      const { select, from, join, where, order } = WAITING[kind];
      return db.prepare<[Bound], Omit<WaitingRow, "about"> & { about: string | number | null }>(
        `SELECT ${select} FROM ${from} ${join} WHERE ${where} ORDER BY ${order} LIMIT @limit OFFSET @offset`,
      );
    }),
    counts: each((kind) =>
      db.prepare<[Bound], number>(`SELECT count(*) FROM ${WAITING[kind].from} WHERE ${WAITING[kind].where}`).pluck(),
    ),
    audience: db
      .prepare<[Bound], string>(
        `SELECT c.contact_id FROM sequence_approvals a CROSS JOIN approval_contacts c ON c.approval_id = a.id
         WHERE a.id = @approvalId AND a.workspace_id = @workspaceId ORDER BY c.contact_id LIMIT @limit`,
      )
      .pluck(),
    decided: db.prepare<[Bound], Omit<DecisionRow, "after"> & { after: string }>(
      `SELECT record_id AS recordId, action, at, actor_kind AS actorKind, actor_id AS actorId, after FROM audit_log
       WHERE workspace_id = @workspaceId AND action = @operation AND after IS NOT NULL
       ORDER BY at DESC, id DESC LIMIT @most`,
    ),
    // The audit tells whom people denied from what the server cancelled. max(l.id) has SQLite take the other columns from its row.
    cancelled: db.prepare<[Bound], CancelledRow & { latest: number | null }>(
      `SELECT max(l.id) AS latest, count(*) AS count, a.id, a.note, l.at, l.actor_kind AS actorKind, l.actor_id AS actorId
       FROM socialnet_actions a CROSS JOIN audit_log l ON l.workspace_id = a.workspace_id AND l.record_id = a.id
       WHERE a.contact_id = @contactId AND a.status = 'cancelled' AND a.workspace_id = @workspaceId
         AND l.action = 'cancel_socialnet_action'`,
    ),
    activities: newsOf("activity", "activities", "type", "created_at"),
    audit: newsOf("audit", "audit_log", "action", "at"),
  };
}

export class SqliteReviewQueue implements ReviewQueue {
  readonly #s: ReturnType<typeof prepareReviewQueue>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareReviewQueue>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async waiting(kind: ReviewKind, page: Page): Promise<WaitingRow[]> {
    const rows = this.#s.waiting[kind].all({ ...page, workspaceId: this.#workspaceId });
    return rows.map((row) => ({ ...row, about: row.about === null ? null : String(row.about) }));
  }

  async counts(): Promise<Record<ReviewKind, number>> {
    const workspaceId = this.#workspaceId;
    const counted = REVIEW_KINDS.map((kind) => [kind, this.#s.counts[kind].get({ workspaceId }) ?? 0]);
    return Object.fromEntries(counted);
  }

  async audience(approvalId: string, limit: number): Promise<string[]> {
    return this.#s.audience.all({ approvalId, limit, workspaceId: this.#workspaceId });
  }

  async decided(operations: readonly string[], most: number): Promise<DecisionRow[]> {
    const workspaceId = this.#workspaceId;
    return operations
      .flatMap((operation) => this.#s.decided.all({ operation, most, workspaceId }))
      .sort((a, b) => b.at - a.at)
      .slice(0, most)
      .map(({ after, ...row }) => ({ ...row, after: JSON.parse(after) as Record<string, unknown> }));
  }

  async cancelled(contactId: string): Promise<CancelledRow | undefined> {
    const found = this.#s.cancelled.get({ contactId, workspaceId: this.#workspaceId });
    if (found === undefined || found.latest === null) return undefined;
    const { latest: _, ...row } = found;
    return row;
  }

  async news(since: number, most: number): Promise<NewsRow[]> {
    const bound = { since, most, workspaceId: this.#workspaceId };
    return [...this.#s.activities.all(bound), ...this.#s.audit.all(bound)].sort((a, b) => b.latestAt - a.latestAt);
  }
}
