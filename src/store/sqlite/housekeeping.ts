import type { Database } from "better-sqlite3";
import type { AuthEventRow } from "../logs.ts";
import type { Kept } from "../store.ts";

/** Rows deleted in one transaction, so that keeping house never holds the writer for long. */
const PRUNE_BATCH = 500;

/** Rows that keep the house: uses of keys, refused sign-ins, and what has outlived its keeping time. */
export function prepareHousekeeping(db: Database) {
  const used = db.prepare("UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?");
  const event = db.prepare(
    `INSERT INTO auth_events (workspace_id, at, code, key_prefix, member_id, address, route)
     VALUES (@workspaceId, @at, @code, @keyPrefix, @memberId, @address, @route)`,
  );
  const expired = (table: string, time: string, id = "id") =>
    db.prepare(
      // Ids grow with time, so the oldest rows stand first and no index on the time is needed.
      `DELETE FROM ${table} WHERE ${id} IN (
         SELECT id FROM (SELECT ${id} AS id, ${time} AS at FROM ${table} ORDER BY ${id} LIMIT ${PRUNE_BATCH}) WHERE at < ?)`,
    );
  const untold = ["socialnet_health", "socialnet_runs", "socialnet_sightings"].map((table) =>
    db.prepare<[number]>(
      `DELETE FROM ${table} WHERE rowid IN (
         SELECT rowid FROM ${table} WHERE recorded_at < ? ORDER BY recorded_at LIMIT ${PRUNE_BATCH})`,
    ),
  );
  const answers = expired("answers", "created_at");
  const authEvents = expired("auth_events", "at");
  const operations = expired("operation_log", "at");
  const mailReceived = expired("mail_received", "received_at", "rowid");

  return {
    recordUse(
      lastUsed: ReadonlyMap<string, number>,
      events: readonly (AuthEventRow & { workspaceId: string | null })[],
    ): void {
      for (const [id, at] of lastUsed) used.run(at, id);
      for (const row of events) event.run(row);
    },
    prune(before: Kept): number {
      return (
        answers.run(before.answers).changes +
        authEvents.run(before.authEvents).changes +
        operations.run(before.operations).changes +
        mailReceived.run(before.mailReceived).changes +
        untold.reduce((gone, table) => gone + table.run(before.agentReports).changes, 0)
      );
    },
  };
}
