import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import type { Instance } from "../leases.ts";

const SUFFIX = ".lock";

/**
 * Enlists this process beside a database. Each process holds a lock on a file of its own for as long as it lives; the
 * kernel releases it however the process ends, so a file that can be locked is of a dead process. SQLite takes the
 * locks: they work wherever the database itself does.
 */
export function enlist(databaseFile: string): Instance {
  const folder = folderOf(databaseFile);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let own: { id: string; lock: Database.Database } | undefined;
  while (own === undefined) {
    const id = randomUUID();
    // Undefined where another process saw the new file before it was locked, and removes it.
    const lock = lockFile(join(folder, id + SUFFIX), { create: true });
    if (lock !== undefined) own = { id, lock };
  }
  const { id, lock } = own;
  return {
    id,
    async forgetDead(release) {
      for (const name of readdirSync(folder)) {
        const other = name.slice(0, -SUFFIX.length);
        if (!name.endsWith(SUFFIX) || other === id) continue;
        const file = join(folder, name);
        const dead = lockFile(file, { create: false });
        if (dead === undefined) continue;
        try {
          await release(other);
          rmSync(file, { force: true });
        } finally {
          dead.close();
        }
      }
    },
    // The file stays, so that the next process looks for leases that could not be released.
    close: () => lock.close(),
  };
}

/** Counts the running processes that are enlisted. */
export function countInstances(databaseFile: string): number {
  const folder = folderOf(databaseFile);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(SUFFIX)) : [];
  return names.filter((name) => {
    const dead = lockFile(join(folder, name), { create: false });
    dead?.close();
    return dead === undefined && existsSync(join(folder, name));
  }).length;
}

/** Whether a process with background jobs works on a database, which need not exist. False where that can't be told. */
export function isInUse(databaseFile: string): boolean {
  try {
    return countInstances(databaseFile) > 0;
  } catch {
    return false;
  }
}

const folderOf = (databaseFile: string) => join(dirname(databaseFile), "instances");

/** Undefined where another process holds the lock, or the file is gone. */
function lockFile(file: string, { create }: { create: boolean }): Database.Database | undefined {
  let db: Database.Database | undefined;
  try {
    if (create) closeSync(openSync(file, "wx", 0o600));
    db = new Database(file, { fileMustExist: true, timeout: 0 });
    // Nothing is ever written to it.
    db.pragma("journal_mode = MEMORY");
    db.exec("BEGIN EXCLUSIVE");
    // The process that held it before has removed it.
    if (existsSync(file)) return db;
    db.close();
    return undefined;
  } catch (error) {
    db?.close();
    const { code = "" } = error as { code?: string };
    if (code.startsWith("SQLITE_BUSY") || (code.startsWith("SQLITE_CANTOPEN") && !existsSync(file))) return undefined;
    throw error;
  }
}
