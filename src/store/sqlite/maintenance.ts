import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { type SchemaState, schemaState } from "./migrate.ts";

export interface Inspection extends SchemaState {
  /** SQLite's own verdict; empty where it found nothing wrong. */
  faults: string[];
  /** When the newest contact was made; ahead of the clock where the clock went back. */
  newest: number | null;
}

/**
 * Looks at a database file without changing it. The full check reads every page and index; the quick one, for a live
 * database, leaves out the comparison of indexes with their tables.
 *
 * @throws where the file is no database
 */
export function inspectDatabase(file: string, check: "full" | "quick"): Inspection {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const rows = db.pragma(check === "full" ? "integrity_check" : "quick_check") as Record<string, string>[];
    const faults = rows.map((row) => Object.values(row)[0] ?? "").filter((verdict) => verdict !== "ok");
    const state = schemaState(db);
    const newest = state.founded
      ? db.prepare<[], number | null>("SELECT created_at FROM contacts ORDER BY seq DESC LIMIT 1").pluck().get()
      : null;
    return { ...state, faults, newest: newest ?? null };
  } finally {
    db.close();
  }
}

/** A backup or restore that cannot be done. Its message is for the person at the command line. */
export class MaintenanceRefused extends Error {}

/** Copies a live database to a new file, checks the copy page by page, and only then gives it its name. */
export async function backUp(file: string, target: string): Promise<void> {
  if (existsSync(target)) throw new MaintenanceRefused(`${target} exists; name a new file, or move that one away.`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  mkdirSync(dirname(target), { recursive: true });
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    await db.backup(partial);
  } finally {
    db.close();
  }
  chmodSync(partial, 0o600);
  const { faults } = inspectDatabase(partial, "full");
  if (faults.length > 0) throw new MaintenanceRefused(`The copy is damaged and was left at ${partial}: ${faults[0]}`);
  renameSync(partial, target);
}

/** Puts a checked backup where there is no database yet. */
export function restore(backup: string, file: string): void {
  if (existsSync(file)) {
    throw new MaintenanceRefused(
      `${file} exists and would be overwritten. Stop the server, move that file away (with its -wal and -shm), then restore.`,
    );
  }
  if (!existsSync(backup)) throw new MaintenanceRefused(`There is no file ${backup}.`);
  const { faults, founded, unknown } = inspectDatabase(backup, "full");
  if (!founded) throw new MaintenanceRefused(`${backup} is not a backup of Rostrum.`);
  if (faults.length > 0) throw new MaintenanceRefused(`${backup} is damaged: ${faults[0]}`);
  if (unknown > 0)
    throw new MaintenanceRefused(`${backup} was written by a newer Rostrum; restore it with that version.`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.partial`;
  copyFileSync(backup, partial);
  chmodSync(partial, 0o600);
  renameSync(partial, file);
}
