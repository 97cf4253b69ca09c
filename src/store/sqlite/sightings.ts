import type { Database } from "better-sqlite3";
import { ADMINISTRATORS } from "../../domain/access/roles.ts";
import type { Channel } from "../../domain/checklist/channel.ts";
import type { Facts, WorkspaceFacts } from "../checklist.ts";

/** As many records as a reason can name. */
const SHOWN = 5;

type Of<More = object> = { workspaceId: string } & More;

export function prepareSightings(db: Database) {
  const ofChannel = (condition: string) =>
    db
      .prepare<[Of<{ since: number; channel?: Channel }>], number>(
        `SELECT count(*) FROM social_posts
         WHERE workspace_id = @workspaceId AND status = 'published' AND ended_at >= @since ${condition}`,
      )
      .pluck();
  const uncovered = `status = 'active' AND NOT EXISTS (SELECT 1 FROM sequence_approvals a
    WHERE a.sequence_id = sequences.id AND a.status = 'applied' AND a.steps_hash = sequences.steps_hash)`;
  const liveKey = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now)";
  return {
    suppresses: db.prepare<[Of], 1>("SELECT 1 FROM suppressions WHERE workspace_id = @workspaceId LIMIT 1"),
    active: db
      .prepare<[Of], number>("SELECT count(*) FROM sequences WHERE workspace_id = @workspaceId AND status = 'active'")
      .pluck(),
    unapproved: db.prepare<[Of], Facts>(
      `SELECT id, name FROM sequences WHERE workspace_id = @workspaceId AND ${uncovered} ORDER BY seq LIMIT ${SHOWN}`,
    ),
    members: db.prepare<[Of<{ roles: string }>], { administrators: number; approvers: number }>(
      `SELECT count(*) FILTER (WHERE role IN (SELECT value FROM json_each(@roles))) AS administrators,
         count(*) FILTER (WHERE approve_outbound) AS approvers
       FROM members WHERE workspace_id = @workspaceId AND removed_at IS NULL`,
    ),
    liveKeys: db
      .prepare<[Of<{ now: number }>], number>(
        `SELECT count(*) FROM api_keys WHERE workspace_id = @workspaceId AND ${liveKey}`,
      )
      .pluck(),
    idleKeys: db.prepare<[Of<{ now: number; since: number }>], Facts>(
      `SELECT id, name FROM api_keys WHERE workspace_id = @workspaceId AND ${liveKey}
         AND coalesce(last_used_at, created_at) < @since ORDER BY created_at LIMIT ${SHOWN}`,
    ),
    published: ofChannel(""),
    publishedOn: ofChannel("AND channel = @channel"),
    scheduled: db
      .prepare<[Of<{ from: number; to: number }>], number>(
        `SELECT count(*) FROM social_posts
         WHERE workspace_id = @workspaceId AND status = 'approved' AND scheduled_for BETWEEN @from AND @to`,
      )
      .pluck(),
    waitingCard: db
      .prepare<[Of], number>(
        `SELECT submitted_at FROM approval_cards WHERE workspace_id = @workspaceId AND status = 'pending'
         ORDER BY seq LIMIT 1`,
      )
      .pluck(),
    waitingPost: db
      .prepare<[Of], number>(
        `SELECT submitted_at FROM social_posts WHERE workspace_id = @workspaceId AND status = 'needs_review'
         ORDER BY seq LIMIT 1`,
      )
      .pluck(),
  };
}

export class SqliteSightings implements WorkspaceFacts {
  readonly #s: ReturnType<typeof prepareSightings>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareSightings>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async suppresses(): Promise<boolean> {
    return this.#s.suppresses.get({ workspaceId: this.#workspaceId }) !== undefined;
  }

  async activeSequences(): Promise<{ active: number; unapproved: Facts[] }> {
    const of = { workspaceId: this.#workspaceId };
    return { active: this.#s.active.get(of) ?? 0, unapproved: this.#s.unapproved.all(of) };
  }

  async members(): Promise<{ administrators: number; approvers: number }> {
    const of = { workspaceId: this.#workspaceId, roles: JSON.stringify(ADMINISTRATORS) };
    return this.#s.members.get(of) ?? { administrators: 0, approvers: 0 };
  }

  async keys(since: number, now: number): Promise<{ live: number; idle: Facts[] }> {
    const of = { workspaceId: this.#workspaceId, since, now };
    return { live: this.#s.liveKeys.get(of) ?? 0, idle: this.#s.idleKeys.all(of) };
  }

  async published(since: number, channel: Channel | undefined): Promise<number> {
    const of = { workspaceId: this.#workspaceId, since };
    const found = channel === undefined ? this.#s.published.get(of) : this.#s.publishedOn.get({ ...of, channel });
    return found ?? 0;
  }

  async scheduled(from: number, to: number): Promise<number> {
    return this.#s.scheduled.get({ workspaceId: this.#workspaceId, from, to }) ?? 0;
  }

  async waitingSince(): Promise<number | null> {
    const of = { workspaceId: this.#workspaceId };
    const times = [this.#s.waitingCard.get(of), this.#s.waitingPost.get(of)].filter((time) => time !== undefined);
    return times.length === 0 ? null : Math.min(...times);
  }
}
