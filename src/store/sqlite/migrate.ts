import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Database } from "better-sqlite3";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { OperatorError } from "../../lib/operator-error.ts";
import { packageFile } from "../../lib/package.ts";
import type { Upgrade } from "../engine.ts";
import { copyDatabase, requireSpace, sizeOf } from "./copy.ts";

const FOLDER = packageFile("src/store/sqlite/migrations");

interface Migration extends MigrationMeta {
  name: string;
}

export interface SchemaState {
  /** Migrations that the database lacks, oldest first. */
  pending: Migration[];
  /** Migrations that the database has and this program does not know. */
  unknown: number;
  /** False for a file without any migration yet. */
  initialized: boolean;
  /** True for a database of the migrations that came before the first one that this program knows. */
  prerelease: boolean;
}

function readNames(folder: string): string[] {
  const { entries } = JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8")) as {
    entries: { tag: string }[];
  };
  return entries.map(({ tag }) => tag);
}

function readMigrations(folder: string): Migration[] {
  const names = readNames(folder);
  const files = readMigrationFiles({ migrationsFolder: folder });
  return files.map((file, i) => ({ ...file, name: names[i] ?? "" }));
}

/** The version of the schema that this program brings a database to: the name of the last migration. */
export function schemaVersion(): string {
  return readNames(FOLDER).at(-1) ?? "";
}

/** The difference between the database and this program's schema. Reads only. */
export function schemaState(db: Database, folder: string = FOLDER): SchemaState {
  const known = readMigrations(folder);
  const initialized = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'").get() !== undefined;
  const applied = initialized
    ? db.prepare<[], number>("SELECT created_at FROM __drizzle_migrations").pluck().all().map(Number)
    : [];
  return {
    initialized,
    pending: known.filter(({ folderMillis }) => !applied.includes(folderMillis)),
    unknown: applied.filter((when) => !known.some(({ folderMillis }) => folderMillis === when)).length,
    prerelease: applied.some((when) => when < (known[0]?.folderMillis ?? 0)),
  };
}

/** A database of a newer or a pre-release Rostrum. Its message is for the person who starts the server. */
export class IncompatibleDatabase extends OperatorError {}

/** The message of every command for a database of a pre-release version. */
export function prereleaseMessage(file: string): string {
  return (
    `${file} was created by a pre-release version of Rostrum. Its data can't be upgraded. ` +
    "Start with a new data folder. Set it with --data or ROSTRUM_DATA."
  );
}

/** Copied and checked in a second, measured on a busy machine with two cores. */
const BYTES_A_SECOND = 20 * 1024 ** 2;

/** How many copies from before an upgrade are kept. */
const KEPT_COPIES = 3;

/**
 * Brings the schema up to date: all pending migrations, or none. Before an existing database is changed, a copy of it
 * is written to `backups/`, and older ones than the last three are deleted. Returns the copy's path where one was made. drizzle generates the migrations, but its own
 * migrator is not used to apply them: it checks what is due before it locks, so two processes that start together would
 * both begin.
 *
 * @throws IncompatibleDatabase where the database has migrations that this program does not know
 * @throws MaintenanceRefused where the disk has no space for the copy
 */
export async function migrateDatabase(
  db: Database,
  file: string,
  now: number,
  folder: string = FOLDER,
  onUpgrade: (upgrade: Upgrade) => void = () => undefined,
): Promise<string | undefined> {
  if (dueIn(db, file, folder).pending.length === 0) return undefined;
  // A migration may rebuild a table that others refer to; what they refer to is checked before the commit.
  db.pragma("foreign_keys = OFF");
  try {
    db.exec("BEGIN IMMEDIATE");
    const { initialized, pending } = dueIn(db, file, folder);
    const copy = initialized && pending.length > 0 ? await copyBefore(pending, file, now, onUpgrade) : undefined;
    applyAll(db, pending);
    db.exec("COMMIT");
    if (copy !== undefined) deleteOldCopies(dirname(copy));
    return copy;
  } catch (error) {
    if (db.inTransaction) db.exec("ROLLBACK");
    throw error;
  } finally {
    db.pragma("foreign_keys = ON");
  }
}

function dueIn(db: Database, file: string, folder: string): SchemaState {
  const state = schemaState(db, folder);
  if (state.prerelease) throw new IncompatibleDatabase(prereleaseMessage(file));
  if (state.unknown === 0) return state;
  throw new IncompatibleDatabase(
    `The database ${file} was written by a newer version of Rostrum. Start that version, or restore a backup from ` +
      "before the upgrade.",
  );
}

async function copyBefore(
  pending: readonly Migration[],
  file: string,
  now: number,
  onUpgrade: (upgrade: Upgrade) => void,
): Promise<string> {
  const stamp = new Date(now).toISOString().replaceAll(":", "");
  const backups = join(dirname(file), "backups");
  const copy = join(backups, `before-${pending[0]?.name}-${stamp}.db`);
  const bytes = sizeOf(file);
  mkdirSync(backups, { recursive: true, mode: 0o700 });
  // No other process upgrades now: what an interrupted upgrade left behind can go.
  for (const name of copiesIn(backups, ".partial")) rmSync(join(backups, name));
  requireSpace(backups, bytes, `the copy of ${file} that is made before its schema is upgraded`);
  onUpgrade({
    migrations: pending.map(({ name }) => name),
    copy,
    bytes,
    expectedSeconds: Math.ceil(bytes / BYTES_A_SECOND),
  });
  await copyDatabase(file, copy);
  return copy;
}

/** Copies from before upgrades: no file from another source. */
function copiesIn(backups: string, ending: string): string[] {
  return readdirSync(backups).filter((name) => /^before-\d{4}_\w+-\d{4}-.*\.db/.test(name) && name.endsWith(ending));
}

function deleteOldCopies(backups: string): void {
  const written = (name: string) => statSync(join(backups, name)).mtimeMs;
  const copies = copiesIn(backups, ".db").sort((a, b) => written(b) - written(a));
  for (const name of copies.slice(KEPT_COPIES)) rmSync(join(backups, name));
}

function applyAll(db: Database, pending: readonly Migration[]): void {
  db.exec(`CREATE TABLE IF NOT EXISTS __drizzle_migrations (
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT`);
  const applied = db.prepare("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)");
  for (const { sql, hash, folderMillis } of pending) {
    for (const statement of sql) db.exec(statement);
    applied.run(hash, folderMillis);
  }
  const broken = db.pragma("foreign_key_check") as { table: string }[];
  if (broken[0] !== undefined) throw new Error(`A migration left rows of ${broken[0].table} that refer to nothing.`);
}
