import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { isServed } from "../../http/command-socket.ts";
import { databaseFile } from "../../lib/data-folder.ts";
import { OperatorError, UsageError } from "../../lib/operator-error.ts";
import { fileIn, recordBackup, removeOld } from "../../store/sqlite/backups.ts";
import { isInUse } from "../../store/sqlite/instance.ts";
import { backUp, restore } from "../../store/sqlite/maintenance.ts";
import { copyByServer } from "../ask-server.ts";
import { userName } from "../operator.ts";
import { configOf, type DataOptions, printData } from "../terminal.ts";

/** What is in PostgreSQL is backed up by its own tools. */
function requireFile({ databaseUrl }: Config, instead: string): void {
  if (databaseUrl === undefined) return;
  throw new UsageError(`ROSTRUM_DATABASE_URL points to a PostgreSQL database. ${instead}. See docs/growth.md.`);
}

export interface BackupOptions extends DataOptions {
  keep?: string;
}

/** `rostrum backup`: to a new file, or with --keep to a new file in a folder, which then keeps the newest ones. */
export async function backup(path: string, options: BackupOptions): Promise<void> {
  const keep = options.keep === undefined ? undefined : keptOf(options.keep);
  const config = configOf(options);
  requireFile(config, "Back it up with pg_dump");
  const { data } = config;
  const database = databaseFile(data);
  if (!existsSync(database)) throw new UsageError(`No database found at ${database}. Set the data folder with --data.`);
  const target = keep === undefined ? resolve(path) : fileIn(resolve(path), Date.now());
  await backUp(database, target, (partial) => copyByServer(data, partial));
  const { size: bytes } = statSync(target);
  recordBackup(database, { at: Date.now(), file: target, bytes });
  const removed = keep === undefined ? [] : removeOld(dirname(target), keep);
  const made = keep === undefined ? { file: target, bytes } : { file: target, bytes, removed };
  printData(made, options, () => {
    const wrote = `Wrote and verified ${target} (${bytes} bytes).`;
    return removed.length === 0 ? wrote : `${wrote} Removed ${removed.join(", ")}.`;
  });
}

/** @throws UsageError */
function keptOf(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError(`--keep must be a number from 1 to 9999, not ${JSON.stringify(text)}.`);
}

export async function restoreBackup(file: string, options: DataOptions): Promise<void> {
  const config = configOf(options);
  requireFile(config, "Restore it with pg_restore");
  const database = databaseFile(config.data);
  // An existing database is refused below, with more words.
  if (!existsSync(database) && ((await isServed(config.data)) || isInUse(database))) {
    throw new OperatorError(`A server is running on ${config.data}. Stop it, then restore.`);
  }
  const paused = await restore(resolve(file), database, userName(), Date.now());
  printData({ file: resolve(database), paused_workspaces: paused }, options, () => {
    const start = "Start the server with the same data.key or ROSTRUM_DATA_KEY as before.";
    return (
      `Restored to ${database}, with outreach paused. ${start} Messages, replies and opt-outs since the ` +
      "backup are missing. Look for them in the sender's mailbox and the mail server's log before you resume outreach in " +
      "the console."
    );
  });
}
