import type { Database } from "better-sqlite3";
import type { Instance } from "../leases.ts";
import { createStore } from "../sql/stores.ts";
import type { Store } from "../store.ts";
import { guardFile, isUnavailable, openReader, openWriter, sqliteDb, startServing } from "./connection.ts";
import { enlist } from "./instance.ts";
import { migrateDatabase } from "./migrate.ts";
import { Writer } from "./writer.ts";

export interface OpenedStore extends Store {
  /** Where an upgrade of the schema wrote its copy of the database as it was before. */
  readonly upgradedFrom: string | undefined;
  /** Enlists this process among those that do background work on the database. */
  enlist(): Instance;
}

/**
 * Opens the database of a data folder, creates it where there is none, and brings its schema up to date.
 *
 * @throws IncompatibleDatabase where a newer or a pre-release Rostrum has written it
 */
export async function openSqliteStore(file: string, now: number = Date.now()): Promise<OpenedStore> {
  const writerDb = openWriter(file);
  try {
    const upgradedFrom = await migrateDatabase(writerDb, file, now);
    startServing(writerDb);
    return serve(file, writerDb, upgradedFrom);
  } catch (error) {
    writerDb.close();
    throw error;
  }
}

function serve(file: string, writerDb: Database, upgradedFrom: string | undefined): OpenedStore {
  const readerDb = openReader(file);
  const guard = guardFile(file);
  const queue = new Writer(writerDb, { check: guard.checkIdentity });
  const reader = sqliteDb(readerDb);
  const connections = { reader, writer: sqliteDb(writerDb), run: queue.run.bind(queue) };
  const healthCheck = reader.sql<object>(
    "SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1), (SELECT 1 FROM contacts LIMIT 1)",
  );
  const version = readerDb.prepare<[], number>("PRAGMA data_version").pluck();

  return {
    ...createStore(connections, guard.checkNowAndThen),
    upgradedFrom,
    enlist: () => enlist(file),
    version: () => version.get() as number,
    isUnavailable,
    get queueDepth() {
      return queue.depth;
    },
    ping: async () => {
      guard.checkReadable();
      await healthCheck.get({});
    },
    close: async () => {
      await queue.idle();
      readerDb.close();
      try {
        if (writerDb.open) writerDb.pragma("wal_checkpoint(TRUNCATE)");
      } catch {
        // All that was acknowledged is in the -wal, and the next start reads it there.
      } finally {
        writerDb.close();
      }
    },
  };
}
