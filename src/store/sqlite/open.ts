import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";

/** How long a connection waits for another process's lock while it opens and while the schema changes. */
const OPENING_BUSY_MS = 10_000;
/** The same once it serves: SQLite waits inside the call, so a longer wait would hold up every request. */
const SERVING_BUSY_MS = 2;
const READING_BUSY_MS = 1_000;

/**
 * The one connection that writes. WAL lets readers go on; FULL makes an acknowledged write survive a power cut.
 * The folder is made with mode 700 and the file with 600: it holds people's addresses.
 */
export function openWriter(file: string): Database.Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  makePrivate(file);
  const db = new Database(file, { timeout: OPENING_BUSY_MS });
  try {
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    db.pragma("wal_autocheckpoint = 4000");
    db.pragma("cache_size = -8000");
    db.pragma("temp_store = MEMORY");
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** From here on the writer's queue waits for locks, and the event loop continues. */
export function startServing(db: Database.Database): void {
  db.pragma(`busy_timeout = ${SERVING_BUSY_MS}`);
}

/**
 * Makes the file where there is none. One that exists is not opened: closing a second handle would drop the locks
 * that this process holds on it.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    chmodSync(file, 0o600);
  }
}

/** A connection that only reads, and sees what is committed. */
export function openReader(file: string): Database.Database {
  const db = new Database(file, { readonly: true, timeout: READING_BUSY_MS });
  db.pragma("cache_size = -8000");
  db.pragma("temp_store = MEMORY");
  return db;
}

/** The database on disk is no longer the one that was opened. */
export class DatabaseGone extends Error {}

/**
 * Whether an error means that the database cannot be reached or is not provisioned: a file gone or damaged, a disk
 * full, a lock that does not end, a table missing, a connection closed.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseGone) return true;
  if (error instanceof TypeError) return error.message === "The database connection is not open";
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string" || !code.startsWith("SQLITE_")) return false;
  if (code === "SQLITE_ERROR") return error.message.startsWith("no such table");
  return /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|CORRUPT|NOTADB|FULL|READONLY|PERM|AUTH|PROTOCOL|NOMEM)/.test(code);
}
