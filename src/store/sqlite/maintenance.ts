import { existsSync, rmSync, statSync, truncateSync } from "node:fs";
import { basename } from "node:path";
import Database from "better-sqlite3";
import type { MailDelivery } from "../../domain/outreach/sending.ts";
import { iso } from "../../lib/time.ts";
import { sealedBy } from "../sql/data-keys.ts";
import { CLOCK_JUMP, EMAILING, NEWEST_ROW, RETENTION_AT, SEALED_MAIL } from "../sql/server-settings.ts";
import type { ClockJump } from "../store.ts";
import { emptyWal } from "./connection.ts";
import { copyDatabase, copySnapshot, faultsOf, MaintenanceRefused } from "./copy.ts";
import { SQLITE } from "./dialect.ts";
import { prereleaseMessage, type SchemaState, schemaState } from "./migrate.ts";

export interface Inspection extends SchemaState {
  /** SQLite's own verdict; empty where it found nothing wrong. */
  faults: string[];
  /** When the newest row was written; ahead of the clock where the clock went back. */
  newest: number | null;
  /** By when retention counts, and the last jump of the clock. */
  retentionAt: number | null;
  clockJump: ClockJump | null;
  /** The ids of the data keys that sealed secrets in it. */
  sealedBy: string[];
  /** The mail settings that were made in the console, sealed. */
  mailSettings: string | null;
  /** Active sequences with emails, by where these go. */
  emailing: Partial<Record<MailDelivery, number>>;
}

/**
 * Looks at a database file without changing it. The full check reads every page and index; the quick one finds a file
 * that was cut off, and tables whose first or last page can't be read.
 *
 * @throws where the file is no database
 */
export function inspectDatabase(file: string, check: "full" | "quick"): Inspection {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const faults = check === "full" ? faultsOf(db) : glance(db);
    const state = schemaState(db);
    const readable = state.initialized && !state.prerelease && faults.length === 0;
    const current = readable && state.pending.length === 0 && state.unknown === 0;
    return {
      ...state,
      faults,
      newest: readable ? firstValue<number>(db, NEWEST_ROW) : null,
      retentionAt: current ? firstValue<number>(db, RETENTION_AT) : null,
      clockJump: current ? (JSON.parse(firstValue<string>(db, CLOCK_JUMP) ?? "null") as ClockJump | null) : null,
      mailSettings: current ? firstValue<string>(db, SEALED_MAIL) : null,
      emailing: current ? Object.fromEntries(db.prepare<[], [MailDelivery, number]>(EMAILING).raw().all()) : {},
      sealedBy: current ? db.prepare<[], string>(sealedBy(SQLITE)).pluck().all() : [],
    };
  } finally {
    db.close();
  }
}

function firstValue<T>(db: Database.Database, sql: string): T | null {
  return db.prepare<[], T | null>(sql).pluck().get() ?? null;
}

/** What shows without reading it all. SQLite itself refuses a file that was cut off. */
function glance(db: Database.Database): string[] {
  const tables = db
    .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .pluck()
    .all();
  for (const table of tables) {
    for (const order of ["ASC", "DESC"]) db.prepare(`SELECT * FROM "${table}" ORDER BY rowid ${order} LIMIT 1`).get();
  }
  return [];
}

/** Has the running server copy its pages to an empty file; false where none does it. */
export type AskServer = (partial: string) => Promise<boolean>;

/**
 * Copies a live database to a new file, which holds all that was committed when it began. The server does it if one
 * runs, see `copyLive`: else one snapshot is copied, and the -wal, which has grown, is emptied.
 *
 * @throws MaintenanceRefused
 * @throws DiskFault
 */
export async function backUp(
  file: string,
  target: string,
  askServer: AskServer = async () => false,
  signal?: AbortSignal,
): Promise<void> {
  await copyDatabase(file, target, {
    signal,
    accept: (copy) => refusePrerelease(schemaState(copy), file),
    async copyPages(source, partial) {
      if (await askServer(partial)) return;
      rmSync(`${partial}-journal`, { force: true });
      truncateSync(partial);
      await copySnapshot(source, partial);
      shrinkWal(file);
    },
  });
}

/** How long writers may wait while the -wal is emptied. */
const SHRINK_WAIT_MS = 1_000;

/** Empties the -wal that a long read has let grow. One that can't be emptied now is emptied by later writes. */
export function shrinkWal(file: string): void {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  try {
    const db = new Database(file, { fileMustExist: true });
    try {
      emptyWal(db, SHRINK_WAIT_MS);
    } finally {
      db.close();
    }
  } catch {
    // A disk that can't be written: what was read is whole all the same.
  }
}

/** "A, B and C": without a comma before the last. */
const LIST = new Intl.ListFormat("en-GB");

/**
 * Puts a checked backup where there is no database yet, with the outreach of every workspace paused: it has no message,
 * reply, opt-out or withdrawal since it was made, so the engine would send again, even to contacts who opted out.
 *
 * @param by the operating system's user, for the audit
 * @returns the ids of the workspaces, whose outreach is all paused
 * @throws MaintenanceRefused
 */
export async function restore(backup: string, file: string, by: string, now: number): Promise<string[]> {
  // A -wal that stayed behind would be replayed over the restored file.
  const there = ["", "-wal", "-shm", "-journal"].map((suffix) => file + suffix).filter((path) => existsSync(path));
  if (there.length > 0) {
    throw new MaintenanceRefused(
      `${LIST.format(there)} would be overwritten. Stop the server, move the existing files to another folder, then restore.`,
    );
  }
  if (!existsSync(backup)) throw new MaintenanceRefused(`${backup} does not exist. Check the path.`);
  let paused: string[] = [];
  await copyDatabase(backup, file, {
    accept(copy) {
      const state = schemaState(copy);
      refusePrerelease(state, backup);
      if (!state.initialized) throw new MaintenanceRefused(`${backup} is not a Rostrum backup.`);
      if (state.unknown > 0) {
        throw new MaintenanceRefused(
          `${backup} was written by a newer version of Rostrum. Restore it with that version.`,
        );
      }
      // The key of the old folder isn't needed if nothing is encrypted with it.
      if (state.pending.length === 0 && copy.prepare(sealedBy(SQLITE)).get() === undefined) {
        copy.exec("DELETE FROM data_keys");
      }
      paused = pauseAll(copy, basename(backup), by, now);
    },
  });
  return paused;
}

/** What is kept of an earlier reason, which may be of an earlier restore. */
const MAX_EARLIER_CHARACTERS = 1_000;

/** Pauses as pause_outreach does, with its audit row. A workspace that was paused keeps its time and its reason too. */
function pauseAll(copy: Database.Database, name: string, by: string, now: number): string[] {
  const newest = firstValue<number>(copy, NEWEST_ROW);
  const since = newest === null ? "" : ` Its last change was at ${iso(newest)}.`;
  const restored = `Restored from ${name}.${since} Messages, replies and opt-outs since the backup are missing. Look for them in the sender's mailbox and the mail server's log before you resume outreach.`;
  const workspaces = copy.prepare<[], { id: string; pausedAt: number | null; earlier: string | null }>(
    "SELECT id, paused_at AS pausedAt, pause_reason AS earlier FROM workspaces ORDER BY id",
  );
  const pause = copy.prepare("UPDATE workspaces SET paused_at = @pausedAt, pause_reason = @reason WHERE id = @id");
  const audit = copy.prepare(
    `INSERT INTO audit_log (workspace_id, at, action, actor_kind, actor_id, record_id, before, after)
     VALUES (@id, @now, 'pause_outreach', 'local_operator', @by, @id, @before, @after)`,
  );
  const state = (at: number | null, reason: string | null) =>
    JSON.stringify({ paused_at: at === null ? null : iso(at), pause_reason: reason });
  return copy.transaction(() =>
    workspaces.all().map(({ id, pausedAt, earlier }) => {
      const reason =
        earlier === null ? restored : `${restored} Earlier reason: ${earlier.slice(0, MAX_EARLIER_CHARACTERS)}`;
      const at = pausedAt ?? now;
      pause.run({ id, pausedAt: at, reason });
      audit.run({ id, now, by, before: state(pausedAt, earlier), after: state(at, reason) });
      return id;
    }),
  )();
}

function refusePrerelease({ prerelease }: SchemaState, file: string): void {
  if (prerelease) throw new MaintenanceRefused(prereleaseMessage(file));
}
