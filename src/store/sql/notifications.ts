import type { Notice, Notices } from "../notifications.ts";
import { acrossWorkspaces } from "./statement.ts";

/** Resets that wait at a time. Beyond it a flood is dropped and fills no disk. */
const MAX_RESETS = 1_000;

export const notices = acrossWorkspaces<Notices>(
  { durable: ["claim", "retry", "settle"], alone: ["askReset"] },
  (db) => {
    const due = db.sql<{ now: number }>("SELECT 1 FROM notices WHERE due_at <= @now LIMIT 1");
    const askReset = db.sql(
      `INSERT INTO notices (id, kind, email, due_at, created_at, expires_at)
     SELECT @id, 'reset', @email, @now, @now, @expiresAt
     WHERE (SELECT count(*) FROM (SELECT 1 FROM notices LIMIT ${MAX_RESETS}) AS waiting) < ${MAX_RESETS}`,
    );
    const claim = db.sql<{ now: number; until: number; limit: number; by: string }, Notice>(
      `UPDATE notices SET due_at = @until, leased_by = @by, attempts = attempts + 1
     WHERE id IN (SELECT id FROM notices WHERE due_at <= @now ORDER BY due_at LIMIT @limit ${db.dialect.claiming("notices")})
     RETURNING id, kind, email, member_id AS memberId, attempts, expires_at AS expiresAt`,
    );
    const retry = db.sql("UPDATE notices SET due_at = @at, leased_by = NULL WHERE id = @id");
    const settle = db.sql("DELETE FROM notices WHERE id = @id");
    return {
      async areDue(now) {
        return (await due.get({ now })) !== undefined;
      },
      async askReset(reset) {
        await askReset.run(reset);
      },
      async claim(now, until, limit, by) {
        return claim.all({ now, until, limit, by });
      },
      async retry(id, at) {
        await retry.run({ id, at });
      },
      async settle(id) {
        await settle.run({ id });
      },
    };
  },
);
