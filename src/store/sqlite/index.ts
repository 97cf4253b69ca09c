import { rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { DISK_FULL, diskFault } from "../../lib/disk-fault.ts";
import { diskUse } from "../../lib/disk-use.ts";
import type { OpenedStore, StoreOptions } from "../engine.ts";
import type { Connections } from "../sql/statement.ts";
import { createStore } from "../sql/stores.ts";
import { watchWrites } from "../sql/write-health.ts";
import { fileIn, removeOld } from "./backups.ts";
import {
  guardFile,
  isUnavailable,
  openReader,
  openWriter,
  SharedSnapshot,
  sqliteDb,
  startServing,
} from "./connection.ts";
import { copyLive } from "./copy.ts";
import { countInstances, enlist } from "./instance.ts";
import { backUp } from "./maintenance.ts";
import { migrateDatabase, schemaVersion } from "./migrate.ts";
import { requireOwnDatabase } from "./place.ts";
import { trialWrite, writeFault } from "./write-faults.ts";
import { Writer } from "./writer.ts";

/**
 * Opens the database of a data folder, creates it where there is none, and brings its schema up to date.
 *
 * @throws IncompatibleDatabase where a newer or a pre-release Rostrum has written it
 * @throws WrongDatabase where there was another one, or the file is another program's
 * @throws DiskFault where the disk is what prevents it
 */
export async function openSqliteStore(
  file: string,
  now: number = Date.now(),
  options: StoreOptions = {},
): Promise<OpenedStore> {
  const store = await open(file, now, options).catch((error: unknown) => {
    const fault = diskFault(error, file);
    if (options.reserve && fault?.reason === DISK_FULL && releaseReserve(file)) return open(file, now, options);
    throw fault ?? error;
  });
  if (options.reserve) keepReserve(file);
  return store;
}

async function open(file: string, now: number, options: StoreOptions): Promise<OpenedStore> {
  requireOwnDatabase(file, options.isNew);
  const writerDb = openWriter(file);
  try {
    const upgradedFrom = await migrateDatabase(writerDb, file, now, undefined, options.onUpgrade);
    startServing(writerDb);
    return serve(file, writerDb, upgradedFrom, options);
  } catch (error) {
    writerDb.close();
    throw error;
  }
}

/** SQLite needs 32 KiB of -shm to open a database, and has given them back where the last server stopped cleanly. */
const RESERVE_BYTES = 64 * 1024;
const reserveOf = (file: string) => `${file}-reserve`;

function keepReserve(file: string): void {
  try {
    writeFileSync(reserveOf(file), Buffer.alloc(RESERVE_BYTES, 1), { flag: "wx", mode: 0o600 });
  } catch (error) {
    // One that is there already is good; half of one is not.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") releaseReserve(file);
  }
}

/** Whether there was one. */
function releaseReserve(file: string): boolean {
  try {
    rmSync(reserveOf(file));
    return true;
  } catch {
    return false;
  }
}

function serve(file: string, writerDb: Database, upgradedFrom: string | undefined, options: StoreOptions): OpenedStore {
  const readerDb = openReader(file);
  const guard = guardFile(file);
  const onCommitFailed = (error: unknown, jobs: number) => {
    if (isUnavailable(error)) writes.failed(error);
    options.onCommitFailed?.(error, jobs);
  };
  const snapshot = new SharedSnapshot(readerDb);
  const endSnapshot = () => snapshot.end();
  const queue = new Writer(writerDb, { check: guard.checkIdentity, onBatch: endSnapshot, onCommitFailed });
  const writes = watchWrites(
    (error) => writeFault(error, file),
    trialWrite(writerDb, queue),
    options.onWrites ?? (() => undefined),
  );
  const reader = sqliteDb(readerDb, () => snapshot.begin());
  const writer = sqliteDb(writerDb);
  const connections: Connections = { reader, run: (job, how) => queue.run(() => job(writer), how) };
  const healthCheck = reader.sql<object>(
    "SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1), (SELECT 1 FROM contacts LIMIT 1)",
  );
  const version = readerDb.prepare<[], number>("PRAGMA data_version").pluck();
  const store = createStore(connections, guard.checkNowAndThen);

  return {
    ...store,
    engine: "sqlite",
    engineVersion: async () => readerDb.prepare<[], string>("SELECT sqlite_version()").pluck().get() as string,
    servers: async () => countInstances(file),
    async backUpInto(folder, keep, now, signal) {
      const target = fileIn(folder, now);
      const copy = async (partial: string) => {
        await copyLive(writerDb, partial, signal);
        return true;
      };
      await backUp(file, target, copy, signal);
      removeOld(folder, keep);
      await store.recordLastBackup({ at: now, file: target, bytes: statSync(target).size });
    },
    upgradedFrom,
    schema: schemaVersion(),
    enlist: () => enlist(file),
    leads: () => true,
    skewMs: () => 0,
    onWrittenElsewhere: () => undefined,
    diskUse: () => diskUse(dirname(file), file),
    counters: undefined,
    version: () => {
      snapshot.end();
      return version.get() as number;
    },
    isUnavailable,
    get queueDepth() {
      return queue.depth;
    },
    ping: async () => {
      try {
        guard.checkReadable();
        await healthCheck.get({});
      } catch (error) {
        throw diskFault(error, file) ?? error;
      }
      await writes.check();
    },
    copyLive: (target, signal) => copyLive(writerDb, target, signal),
    close: async () => {
      writes.stop();
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
