import { ADMINISTRATORS } from "../../domain/access/roles.ts";
import type { Facts, WorkspaceFacts } from "../checklist.ts";
import type { Db, Params } from "./statement.ts";

/** As many records as a reason can name. */
const MAX_NAMED = 5;

export function workspaceFacts(db: Db): (workspaceId: string) => WorkspaceFacts {
  const mine = "workspace_id = @workspaceId";
  const uncovered = `status = 'active' AND NOT EXISTS (SELECT 1 FROM sequence_approvals a
    WHERE a.sequence_id = sequences.id AND a.status = 'applied' AND a.steps_hash = sequences.steps_hash)`;
  const liveKey = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now)";
  const administrators = ADMINISTRATORS.map((role) => `'${role}'`).join(", ");
  const countPublished = (condition: string) =>
    db.value<Params, number>(
      `SELECT count(*) FROM social_posts WHERE ${mine} AND status = 'published' AND ended_at >= @since ${condition}`,
    );
  const oldest = (table: string, status: string) =>
    db.value<Params, number>(
      `SELECT submitted_at FROM ${table} WHERE ${mine} AND status = '${status}' ORDER BY seq LIMIT 1`,
    );

  const suppresses = db.value(`SELECT 1 FROM suppressions WHERE ${mine} LIMIT 1`);
  const countActive = db.value<Params, number>(`SELECT count(*) FROM sequences WHERE ${mine} AND status = 'active'`);
  const unapproved = db.sql<Params, Facts>(
    `SELECT id, name FROM sequences WHERE ${mine} AND ${uncovered} ORDER BY seq LIMIT ${MAX_NAMED}`,
  );
  const members = db.sql<Params, { administrators: number; approvers: number }>(
    `SELECT count(*) FILTER (WHERE role IN (${administrators})) AS administrators,
       count(*) FILTER (WHERE approve_outbound = 1) AS approvers
     FROM members WHERE ${mine} AND removed_at IS NULL`,
  );
  const countKeys = db.value<Params, number>(`SELECT count(*) FROM api_keys WHERE ${mine} AND ${liveKey}`);
  const idleKeys = db.sql<Params, Facts>(
    `SELECT id, name FROM api_keys WHERE ${mine} AND ${liveKey} AND coalesce(last_used_at, created_at) < @since
     ORDER BY created_at LIMIT ${MAX_NAMED}`,
  );
  const published = countPublished("");
  const publishedOn = countPublished("AND channel = @channel");
  const scheduled = db.value<Params, number>(
    `SELECT count(*) FROM social_posts WHERE ${mine} AND status = 'approved' AND scheduled_for BETWEEN @from AND @to`,
  );
  const oldestCard = oldest("approval_cards", "pending");
  const oldestPost = oldest("social_posts", "needs_review");

  return (workspaceId) => ({
    async suppresses() {
      return (await suppresses.get({ workspaceId })) !== undefined;
    },
    async activeSequences() {
      const active = (await countActive.get({ workspaceId })) ?? 0;
      return { active, unapproved: await unapproved.all({ workspaceId }) };
    },
    async members() {
      return (await members.get({ workspaceId })) ?? { administrators: 0, approvers: 0 };
    },
    async keys(since, now) {
      const live = (await countKeys.get({ workspaceId, now })) ?? 0;
      return { live, idle: await idleKeys.all({ workspaceId, since, now }) };
    },
    async published(since, channel) {
      const statement = channel === undefined ? published : publishedOn;
      return (await statement.get({ workspaceId, since, channel })) ?? 0;
    },
    async scheduled(from, to) {
      return (await scheduled.get({ workspaceId, from, to })) ?? 0;
    },
    async waitingSince() {
      const times = [await oldestCard.get({ workspaceId }), await oldestPost.get({ workspaceId })];
      const waiting = times.filter((time) => time !== undefined);
      return waiting.length === 0 ? null : Math.min(...waiting);
    },
  });
}
