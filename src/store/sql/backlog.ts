import { MAX_MAIL_SERVER_WAIT_MS } from "../../domain/outreach/sending.ts";
import type { Store } from "../store.ts";
import { WAITING } from "./review-queue.ts";
import type { Db, Params } from "./statement.ts";

/** Where a count stops, so that a metrics scrape takes a few milliseconds at most. */
const MAX_COUNTED = 10_000;

/** Kinds that need a decision. An approved post that waits to be published needs none. */
const DECIDED = ["answer", "action", "sequence", "card", "post"] as const;

/** What waits or needs a person. Each statement reads an index that has little else. */
export function backlog(db: Db): Store["backlog"] {
  const inOrder = db.dialect.joinInOrder;
  const counted = (from: string) =>
    db.value<Params, number>(`SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${MAX_COUNTED}) AS found`);
  const ofEachWorkspace = (table: string, status: string) =>
    counted(`workspaces w ${inOrder} ${table} t ON t.workspace_id = w.id WHERE t.status = '${status}'`);
  const oldestPending = db.value<object, number | null>(
    "SELECT min(created_at) FROM deliveries WHERE status = 'pending'",
  );
  const dead = ofEachWorkspace("deliveries", "dead");
  const unconfirmed = ofEachWorkspace("sends", "unknown");
  // As the engine looks for them.
  const awaited = `sequences s JOIN workspaces w ON w.id = s.workspace_id ${inOrder} enrollments e
     ON e.sequence_id = s.id WHERE s.status = 'active' AND w.paused_at IS NULL
       AND e.status = 'active' AND e.held_reason IS NULL AND e.due_at`;
  const due = counted(`${awaited} <= @now`);
  // The mail server makes them due again within the hour. What is due then for other reasons is read too, up to a limit.
  const waitingForMail = db.value<Params, number>(
    `SELECT count(*) FROM (SELECT e.postponed_reason AS reason FROM ${awaited} > @now AND e.due_at <= @until
       LIMIT ${MAX_COUNTED}) AS found WHERE reason IN ('mail_server_unavailable', 'mail_not_configured')`,
  );

  const reviews = DECIDED.map((kind) => {
    const { from, status, order, since } = WAITING[kind];
    const [table = ""] = from.split(" ");
    const oldest = `SELECT ${since} FROM ${from}
      WHERE a.workspace_id = w.id AND a.status = '${status}' ORDER BY ${order} LIMIT 1`;
    return {
      count: ofEachWorkspace(table, status),
      oldest: db.value<object, number | null>(`SELECT min((${oldest})) FROM workspaces w`),
    };
  });

  return async (now) => ({
    waitingReviews: sum(await Promise.all(reviews.map(({ count }) => count.get({})))),
    oldestReviewMs: Math.max(
      0,
      ...(await Promise.all(reviews.map(({ oldest }) => oldest.get({})))).map((since) => now - (since ?? now)),
    ),
    oldestPendingDeliveryMs: Math.max(0, now - ((await oldestPending.get({})) ?? now)),
    deadDeliveries: (await dead.get({})) ?? 0,
    dueSteps: Math.min(
      MAX_COUNTED,
      sum([await due.get({ now }), await waitingForMail.get({ now, until: now + MAX_MAIL_SERVER_WAIT_MS })]),
    ),
    unconfirmedSends: (await unconfirmed.get({})) ?? 0,
  });
}

const sum = (counts: readonly (number | undefined)[]) => counts.reduce<number>((all, count) => all + (count ?? 0), 0);
