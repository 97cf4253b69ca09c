import Database from "better-sqlite3";
import { openWriter } from "../../src/store/sqlite/connection.ts";

/** When the first migration before the release was written, as its record says. */
export const FIRST_PRERELEASE = 1795178606280;
const LAST_PRERELEASE = 1795212149683;

/** Creates a database as a version before the first release left it: its tables, and its migration record. */
export function prereleaseDatabase(file: string): string {
  openWriter(file).close();
  const db = new Database(file);
  db.exec(`
    CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
    INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('a', ${FIRST_PRERELEASE}), ('b', ${LAST_PRERELEASE});
    CREATE TABLE workspaces (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;
    INSERT INTO workspaces VALUES ('w', 'old');
  `);
  db.close();
  return file;
}
