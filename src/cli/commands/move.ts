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
      if (!existsSync(file)) throw new UsageError(`No database found at ${file}. Set the data folder with --data.`);
      moved = await moveToPostgres(file, target, onProgress);
      next =
        "Start the server with ROSTRUM_DATABASE_URL set to the new database, and with the same data.key or ROSTRUM_DATA_KEY as before.";
    } else if (options.to === "sqlite") {
      if (databaseUrl === undefined) throw new UsageError("Set ROSTRUM_DATABASE_URL to the database to move from.");
      moved = await moveToSqlite(databaseUrl, file, onProgress);
      next = "Start the server without ROSTRUM_DATABASE_URL, and with the same data.key or ROSTRUM_DATA_KEY as before.";
    } else {
      throw new UsageError("--to must be postgres, postgres://user:password@host:port/database, or sqlite.");
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
      ? `Copied ${rows} rows, but a server is still running on the database, or wrote to it during the copy. Stop the server, then run the same command again. It copies only the tables that changed.`
      : `Moved ${rows} rows in ${moved.tables.length} tables. Counts and checksums match. ${next}`,
  );
}

/** The URL to move to; undefined where it is no PostgreSQL database. @throws UsageError */
function targetOf(to: string, databaseUrl: string | undefined): string | undefined {
  if (to !== "postgres") return /^postgres(?:ql)?:\/\//.test(to) ? to : undefined;
  if (databaseUrl !== undefined) return databaseUrl;
  throw new UsageError(
    "--to postgres moves to the database at ROSTRUM_DATABASE_URL. Set it, or ROSTRUM_DATABASE_URL_FILE.",
  );
}
