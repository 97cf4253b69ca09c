import type { Database } from "better-sqlite3";
import { DiskFault, diskFault } from "../../lib/disk-fault.ts";
import type { Writer } from "./writer.ts";

/** How often the database is tried while writes fail, and the least time between two tries that callers ask for. */
const TRY_EVERY_MS = 1_000;
const TRY_AGAIN_MS = 100;

export interface WriteHealth {
  /** Takes note of a write that failed. */
  failed(error: unknown): void;
  /** Resolves where writes work; while they fail, it tries again first. Rejects with why they fail. */
  check(): Promise<void>;
  stop(): void;
}

/**
 * Whether writes work. One that failed counts until a trial write succeeds: a small write may fit where the next one
 * fails, and a batch that changed nothing proves nothing.
 *
 * @param onChange told why writes fail, and `undefined` once they work again
 */
export function watchWrites(
  file: string,
  tryWrite: () => Promise<void>,
  onChange: (fault: Error | undefined) => void,
): WriteHealth {
  let fault: Error | undefined;
  let trial: Promise<void> | undefined;
  let triedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function failed(error: unknown): void {
    const found = writeFault(error, file);
    const isNews = fault === undefined || fault.message !== found.message;
    fault = found;
    timer ??= setInterval(() => void attempt(), TRY_EVERY_MS).unref();
    if (isNews) onChange(found);
  }

  function attempt(): Promise<void> {
    triedAt = performance.now();
    trial ??= tryWrite()
      .then(recovered, failed)
      .finally(() => {
        trial = undefined;
      });
    return trial;
  }

  function recovered(): void {
    stop();
    if (fault === undefined) return;
    fault = undefined;
    onChange(undefined);
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    failed,
    async check() {
      if (fault !== undefined && performance.now() - triedAt > TRY_AGAIN_MS) await attempt();
      if (fault !== undefined) throw fault;
    },
    stop,
  };
}

/** What a failed write means to the server admin. */
function writeFault(error: unknown, file: string): Error {
  const found = diskFault(error, file);
  if (found !== undefined) return new DiskFault(`writes fail: ${found.reason}`, found.message, { cause: error });
  if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY")) {
    return new DiskFault(
      "writes fail: another process holds the write lock",
      `${file}: another process holds the write lock. Find it (fuser ${file}), and let it finish or end it.`,
      { cause: error },
    );
  }
  return error as Error;
}

/** As much as the largest record: what does not fit on a disk that is almost full. */
const TRIAL_BYTES = 64 * 1024;

/** A write like any other, and its undoing: it needs space in the -wal and, where the file has none free, in the file. */
export function trialWrite(db: Database, queue: Writer): () => Promise<void> {
  const name = "write_check";
  return async () => {
    await queue.run(async () => {
      db.prepare(
        `INSERT INTO server_settings (name, value, updated_at) VALUES (?, hex(zeroblob(${TRIAL_BYTES / 2})), 0)
           ON CONFLICT (name) DO NOTHING`,
      ).run(name);
    });
    await queue.run(async () => {
      db.prepare("DELETE FROM server_settings WHERE name = ?").run(name);
    });
  };
}
