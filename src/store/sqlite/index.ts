import type { Database } from "better-sqlite3";
import { createStore } from "../sql/stores.ts";
import type { Store } from "../store.ts";
import { guardFile, isUnavailable, openReader, openWriter, sqliteDb, startServing } from "./connection.ts";
import { migrateDatabase, schemaVersion } from "./migrate.ts";
import { Writer } from "./writer.ts";

export interface OpenedStore extends Store {
  /** Where an upgrade of the schema wrote its copy of the database as it was before. */
  readonly upgradedFrom: string | undefined;
  /** The version of the schema: its last migration. */
  readonly schema: string;
}

/** What the server learns of its database while it runs. */
export interface StoreEvents {
  /** A commit failed, and so did all jobs in it. */
  onCommitFailed?: (error: unknown, jobs: number) => void;
}

/**
 * Opens the database of a data folder, creates it where there is none, and brings its schema up to date.
 *
 * @throws IncompatibleDatabase where a newer or a pre-release Rostrum has written it
 */
export async function openSqliteStore(
  file: string,
  now: number = Date.now(),
  events: StoreEvents = {},
): Promise<OpenedStore> {
  const writerDb = openWriter(file);
  try {
    const upgradedFrom = await migrateDatabase(writerDb, file, now);
    startServing(writerDb);
    return serve(file, writerDb, upgradedFrom, events);
  } catch (error) {
    writerDb.close();
    throw error;
  }
}

function serve(file: string, writerDb: Database, upgradedFrom: string | undefined, events: StoreEvents): OpenedStore {
  const readerDb = openReader(file);
  const guard = guardFile(file);
  const queue = new Writer(writerDb, { check: guard.checkIdentity, ...events });
  const reader = sqliteDb(readerDb);
  const connections = { reader, writer: sqliteDb(writerDb), run: queue.run.bind(queue) };
  const healthCheck = reader.sql<object>(
    "SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1), (SELECT 1 FROM contacts LIMIT 1)",
  );
  const version = readerDb.prepare<[], number>("PRAGMA data_version").pluck();

  return {
    ...createStore(connections, guard.checkNowAndThen),
    upgradedFrom,
    schema: schemaVersion(),
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
