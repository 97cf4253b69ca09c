import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { DatabaseGone } from "./open.ts";

/** How long a check of the file is good for reads. */
const CHECK_EVERY_MS = 250;

/** Each check throws DatabaseGone, or SQLite's own error, where the file on disk cannot be served any more. */
export interface FileGuard {
  /** Whether the file is still the same. Every batch of writes asks this. */
  checkIdentity(): void;
  /** Whether it can be read from the disk, too. */
  checkReadable(): void;
  /** The same, at most four times a second. Every call asks this. */
  checkNowAndThen(): void;
}

/**
 * Checks that the database on disk is still the open one. SQLite does not: when the file is moved, deleted, restored
 * over or damaged under a running server, it continues with its handles and its cache, and loses what it acknowledges
 * then. The file is checked by name alone, because opening it a second time would drop SQLite's locks.
 */
export function guardFile(file: string): FileGuard {
  const wal = `${file}-wal`;
  const opened = [identity(file), identity(wal)].join();
  let readStamp = stamp(file);
  let checkedAt = performance.now();

  function checkIdentity(): void {
    if ([identity(file), identity(wal)].join() !== opened) {
      throw new DatabaseGone(`${file} is not the database any more that this process has opened.`);
    }
  }

  function checkReadable(): void {
    checkIdentity();
    const now = stamp(file);
    if (now === readStamp) return;
    // A checkpoint, as a rule: the one thing that changes the file in WAL mode.
    readUncached(file);
    readStamp = now;
  }

  return {
    checkIdentity,
    checkReadable,
    checkNowAndThen() {
      const now = performance.now();
      if (now - checkedAt < CHECK_EVERY_MS) return;
      checkReadable();
      checkedAt = now;
    },
  };
}

/** Which file a path names. */
function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Changes whenever the file does. */
function stamp(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.size}:${stat.mtimeMs}`;
}

/** Reads what a call needs first with an empty cache, so that it comes from the disk. */
function readUncached(file: string): void {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    db.prepare("SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1)").get();
  } finally {
    db.close();
  }
}
