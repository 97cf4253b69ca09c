import { stat, statfs } from "node:fs/promises";

/** Bytes on the disk of the data folder. */
export interface DiskUse {
  database: number;
  /** What is written and not yet moved into the database file. */
  wal: number;
  /** What this process may still write. */
  free: number;
}

/** Left free beside a copy of the database, so that a server on the same disk can go on. */
export const SPARE_BYTES = 64 * 1024 ** 2;

/** @throws what the system says, if the folder or the database cannot be reached */
export async function diskUse(folder: string, database: string): Promise<DiskUse> {
  const wal = stat(`${database}-wal`).then(
    ({ size }) => size,
    // Between two servers there is none.
    () => 0,
  );
  const { size } = await stat(database);
  const { bavail, bsize } = await statfs(folder);
  return { database: size, wal: await wal, free: bavail * bsize };
}
