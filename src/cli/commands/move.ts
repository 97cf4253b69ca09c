import { existsSync, rmSync, writeFileSync } from "node:fs";
import cliProgress from "cli-progress";
import { databaseFile, movedNote } from "../../lib/data-folder.ts";
import { shownUrl } from "../../lib/database-url.ts";
import { UsageError } from "../../lib/operator-error.ts";
import type { Moved, MoveProgress } from "../database-move.ts";
import { configOf, type DataOptions, printData, REFUSED } from "../terminal.ts";

export interface MoveOptions extends DataOptions {
  to: string;
}

/** `rostrum move`: copies the database of the data folder to PostgreSQL, or the other way round. */
export async function moveDatabase(options: MoveOptions): Promise<void> {
  const { data, databaseUrl } = configOf(options);
  const file = databaseFile(data);
  const { moveToPostgres, moveToSqlite } = await import("../database-move.ts");
  const bar = new cliProgress.SingleBar({
    format: "{table} [{bar}] {value} of {total} rows",
    hideCursor: true,
    noTTYOutput: false,
    clearOnComplete: true,
  });
  let table: string | undefined;
  const onProgress = (progress: MoveProgress) => {
    if (progress.table !== table) {
      if (table !== undefined) bar.stop();
      table = progress.table;
      bar.start(progress.rows, 0, { table });
    }
    bar.update(progress.done);
  };
  const target = targetOf(options.to, databaseUrl);
  let moved: Moved;
  let next: string;
  try {
    if (target !== undefined) {
      if (!existsSync(file)) throw new UsageError(`There is no database at ${file}. Name its folder with --data.`);
      moved = await moveToPostgres(file, target, onProgress);
      next =
        "Start the server with ROSTRUM_DATABASE_URL set to it, and with the data.key or ROSTRUM_DATA_KEY that it had.";
    } else if (options.to === "sqlite") {
      if (databaseUrl === undefined) throw new UsageError("Name the database to move from in ROSTRUM_DATABASE_URL.");
      moved = await moveToSqlite(databaseUrl, file, onProgress);
      next = "Start the server without ROSTRUM_DATABASE_URL, and with the data.key or ROSTRUM_DATA_KEY that it had.";
    } else {
      throw new UsageError("--to takes postgres, postgres://user:password@host:port/database, or sqlite.");
    }
    if (target === undefined) rmSync(movedNote(data), { force: true });
    else if (!moved.changedMeanwhile) writeFileSync(movedNote(data), `${shownUrl(target)}\n`);
  } finally {
    bar.stop();
  }
  const rows = moved.tables.reduce((sum, one) => sum + one.rows, 0);
  if (moved.changedMeanwhile) process.exitCode = REFUSED;
  printData({ ...moved, rows }, options, () =>
    moved.changedMeanwhile
      ? `Copied ${rows} rows, but a server still runs on the database or wrote meanwhile. Stop it, and run the same command again: it copies only the tables that changed.`
      : `Moved ${rows} rows of ${moved.tables.length} tables. Counts and checksums are the same. ${next}`,
  );
}

/** The URL to move to; undefined where it is no PostgreSQL database. @throws UsageError */
function targetOf(to: string, databaseUrl: string | undefined): string | undefined {
  if (to !== "postgres") return /^postgres(?:ql)?:\/\//.test(to) ? to : undefined;
  if (databaseUrl !== undefined) return databaseUrl;
  throw new UsageError(
    "--to postgres needs ROSTRUM_DATABASE_URL or ROSTRUM_DATABASE_URL_FILE, the database to move to.",
  );
}
