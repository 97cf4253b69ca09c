import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";

/** How long a connection waits for another process's lock before it gives the event loop back. */
const BUSY_MS = 50;

/**
 * The one connection that writes. WAL lets readers go on; FULL makes an acknowledged write survive a power cut.
 * The folder is made with mode 700 and the file with 600: it holds people's addresses.
 */
export function openWriter(file: string): Database.Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
  const db = new Database(file, { timeout: BUSY_MS });
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
  db.pragma("wal_autocheckpoint = 4000");
  db.pragma("cache_size = -32000");
  db.pragma("temp_store = MEMORY");
  return db;
}

/** A connection that only reads, and sees what is committed. */
export function openReader(file: string): Database.Database {
  const db = new Database(file, { readonly: true, timeout: 1000 });
  db.pragma("cache_size = -32000");
  db.pragma("temp_store = MEMORY");
  return db;
}

/**
 * Whether an error means that the database cannot be reached or is not provisioned: a file gone or damaged, a disk
 * full, a lock that does not end, a table missing, a connection closed.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError) return error.message === "The database connection is not open";
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string" || !code.startsWith("SQLITE_")) return false;
  if (code === "SQLITE_ERROR") return error.message.startsWith("no such table");
  return /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|CORRUPT|NOTADB|FULL|READONLY|PERM|AUTH|PROTOCOL|NOMEM)/.test(code);
}
