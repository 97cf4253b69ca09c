import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { diskFault } from "../../lib/disk-fault.ts";
import { DAY_MS, iso } from "../../lib/time.ts";
import { LAST_BACKUP, RECORD_SETTING } from "../sql/server-settings.ts";
import type { LastBackup } from "../store.ts";

/** The path of a new backup. Names sort by time. Colons are not allowed in file names everywhere. */
export function fileIn(folder: string, now: number): string {
  return join(folder, `rostrum-${iso(now).replaceAll(":", "-")}.db`);
}

const NAME = /^rostrum-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/;

/** Written by a process that was killed, if it is a day old. */
const PARTIAL = /^rostrum-[\dT.Z-]+\.db\.\d+\.partial$/;

/**
 * Removes all but the newest backups of a folder, and halves of backups that were left behind. Other files stay.
 *
 * @returns the names of the backups that were removed
 */
export function removeOld(folder: string, keep: number): string[] {
  const all = readdirSync(folder);
  for (const name of all.filter((one) => PARTIAL.test(one))) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > DAY_MS) rmSync(file);
  }
  const names = all.filter((name) => NAME.test(name));
  const old = names.toSorted().slice(0, -keep);
  for (const name of old) rmSync(join(folder, name));
  return old;
}

const RECORD_WAIT_MS = 5_000;

/** Records a backup in the database that was copied. A disk that can't be written doesn't undo the backup. */
export function recordBackup(file: string, backup: LastBackup): void {
  try {
    const db = new Database(file, { fileMustExist: true, timeout: RECORD_WAIT_MS });
    try {
      db.prepare(RECORD_SETTING).run({ name: LAST_BACKUP, value: JSON.stringify(backup), now: backup.at });
    } finally {
      db.close();
    }
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (diskFault(error, file) === undefined && !code.startsWith("SQLITE_")) throw error;
  }
}
