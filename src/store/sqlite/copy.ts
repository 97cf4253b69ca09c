import { execFile } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { diskFault } from "../../lib/disk-fault.ts";
import { SPARE_BYTES } from "../../lib/disk-use.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { packageFile } from "../../lib/package.ts";

/** A backup or restore that cannot be done. Its message is for the person at the command line. */
export class MaintenanceRefused extends OperatorError {}

/** SQLite's own verdict; empty where it found nothing wrong. */
export function faultsOf(db: Database.Database): string[] {
  return verdictsIn(db.pragma("integrity_check") as Record<string, string>[]);
}

/** How a copy is made. */
interface CopyOptions {
  /** Throws where the copy must not get its name. */
  accept?: (copy: Database.Database) => void;
  /** Fills an empty file with the pages of the source. */
  copyPages?: (source: string, partial: string) => Promise<void>;
  /** Ends it, and leaves no file. */
  signal?: AbortSignal | undefined;
}

/**
 * Copies a database, even a live one, to a new file that needs no -wal. The copy is checked page by page, passed to
 * `accept`, and only then given its name.
 *
 * @throws MaintenanceRefused where the target exists, the disk is full, or the source is damaged or no database
 * @throws DiskFault where the disk is what prevents it
 */
export async function copyDatabase(
  source: string,
  target: string,
  { accept = () => undefined, copyPages = copySnapshot, signal }: CopyOptions = {},
): Promise<void> {
  refuseExisting(target);
  const partial = `${target}.${process.pid}.partial`;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    requireSpace(dirname(target), sizeOf(source), `a copy of ${source}`);
    closeSync(openSync(partial, "w", 0o600));
    await copyPages(source, partial);
    await checkCopy(partial, source, accept, signal);
    sync(partial);
    refuseExisting(target);
    renameSync(partial, target);
    sync(dirname(target));
  } catch (error) {
    const code = (error as { code?: string }).code ?? "";
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(code)) throw diskFault(error, target) ?? error;
    throw new MaintenanceRefused(`${source} is damaged or is not a database: ${(error as Error).message}.`);
  } finally {
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(partial + suffix, { force: true });
  }
}

/** The bytes of a database, with what is still in its -wal. */
export function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

const MEBIBYTE = 1024 ** 2;

/** @throws MaintenanceRefused where a folder's disk has too little space for this many bytes */
export function requireSpace(folder: string, bytes: number, what: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= bytes + SPARE_BYTES) return;
  const mebibytes = (size: number) => `${Math.ceil(size / MEBIBYTE)} MiB`;
  throw new MaintenanceRefused(
    `${folder} has ${mebibytes(free)} free, but ${what} needs ${mebibytes(bytes)}, plus ${mebibytes(SPARE_BYTES)} to spare. ` +
      "Free some space there, or use a larger disk, then try again. Nothing was changed.",
  );
}

function refuseExisting(target: string): void {
  if (existsSync(target)) throw new MaintenanceRefused(`${target} already exists. Choose another file name.`);
}

/** Copies what is committed when it begins. Until it ends, the -wal of a database that is written to grows. */
export async function copySnapshot(source: string, partial: string): Promise<void> {
  const db = new Database(source, { readonly: true, fileMustExist: true });
  try {
    // One snapshot: without it each write of another process would restart the copy.
    db.exec("BEGIN");
    db.prepare("SELECT 1 FROM sqlite_schema").get();
    await db.backup(partial);
  } finally {
    db.close();
  }
}

/** A step takes about a millisecond, so that requests are answered in between. */
const PAGES_A_STEP = 200;
/** How often a live copy may start over because another process has written, and how many steps may copy nothing. */
const MAX_RESTARTS = 3;
const MAX_IDLE_STEPS = 1_000;

/**
 * Copies a database over the connection that writes it, some pages in a turn of the event loop. SQLite brings pages
 * that change during the copy too, so no snapshot is held and the -wal doesn't grow. A write by another process
 * makes it start over. It fails after repeated writes.
 *
 * @param writer the connection of all writes of this process
 * @param partial an existing empty file
 */
export async function copyLive(writer: Database.Database, partial: string, signal?: AbortSignal): Promise<void> {
  let copied = -1;
  let restarts = 0;
  let idle = 0;
  await writer.backup(partial, {
    progress({ totalPages, remainingPages }) {
      signal?.throwIfAborted();
      const now = totalPages - remainingPages;
      if (now < copied) restarts += 1;
      idle = now > copied ? 0 : idle + 1;
      if (restarts > MAX_RESTARTS || idle > MAX_IDLE_STEPS)
        throw new Error("Other processes are writing to the database.");
      copied = now;
      return PAGES_A_STEP;
    },
  });
}

async function checkCopy(
  partial: string,
  source: string,
  accept: (copy: Database.Database) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const db = new Database(partial);
  try {
    db.pragma("journal_mode = DELETE");
    const [fault] = await faultsIn(partial, signal);
    if (fault !== undefined) throw new MaintenanceRefused(`${source} is damaged: ${fault}`);
    accept(db);
  } finally {
    db.close();
  }
}

/**
 * Checks every page of a copy in a separate process, so that a server that backs up keeps answering requests, and can end
 * the check when it stops.
 */
async function faultsIn(file: string, signal: AbortSignal | undefined): Promise<string[]> {
  const script = packageFile("src/store/sqlite/check.js");
  const { stdout } = await run(process.execPath, [script, file], { signal, killSignal: "SIGKILL" });
  const { rows, error } = JSON.parse(stdout) as Checked;
  if (rows !== undefined) return verdictsIn(rows);
  throw Object.assign(new Error(error?.message), { code: error?.code });
}

/** What check.js prints. */
interface Checked {
  rows?: Record<string, string>[];
  error?: { code: string; message: string };
}

const run = promisify(execFile);

const verdictsIn = (rows: Record<string, string>[]) =>
  rows.map((row) => Object.values(row)[0] ?? "").filter((verdict) => verdict !== "ok");

function sync(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
