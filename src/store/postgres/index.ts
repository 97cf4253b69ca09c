import { randomUUID } from "node:crypto";
import { OperatorError } from "../../lib/operator-error.ts";
import type { OpenedStore, StoreOptions } from "../engine.ts";
import { createStore } from "../sql/stores.ts";
import { connectionConfig, openPool, PoolExecutor } from "./connect.ts";
import { postgresDb } from "./db.ts";
import { isUnavailable } from "./faults.ts";
import { migrateDatabase, schemaVersion } from "./migrate.ts";
import { PostgresWriter } from "./writer.ts";

/** Connections of one process: for reads, and for writes. */
const READERS = 8;
const WRITERS = 6;

/**
 * Opens a database of PostgreSQL, and brings its schema up to date.
 *
 * @throws BadDatabaseUrl
 * @throws IncompatibleDatabase where it belongs to another program, or a newer Rostrum has written it
 */
export async function openPostgresStore(url: string, options: StoreOptions = {}): Promise<OpenedStore> {
  const config = connectionConfig(url);
  const readers = openPool(config, READERS);
  const writers = openPool({ ...config, options: "-c synchronous_commit=on" }, WRITERS);
  const end = async () => void (await Promise.all([readers.end(), writers.end()]));
  try {
    const client = await writers.connect();
    try {
      await migrateDatabase(client);
    } finally {
      client.release();
    }
  } catch (error) {
    await end();
    throw error;
  }

  let version = 0;
  const reading = new PoolExecutor(readers);
  const reader = postgresDb(reading);
  const writer = new PostgresWriter(writers, reading, {
    onCommitFailed: options.onCommitFailed ?? (() => undefined),
    onCommit: () => {
      version += 1;
    },
  });
  const healthCheck = reader.sql<object>(
    "SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1), (SELECT 1 FROM contacts LIMIT 1)",
  );
  let closing: Promise<void> | undefined;
  return {
    ...createStore({ reader, run: writer.run.bind(writer) }, () => undefined),
    upgradedFrom: undefined,
    schema: schemaVersion(),
    enlist: () => ({ id: randomUUID(), forgetDead: async () => undefined, close: () => undefined }),
    version: () => version,
    isUnavailable,
    get queueDepth() {
      return writer.depth;
    },
    ping: async () => {
      await healthCheck.get({});
    },
    copyLive: () => Promise.reject(new OperatorError("Back up a PostgreSQL database with pg_dump.")),
    close: () => {
      closing ??= writer.close().then(end);
      return closing;
    },
  };
}
