import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Milliseconds to RFC 3339 in UTC, as JavaScript's toISOString writes it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same, computed by SQLite. */
export function isoTimeSql(column: SQLiteColumn): SQL {
  return sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
}
