import { existsSync } from "node:fs";
import { type Core, openCore } from "../composition/core.ts";
import type { Config } from "../config.ts";
import { commandOn } from "../lib/command-line.ts";
import { databaseFile } from "../lib/data-folder.ts";
import { diskFault } from "../lib/disk-fault.ts";
import type { Log } from "../lib/log.ts";
import { UsageError } from "../lib/operator-error.ts";
import { catalogInUse } from "../services/checklist/catalog-file.ts";
import { configOf, type DataOptions, quietLog } from "./terminal.ts";

/** Runs on the database of an existing data folder, with or without a running server. */
export async function withCore<T>(options: DataOptions, use: (core: Core) => Promise<T>): Promise<T> {
  const config = configOf(options);
  if (!hasDatabase(config)) {
    throw new UsageError(
      `${config.data} has no Rostrum database. Start the server once, or set the data folder with --data.`,
    );
  }
  // A shell seldom has the server's variables, and two catalogs on one database would undo each other's marks.
  const followed = config.checklistCatalog === undefined ? { catalog: catalogInUse(config.data) } : {};
  const log = quietLog();
  const diskFaults = takeDiskFaults(log, databaseFile(config.data));
  const core = await openCore(config, log, followed);
  try {
    return await use(core);
  } finally {
    await core.close();
    // The refusal says only that the database is not available.
    for (const message of diskFaults) process.stderr.write(`${message}\n`);
  }
}

/** Keeps log entries about the disk out of the log. Returns their messages, which name the cause and the next step. */
function takeDiskFaults(log: Log, file: string): ReadonlySet<string> {
  const messages = new Set<string>();
  const write = log.error.bind(log) as (entry: object, message?: string) => void;
  log.error = (entry: object, message?: string) => {
    const fault = "err" in entry && entry.err instanceof Error ? diskFault(entry.err, file) : undefined;
    if (fault === undefined) write(entry, message);
    else messages.add(fault.message);
  };
  return messages;
}

/** Whether there is a database to work on: the one of PostgreSQL is made by its administrator. */
export function hasDatabase({ databaseUrl, data }: Config): boolean {
  return databaseUrl !== undefined || existsSync(databaseFile(data));
}

/** Finds a workspace by id or name; without either, the only one there is. */
export async function findWorkspace(
  core: Core,
  { workspace: given, ...options }: DataOptions & { workspace?: string | undefined },
): Promise<string> {
  const all = await core.store.workspaces();
  const found = given === undefined ? all : all.filter(({ id, name }) => id === given.toLowerCase() || name === given);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only.id;
  if (all.length === 0) {
    const create = commandOn(configOf(options).data, "workspace create NAME");
    throw new UsageError(`There is no workspace yet. Create one with ${create}.`);
  }
  const names = all.map(({ id, name }) => `${name} (${id})`).join(", ");
  throw new UsageError(
    found.length === 0
      ? `Unknown workspace "${given}". Available workspaces: ${names}.`
      : `This server has several workspaces. Choose one with --workspace. Available workspaces: ${names}.`,
  );
}
