import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { iso } from "../../lib/time.ts";
import { SEALED_BY } from "../sql/data-keys.ts";
import { copyDatabase, faultsOf, MaintenanceRefused } from "./copy.ts";
import { prereleaseMessage, type SchemaState, schemaState } from "./migrate.ts";

export interface Inspection extends SchemaState {
  /** SQLite's own verdict; empty where it found nothing wrong. */
  faults: string[];
  /** When the newest row was written; ahead of the clock where the clock went back. */
  newest: number | null;
  /** The ids of the data keys that sealed secrets in it. */
  sealedBy: string[];
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
    const faults = faultsOf(db, check === "full" ? "integrity_check" : "quick_check");
    const state = schemaState(db);
    const readable = state.initialized && !state.prerelease && faults.length === 0;
    const current = readable && state.pending.length === 0 && state.unknown === 0;
    return {
      ...state,
      faults,
      newest: readable ? newestRow(db) : null,
      sealedBy: current ? db.prepare<[], string>(SEALED_BY).pluck().all() : [],
    };
  } finally {
    db.close();
  }
}

/** Every write leaves a row in the operation log; an import may have made its contacts at another time. */
function newestRow(db: Database.Database): number | null {
  return (
    db
      .prepare<[], number | null>(
        `SELECT max(at) FROM (SELECT * FROM (SELECT created_at AS at FROM contacts ORDER BY seq DESC LIMIT 1)
         UNION ALL SELECT * FROM (SELECT at FROM operation_log ORDER BY id DESC LIMIT 1))`,
      )
      .pluck()
      .get() ?? null
  );
}

/**
 * Copies a live database to a new file, which holds all that was committed when it began.
 *
 * @throws MaintenanceRefused
 */
export async function backUp(file: string, target: string): Promise<void> {
  await copyDatabase(file, target, (copy) => refusePrerelease(schemaState(copy), file));
}

/**
 * Puts a checked backup where there is no database yet, with the outreach of every workspace paused: it has no message,
 * reply, opt-out or withdrawal since it was made, so the engine would send again, and to whoever opted out.
 *
 * @param by the operating system's user, for the audit
 * @returns the ids of the workspaces whose outreach is paused
 * @throws MaintenanceRefused
 */
export async function restore(backup: string, file: string, by: string, now: number): Promise<string[]> {
  // A -wal that stayed behind would be replayed over the restored file.
  const there = ["", "-wal", "-shm", "-journal"].map((suffix) => file + suffix).filter((path) => existsSync(path));
  if (there.length > 0) {
    throw new MaintenanceRefused(
      `${there.join(" and ")} would be overwritten. Stop the server, move what is there away, then restore.`,
    );
  }
  if (!existsSync(backup)) throw new MaintenanceRefused(`There is no file ${backup}.`);
  let paused: string[] = [];
  await copyDatabase(backup, file, (copy) => {
    const state = schemaState(copy);
    refusePrerelease(state, backup);
    if (!state.initialized) throw new MaintenanceRefused(`${backup} is not a backup of Rostrum.`);
    if (state.unknown > 0) {
      throw new MaintenanceRefused(`${backup} was written by a newer Rostrum; restore it with that version.`);
    }
    paused = pauseAll(copy, by, now);
  });
  return paused;
}

/** Pauses as pause_outreach does, with its audit row. */
function pauseAll(copy: Database.Database, by: string, now: number): string[] {
  const newest = newestRow(copy);
  const since = newest === null ? "" : ` of ${iso(newest)}`;
  const reason = `Restored from a backup${since}. What was sent, answered or opted out since is missing here: check it first.`;
  const pause = copy.prepare<[number, string], string>(
    "UPDATE workspaces SET paused_at = ?, pause_reason = ? WHERE paused_at IS NULL RETURNING id",
  );
  const audit = copy.prepare(
    `INSERT INTO audit_log (workspace_id, at, action, actor_kind, actor_id, record_id, before, after)
     VALUES (@id, @now, 'pause_outreach', 'local_operator', @by, @id, @before, @after)`,
  );
  const before = JSON.stringify({ paused_at: null, pause_reason: null });
  const after = JSON.stringify({ paused_at: iso(now), pause_reason: reason });
  return copy.transaction(() => {
    const ids = pause.pluck().all(now, reason);
    for (const id of ids) audit.run({ id, now, by, before, after });
    return ids;
  })();
}

function refusePrerelease({ prerelease }: SchemaState, file: string): void {
  if (prerelease) throw new MaintenanceRefused(prereleaseMessage(file));
}
