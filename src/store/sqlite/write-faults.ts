import type { Database } from "better-sqlite3";
import { DiskFault, diskFault } from "../../lib/disk-fault.ts";
import type { Writer } from "./writer.ts";

/** What a failed write means to the server admin. */
export function writeFault(error: unknown, file: string): Error {
  const found = diskFault(error, file);
  if (found !== undefined) return new DiskFault(`writes fail: ${found.reason}`, found.message, { cause: error });
  if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY")) {
    return new DiskFault(
      "writes fail: another process holds the write lock",
      `${file}: another process holds the write lock. Find it with fuser ${file}, and wait for it to finish or stop it.`,
      { cause: error },
    );
  }
  return error as Error;
}

/** As much as the largest record: what a disk that is all but full has no room for. */
const TRIAL_BYTES = 64 * 1024;

/** A write like any other, and its undoing: it needs room in the -wal and, where the file has none free, in the file. */
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
