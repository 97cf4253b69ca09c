import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { OperatorError } from "../../lib/operator-error.ts";

/** A backup or restore that cannot be done. Its message is for the person at the command line. */
export class MaintenanceRefused extends OperatorError {}

/** SQLite's own verdict; empty where it found nothing wrong. */
export function faultsOf(db: Database.Database, check: "integrity_check" | "quick_check"): string[] {
  const rows = db.pragma(check) as Record<string, string>[];
  return rows.map((row) => Object.values(row)[0] ?? "").filter((verdict) => verdict !== "ok");
}

/**
 * Copies a database, even a live one, to a new file that needs no -wal. The copy is checked page by page, passed to
 * `accept`, and only then given its name.
 *
 * @throws MaintenanceRefused where the target exists or the source is no sound database
 */
export async function copyDatabase(
  source: string,
  target: string,
  accept: (copy: Database.Database) => void = () => undefined,
): Promise<void> {
  refuseExisting(target);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const partial = `${target}.${process.pid}.partial`;
  try {
    closeSync(openSync(partial, "w", 0o600));
    await copyPages(source, partial);
    checkCopy(partial, source, accept);
    sync(partial);
    refuseExisting(target);
    renameSync(partial, target);
    sync(dirname(target));
  } catch (error) {
    const code = (error as { code?: string }).code ?? "";
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(code)) throw error;
    throw new MaintenanceRefused(`${source} is damaged or no database: ${(error as Error).message}.`);
  } finally {
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(partial + suffix, { force: true });
  }
}

function refuseExisting(target: string): void {
  if (existsSync(target)) throw new MaintenanceRefused(`${target} exists; name a new file, or move that one away.`);
}

async function copyPages(source: string, partial: string): Promise<void> {
  const db = new Database(source, { readonly: true, fileMustExist: true });
  try {
    // One snapshot: without it each write of another process would restart the copy.
    db.exec("BEGIN");
    db.prepare("SELECT 1 FROM sqlite_schema").get();
    await db.backup(partial);
  } finally {
    db.close();
  }
}

function checkCopy(partial: string, source: string, accept: (copy: Database.Database) => void): void {
  const db = new Database(partial);
  try {
    db.pragma("journal_mode = DELETE");
    const [fault] = faultsOf(db, "integrity_check");
    if (fault !== undefined) throw new MaintenanceRefused(`${source} is damaged: ${fault}`);
    accept(db);
  } finally {
    db.close();
  }
}

function sync(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
