import type { Database } from "better-sqlite3";
import type { Notice, Notices } from "../notifications.ts";

/** Resets that wait at a time: beyond it a flood is let go, and fills no disk. */
const MOST_RESETS = 1_000;

export function prepareNoticeReader(db: Database): Pick<Notices, "areDue"> {
  const due = db.prepare<[number]>("SELECT 1 FROM notices WHERE due_at <= ? LIMIT 1");
  return { areDue: async (now) => due.get(now) !== undefined };
}

type Writing = {
  [Name in Exclude<keyof Notices, "areDue">]: (
    ...args: Parameters<Notices[Name]>
  ) => Awaited<ReturnType<Notices[Name]>>;
};

/** Each runs inside one job of the writer. */
export function prepareNotices(db: Database): Writing {
  const ask = db.prepare<Record<string, unknown>>(
    `INSERT INTO notices (id, kind, email, due_at, created_at, expires_at)
     SELECT @id, 'reset', @email, @now, @now, @expiresAt
     WHERE (SELECT count(*) FROM (SELECT 1 FROM notices LIMIT ${MOST_RESETS})) < ${MOST_RESETS}`,
  );
  const claim = db.prepare<[number, number, number], Notice>(
    `UPDATE notices SET due_at = ?, attempts = attempts + 1
     WHERE id IN (SELECT id FROM notices WHERE due_at <= ? ORDER BY due_at LIMIT ?)
     RETURNING id, kind, email, member_id AS memberId, attempts, expires_at AS expiresAt`,
  );
  const retry = db.prepare<[number, string]>("UPDATE notices SET due_at = ? WHERE id = ?");
  const settle = db.prepare<[string]>("DELETE FROM notices WHERE id = ?");
  return {
    askReset: (reset) => void ask.run(reset),
    claim: (now, until, limit) => claim.all(until, now, limit),
    retry: (id, at) => void retry.run(at, id),
    settle: (id) => void settle.run(id),
  };
}
