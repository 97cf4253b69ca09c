import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { quote } from "./command-line.ts";
import { databaseFile } from "./data-folder.ts";
import { OperatorError } from "./operator-error.ts";

/** A disk that can't be read or written. Its message names the path, what happened and the next step. */
export class DiskFault extends OperatorError {
  /** What happened, without the path: for callers who must not learn how the server is set up. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The reason of a full disk. */
export const DISK_FULL = "the disk is full";

interface Cause {
  codes: RegExp;
  reason: string;
  message(path: string): string;
}

const CAUSES: readonly Cause[] = [
  {
    codes: /^(ENOSPC|SQLITE_FULL)$/,
    reason: DISK_FULL,
    message: (path) => `${path}: the disk is full. Free some space on it, or move the data folder to a larger disk.`,
  },
  {
    codes: /^EDQUOT$/,
    reason: "the disk quota is used up",
    message: (path) => `${path}: the disk quota of this user is used up. Free some space, or raise the quota.`,
  },
  {
    codes: /^(EROFS|SQLITE_READONLY.*)$/,
    reason: "the disk is read-only",
    message: (path) =>
      `${path}: the disk is mounted read-only. Mount it writable (mount -o remount,rw). If the system did this by ` +
      "itself, check the disk for errors first (dmesg).",
  },
  {
    codes: /^(EACCES|EPERM|SQLITE_PERM)$/,
    reason: "the server has no permission to write",
    message: (path) =>
      `${path}: this user has no permission to write here. ${
        // No other folder is Rostrum's to change: it may be the system's.
        existsSync(databaseFile(dirname(path)))
          ? `Run the command as the user who owns the data folder, or make it this user's: chown -R "$(id -un)" ${quote(dirname(path))}.`
          : "Run the command as a user who can write here, or choose another folder."
      }`,
  },
  {
    codes: /^ENOTDIR$/,
    reason: "a part of the path is a file",
    message: (path) => `${path}: a part of this path is a file, not a folder. Choose another path.`,
  },
  {
    codes: /^(EMFILE|ENFILE)$/,
    reason: "no file handles are left",
    message: (path) =>
      `${path}: the process has no file handles left. Raise the limit (ulimit -n, or LimitNOFILE of the service), ` +
      "then start again.",
  },
  {
    codes: /^(EIO|SQLITE_IOERR.*)$/,
    reason: "the disk reports I/O errors",
    message: (path) =>
      `${path}: the disk reports an I/O error. Check the system log (dmesg), and move the data folder to ` +
      "another disk if this one fails.",
  },
];

/** SQLite says that it failed, and seldom why. */
const VAGUE = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|PERM)/;

/**
 * What an error of the file system or of SQLite means to the server admin. Undefined where the disk is not the cause.
 *
 * @param path the file that was to be opened or written, if the error doesn't name it
 */
export function diskFault(error: unknown, path: string): DiskFault | undefined {
  if (error instanceof DiskFault) return error;
  const { code, path: named } = error as { code?: unknown; path?: string };
  if (typeof code !== "string") return undefined;
  const exact = VAGUE.test(code) ? (writeFailure(dirname(path)) ?? code) : code;
  const cause = CAUSES.find(({ codes }) => codes.test(exact));
  return cause && new DiskFault(cause.reason, cause.message(named ?? path), { cause: error });
}

/** About what a small write of the database needs. */
const TRIAL = Buffer.alloc(64 * 1024);

/** The system's code for why a file can't be written in a folder. Undefined where it can: the file is removed again. */
export function writeFailure(folder: string): string | undefined {
  const trial = join(folder, `.write-check-${process.pid}`);
  try {
    const handle = openSync(trial, "w", 0o600);
    try {
      writeSync(handle, TRIAL);
    } finally {
      closeSync(handle);
    }
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    rmSync(trial, { force: true });
  }
}
