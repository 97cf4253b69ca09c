import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";

const FOLDER = fileURLToPath(new URL("./migrations", import.meta.url));

interface Journal {
  entries: { when: number; tag: string }[];
}

export interface SchemaState {
  /** Migrations that the database lacks, oldest first. */
  pending: string[];
  /** Migrations that the database has and this program does not know. */
  unknown: number;
  /** False for a file without any table yet. */
  founded: boolean;
}

/** What stands between the database and this program's schema. Reads only. */
export function schemaState(db: Database): SchemaState {
  const { entries } = JSON.parse(readFileSync(join(FOLDER, "meta", "_journal.json"), "utf8")) as Journal;
  const founded = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'").get() !== undefined;
  const applied = founded
    ? db.prepare<[], number>("SELECT created_at FROM __drizzle_migrations").pluck().all().map(Number)
    : [];
  return {
    founded,
    pending: entries.filter(({ when }) => !applied.includes(when)).map(({ tag }) => tag),
    unknown: applied.filter((when) => !entries.some((entry) => entry.when === when)).length,
  };
}

/** A database that a newer Rostrum has written. Its message is for the person who starts the server. */
export class NewerDatabase extends Error {}

/**
 * Brings the schema up to date. Before an existing database is changed, a copy of it is written to `backups/`.
 * Answers the copy's path where one was made.
 *
 * @throws NewerDatabase where the database has migrations that this program does not know
 */
export async function migrateDatabase(db: Database, file: string, now: number): Promise<string | undefined> {
  const state = schemaState(db);
  if (state.unknown > 0) {
    throw new NewerDatabase(
      `The database ${file} was written by a newer Rostrum (${state.unknown} migration(s) unknown to this one). ` +
        "Start the newer version, or restore a backup that was made before the upgrade.",
    );
  }
  if (state.pending.length === 0) return undefined;
  let copy: string | undefined;
  if (state.founded) {
    const folder = join(dirname(file), "backups");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    copy = join(folder, `before-${state.pending[0]}-${new Date(now).toISOString().replaceAll(":", "")}.db`);
    await db.backup(copy);
  }
  migrate(drizzle(db), { migrationsFolder: FOLDER });
  return copy;
}
