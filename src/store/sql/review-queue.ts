import { REVIEW_KINDS, type ReviewKind } from "../../domain/checklist/review.ts";
import type { CancelledRow, DecisionRow, NewsRow, ReviewQueue, WaitingRow } from "../checklist.ts";
import { keptCountOf } from "./lists.ts";
import type { Db, Params } from "./statement.ts";

/** Characters of a text that the queue shows, and that stand in for a post's missing title. */
const EXCERPT = 120;

const POST = {
  title: `coalesce(a.title, substr(a.body, 1, ${EXCERPT}))`,
  about: "a.channel",
  text: "a.body",
  proposedBy: "a.submitted_by_name",
  byId: "a.submitted_by_id",
  from: "social_posts a",
  order: "a.seq",
};

/** What needs review, by kind: the columns, the tables, and the index order. */
export const WAITING = {
  answer: {
    title: "trim(coalesce(c.first_name, '') || ' ' || coalesce(c.last_name, ''))",
    about: "a.address",
    text: "a.body",
    proposedBy: "a.planned_by",
    byId: "a.planned_by_id",
    since: "a.created_at",
    from: "email_answers a",
    join: "contacts c ON c.id = a.contact_id",
    status: "needs_review",
    order: "a.created_at, a.id",
  },
  action: {
    title: "trim(coalesce(c.first_name, '') || ' ' || coalesce(c.last_name, ''))",
    about: "a.kind",
    text: "a.copy",
    proposedBy: "a.planned_by",
    byId: "a.planned_by_id",
    since: "a.created_at",
    from: "socialnet_actions a",
    join: "contacts c ON c.id = a.contact_id",
    status: "planned",
    order: "a.created_at, a.id",
  },
  sequence: {
    title: "s.name",
    about: "a.contact_count",
    text: "NULL",
    proposedBy: "a.approved_by",
    byId: "NULL",
    since: "a.approved_at",
    from: "sequence_approvals a",
    join: "sequences s ON s.id = a.sequence_id",
    status: "approved",
    order: "a.approved_at, a.id",
  },
  card: {
    title: "a.title",
    about: "a.item_id",
    text: "coalesce(a.summary, a.body)",
    proposedBy: "a.submitted_by_name",
    byId: "a.submitted_by_id",
    since: "a.submitted_at",
    from: "approval_cards a",
    join: undefined,
    status: "pending",
    order: "a.seq",
  },
  post: { ...POST, since: "a.submitted_at", join: undefined, status: "needs_review" },
  publish: { ...POST, since: "coalesce(a.scheduled_for, a.decided_at)", join: undefined, status: "approved" },
} as const satisfies Record<ReviewKind, object>;

function eachKind<T>(of: (kind: ReviewKind) => T): Record<ReviewKind, T> {
  return Object.fromEntries(REVIEW_KINDS.map((kind) => [kind, of(kind)])) as Record<ReviewKind, T>;
}

export function reviewQueue(db: Db): (workspaceId: string) => ReviewQueue {
  const { joinInOrder } = db.dialect;
  const waiting = eachKind((kind) => {
    const { title, about, text, proposedBy, byId, since, from, join, status, order } = WAITING[kind];
    return db.sql<Params, Omit<WaitingRow, "about" | "byAgent"> & { about: string | number | null; byAgent: number }>(
      `SELECT a.id, ${title} AS title, ${about} AS about, substr(${text}, 1, ${EXCERPT}) AS text, ${proposedBy} AS proposedBy,
         (SELECT count(*) FROM api_keys k WHERE k.id = ${byId} AND k.workspace_id = a.workspace_id) AS byAgent,
         ${since} AS since
       FROM ${from} ${join === undefined ? "" : `${joinInOrder} ${join}`}
       WHERE a.workspace_id = @workspaceId AND a.status = '${status}' ORDER BY ${order} LIMIT @limit OFFSET @offset`,
    );
  });
  const counts = eachKind((kind) =>
    kind === "action"
      ? keptCountOf(db, "socialnet_actions", ["status"])
      : db.sql<Params, { total: number }>(
          `SELECT count(*) AS total FROM ${WAITING[kind].from}
           WHERE a.workspace_id = @workspaceId AND a.status = '${WAITING[kind].status}'`,
        ),
  );
  const decided = db.sql<Params, Omit<DecisionRow, "after"> & { after: string }>(
    `SELECT record_id AS recordId, action, at, actor_kind AS actorKind, actor_id AS actorId, after FROM audit_log
     WHERE workspace_id = @workspaceId AND action = @operation AND after IS NOT NULL
     ORDER BY at DESC, id DESC LIMIT @most`,
  );
  // The audit log distinguishes what people canceled from what the server canceled.
  const cancelled = db.sql<Params, CancelledRow>(
    `SELECT n.count, a.id, a.note, l.at, l.actor_kind AS actorKind, l.actor_id AS actorId
     FROM (
       SELECT max(l.id) AS latest, count(*) AS count
       FROM socialnet_actions a ${joinInOrder} audit_log l ON l.workspace_id = a.workspace_id AND l.record_id = a.id
       WHERE a.contact_id = @contactId AND a.status = 'cancelled' AND a.workspace_id = @workspaceId
         AND l.action = 'cancel_socialnet_action') n
     ${joinInOrder} audit_log l ON l.id = n.latest ${joinInOrder} socialnet_actions a ON a.id = l.record_id`,
  );
  const newsOf = (source: NewsRow["source"], table: string, kind: string, at: string) =>
    db.sql<Params, NewsRow>(
      `SELECT '${source}' AS source, kind, count(*) AS count, max(at) AS latestAt FROM (
         SELECT ${kind} AS kind, ${at} AS at FROM ${table} WHERE workspace_id = @workspaceId AND ${at} > @since
         ORDER BY ${at} DESC LIMIT @most
       ) AS newest GROUP BY kind`,
    );
  const activities = newsOf("activity", "activities", "type", "created_at");
  const audit = newsOf("audit", "audit_log", "action", "at");

  return (workspaceId) => ({
    async waiting(kind, page) {
      const rows = await waiting[kind].all({ ...page, workspaceId });
      return rows.map((row) => ({
        ...row,
        about: row.about === null ? null : String(row.about),
        byAgent: Number(row.byAgent) > 0,
      }));
    },
    async counts() {
      const counted = { ...eachKind(() => 0) };
      for (const kind of REVIEW_KINDS) {
        counted[kind] = (await counts[kind].get({ workspaceId, status: WAITING[kind].status }))?.total ?? 0;
      }
      return counted;
    },
    async decided(operations, most) {
      const found: DecisionRow[] = [];
      for (const operation of operations) {
        for (const row of await decided.all({ operation, most, workspaceId })) {
          found.push({ ...row, after: JSON.parse(row.after) as Record<string, unknown> });
        }
      }
      return found.sort((a, b) => b.at - a.at).slice(0, most);
    },
    async cancelled(contactId) {
      return cancelled.get({ contactId, workspaceId });
    },
    async news(since, most) {
      const params = { since, most, workspaceId };
      return [...(await activities.all(params)), ...(await audit.all(params))].sort((a, b) => b.latestAt - a.latestAt);
    },
  });
}
