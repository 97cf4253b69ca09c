import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { DatabaseGone } from "./open.ts";

/** How long a look at the file holds good for reads. */
const LOOK_EVERY_MS = 250;

/** Each throws DatabaseGone, or SQLite's own error, where the file on disk cannot be served any more. */
export interface Presence {
  /** Whether the file is still the same: what every batch of writes asks. */
  same(): void;
  /** Whether it can be read from the disk, too. */
  sound(): void;
  /** The same, at most four times a second: what every call asks. */
  glance(): void;
}

/**
 * Whether the database on disk is still the one that is open. SQLite does not look: when the file is moved, deleted,
 * restored over or damaged under a running server, it goes on with its handles and its cache, and what it
 * acknowledges then is lost. The file is only looked at by name: opening it beside SQLite would drop SQLite's locks.
 */
export function watchPresence(file: string): Presence {
  const wal = `${file}-wal`;
  const opened = [identity(file), identity(wal)].join();
  let read = stamp(file);
  let looked = performance.now();

  function same(): void {
    if ([identity(file), identity(wal)].join() !== opened) {
      throw new DatabaseGone(`${file} is not the database any more that this process has opened.`);
    }
  }

  function sound(): void {
    same();
    const now = stamp(file);
    if (now === read) return;
    // A checkpoint, as a rule: the one thing that changes the file in WAL mode.
    readAfresh(file);
    read = now;
  }

  return {
    same,
    sound,
    glance() {
      const now = performance.now();
      if (now - looked < LOOK_EVERY_MS) return;
      sound();
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
