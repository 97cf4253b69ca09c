import { randomBytes } from "node:crypto";
import pg from "pg";
import { OperatorError } from "../../lib/operator-error.ts";
import type { OpenedStore, StoreOptions } from "../engine.ts";
import type { Db } from "../sql/statement.ts";
import { createStore } from "../sql/stores.ts";
import { watchWrites } from "../sql/write-health.ts";
import {
  BadDatabaseUrl,
  connectionConfig,
  type DatabaseUrls,
  isPooledByTransaction,
  openPool,
  PoolExecutor,
} from "./connect.ts";
import { postgresDb } from "./db.ts";
import { faultOf, isConflict, isUnavailable } from "./faults.ts";
import { migrateDatabase, schemaVersion } from "./migrate.ts";
import { Session } from "./session.ts";
import { sharedCounters } from "./shared-counters.ts";
import { PostgresWriter } from "./writer.ts";

/** One connection is the session's. Of the others, this part reads. */
const READING = 0.6;
const CONNECTIONS = 16;

/**
 * Opens a database of PostgreSQL, and brings its schema up to date.
 *
 * @throws BadDatabaseUrl
 * @throws IncompatibleDatabase where it belongs to another program, or a newer Rostrum has written it
 */
export async function openPostgresStore(
  { url, directUrl, connections = CONNECTIONS }: DatabaseUrls,
  options: StoreOptions = {},
): Promise<OpenedStore> {
  const pooled = await isPooledByTransaction(url).catch(refuse);
  if (pooled && directUrl === undefined) {
    throw new BadDatabaseUrl(
      "ROSTRUM_DATABASE_URL points to a transaction pooler, such as PgBouncer with pool_mode = transaction. Use the " +
        "URL of the PostgreSQL server itself, or also set ROSTRUM_DATABASE_DIRECT_URL to it.",
    );
  }
  const config = connectionConfig(url, pooled);
  const reads = Math.max(1, Math.floor((connections - 1) * READING));
  const direct = connectionConfig(directUrl ?? url, false);
  const readers = openPool(config, reads);
  const writers = openPool(config, connections - 1 - reads);
  let version = 0;
  let tellOf = () => {};
  const session: Session = new Session({
    config: direct,
    onWritten() {
      version += 1;
      tellOf();
    },
  });
  const end = async () => void (await Promise.all([readers.end(), writers.end(), session.close()]));
  try {
    // A migration of a large table, or of another gateway, takes as long as it takes.
    const client = new pg.Client({ ...direct, query_timeout: 0 });
    await client.connect();
    await migrateDatabase(client).finally(() => client.end());
    await session.open();
  } catch (error) {
    await end();
    return refuse(error);
  }

  const reading = new PoolExecutor(readers, pooled);
  const reader = postgresDb(reading);
  const writer = new PostgresWriter(writers, reading, {
    pooled,
    onCommitFailed(error, jobs) {
      if (isUnavailable(error) && !isConflict(error)) writes.failed(error);
      options.onCommitFailed?.(error, jobs);
    },
    onCommit() {
      version += 1;
      session.written();
    },
  });
  const writes = watchWrites(faultOf, () => writer.run(tryWrite), options.onWrites ?? (() => undefined));
  const size = reader.value<object, number>("SELECT pg_database_size(current_database())");
  const healthCheck = reader.sql<object>(
    "SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1), (SELECT 1 FROM contacts LIMIT 1)",
  );
  const serverVersion = reader.value<object, string>("SELECT current_setting('server_version')");
  // One that died is listed until another one has released its leases, within seconds.
  const servers = reader.value<object, number>("SELECT count(*) FROM rostrum_instances");
  let closing: Promise<void> | undefined;
  return {
    ...createStore({ reader, run: writer.run.bind(writer) }, () => undefined),
    upgradedFrom: undefined,
    schema: schemaVersion(),
    engine: "postgres",
    engineVersion: async () => (await serverVersion.get({})) ?? "unknown",
    servers: async () => (await servers.get({})) ?? 0,
    backUpInto: () => Promise.reject(new OperatorError(USE_PG_DUMP)),
    enlist: () => session.enlist(),
    leads: () => session.leads,
    skewMs: () => session.skewMs,
    onWrittenElsewhere(told) {
      tellOf = told;
    },
    counters: sharedCounters(readers, pooled),
    diskUse: async () => ({ database: (await size.get({})) ?? Number.NaN, wal: Number.NaN, free: Number.NaN }),
    version: () => version,
    isUnavailable,
    get queueDepth() {
      return writer.depth;
    },
    ping: async () => {
      try {
        await healthCheck.get({});
      } catch (error) {
        throw faultOf(error);
      }
      await writes.check();
    },
    copyLive: () => Promise.reject(new OperatorError(USE_PG_DUMP)),
    close: () => {
      writes.stop();
      closing ??= writer.close().then(end);
      return closing;
    },
  };
}

const USE_PG_DUMP = "Back up a PostgreSQL database with pg_dump.";

/** @throws what the server admin can do, where the database can't be reached or can't serve */
function refuse(error: unknown): never {
  throw isUnavailable(error) ? new OperatorError(faultOf(error).message, { cause: error }) : error;
}

/** As much as the largest record, written and taken back: it needs room in the WAL and in a table. */
const TRIAL_BYTES = 64 * 1024;

async function tryWrite(db: Db): Promise<void> {
  const name = "write_check";
  const insert = db.sql(
    "INSERT INTO server_settings (name, value, updated_at) VALUES (@name, @value, 0) ON CONFLICT (name) DO NOTHING",
  );
  await insert.run({ name, value: randomBytes(TRIAL_BYTES / 2).toString("hex") });
  await db.sql("DELETE FROM server_settings WHERE name = @name").run({ name });
}
