import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../../config.ts";
import { databaseFile } from "../../lib/data-folder.ts";
import { UsageError } from "../../lib/operator-error.ts";
import { backUp, restore } from "../../store/sqlite/maintenance.ts";
import { copyByServer } from "../ask-server.ts";
import { userName } from "../operator.ts";
import { configOf, type DataOptions, printData } from "../terminal.ts";

/** What is in PostgreSQL is backed up by its own tools. */
function requireFile({ databaseUrl }: Config, instead: string): void {
  if (databaseUrl === undefined) return;
  throw new UsageError(`ROSTRUM_DATABASE_URL names a PostgreSQL database. ${instead}; see docs/growth.md.`);
}

export async function backup(file: string, options: DataOptions): Promise<void> {
  const config = configOf(options);
  requireFile(config, "Back it up with pg_dump");
  const { data } = config;
  const database = databaseFile(data);
  if (!existsSync(database)) throw new UsageError(`No database found at ${database}. Set the data folder with --data.`);
  const target = resolve(file);
  await backUp(database, target, (partial) => copyByServer(data, partial));
  const bytes = statSync(target).size;
  printData({ file: target, bytes }, options, () => `Wrote and verified ${target} (${bytes} bytes).`);
}

export async function restoreBackup(file: string, options: DataOptions): Promise<void> {
  const config = configOf(options);
  requireFile(config, "Restore it with pg_restore");
  const database = databaseFile(config.data);
  const paused = await restore(resolve(file), database, userName(), Date.now());
  printData({ file: resolve(database), paused_workspaces: paused }, options, () => {
    const start = "Start the server with the same data.key or ROSTRUM_DATA_KEY as before.";
    return paused.length === 0
      ? `Restored to ${database}. ${start}`
      : `Restored to ${database}, with outreach paused. ${start} Messages, replies and opt-outs after the ` +
          "backup are missing. Check what is missing, then resume outreach in the console.";
  });
}
