import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { DatabaseGone } from "./open.ts";

/** How long a look at the file holds good for reads; a write always looks. */
const LOOK_EVERY_MS = 250;

export interface Presence {
  /** @throws DatabaseGone, or SQLite's own error, where the file on disk cannot be served any more */
  check(): void;
  /** The same, at most four times a second. */
  glance(): void;
}

/**
 * Whether the database on disk is still the one that is open. SQLite does not look: when the file is moved, deleted,
 * restored over or damaged under a running server, it goes on with its handles and its cache, and what it
 * acknowledges then is lost. The file is only looked at by name: opening it beside SQLite would drop SQLite's locks.
 */
export function watchPresence(file: string): Presence {
  const wal = `${file}-wal`;
  const opened = { file: identity(file), wal: identity(wal) };
  let sound = stamp(file);
  let looked = performance.now();

  function check(): void {
    if (identity(file) !== opened.file || identity(wal) !== opened.wal) {
      throw new DatabaseGone(`${file} is not the database any more that this process has opened.`);
    }
    const now = stamp(file);
    if (now !== sound) {
      // A checkpoint, as a rule: the one thing that changes the file in WAL mode.
      readAfresh(file);
      sound = now;
    }
  }

  return {
    check,
    glance() {
      const now = performance.now();
      if (now - looked < LOOK_EVERY_MS) return;
      check();
      looked = now;
    },
  };
}

function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

function stamp(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.size}:${stat.mtimeMs}`;
}

/** Reads what a call needs first with an empty cache, so that it comes from the disk. */
function readAfresh(file: string): void {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    db.prepare("SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1)").get();
  } finally {
    db.close();
  }
}
