import type { Store } from "../store.ts";
import type { Db, Params } from "./statement.ts";

/** Rows deleted in one transaction, so that pruning never holds the writer for long. */
export const PRUNE_BATCH = 500;
/** The same for events beyond what is kept: more than are added until the next time. */
const TRIM_BATCH = 2_000;

/** What every server does for itself: uses of keys, refused sign-ins, and what has outlived its keeping time. */
export function housekeeping(db: Db): Pick<Store, "recordUse" | "trimAuthEvents" | "prune"> {
  const { dialect } = db;
  const used = db.sql(
    `UPDATE api_keys SET last_used_at = ${dialect.greatest("coalesce(last_used_at, 0)", "@at")} WHERE id = @id`,
  );
  const event = db.sql(
    `INSERT INTO auth_events (workspace_id, at, code, key_prefix, member_id, address, route, count)
     VALUES (@workspaceId, @at, @code, @keyPrefix, @memberId, @address, @route, @count)`,
  );
  const trim = (owner: string) =>
    db.value<Params, number>(
      `DELETE FROM auth_events WHERE id IN (
         SELECT id FROM auth_events WHERE ${owner} AND code = @code ORDER BY id DESC LIMIT ${TRIM_BATCH} OFFSET @keep)
       RETURNING count`,
    );
  const trimOwned = trim("workspace_id = @workspaceId");
  const trimUnowned = trim("workspace_id IS NULL");
  // Ids grow with time, so the oldest rows come first and no index on the time is needed.
  const oldestBefore = (table: string, time: string, id = "id") =>
    db.sql<{ before: number }>(
      `DELETE FROM ${table} WHERE ${id} IN (${dialect.oldestRows(table, id, time, PRUNE_BATCH)})`,
    );
  const reports = ["socialnet_health", "socialnet_runs", "socialnet_sightings"].map((table) =>
    db.sql<{ before: number }>(
      `DELETE FROM ${table} WHERE ${dialect.rowId} IN (
         SELECT ${dialect.rowId} FROM ${table} WHERE recorded_at < @before ORDER BY recorded_at LIMIT ${PRUNE_BATCH})`,
    ),
  );
  const answers = oldestBefore("answers", "created_at");
  const authEvents = oldestBefore("auth_events", "at");
  const operations = oldestBefore("operation_log", "at");
  const mailReceived = oldestBefore("mail_received", "received_at", dialect.rowId);

  return {
    async recordUse(lastUsed, events) {
      // In one order: servers that record the same keys must not wait for each other.
      for (const [id, at] of [...lastUsed].sort(([a], [b]) => (a < b ? -1 : 1))) await used.run({ id, at });
      for (const row of events) await event.run({ ...row });
    },
    async trimAuthEvents(workspaceId, code, keep) {
      const counts =
        workspaceId === null ? await trimUnowned.all({ code, keep }) : await trimOwned.all({ workspaceId, code, keep });
      return counts.reduce((events, count) => events + count, 0);
    },
    async prune(before) {
      const pruned = [
        await answers.run({ before: before.answers }),
        await authEvents.run({ before: before.authEvents }),
        await operations.run({ before: before.operations }),
        await mailReceived.run({ before: before.mailReceived }),
      ];
      for (const report of reports) pruned.push(await report.run({ before: before.agentReports }));
      return pruned.reduce((rows, { changes }) => rows + changes, 0);
    },
  };
}
