import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { commandOn, quote } from "../../lib/command-line.ts";
import { diskFault, writeFailure } from "../../lib/disk-fault.ts";
import { type Finding, fault, fine, OTHERS, warning } from "./finding.ts";

const NAME_ANOTHER = "set the data folder with --data or ROSTRUM_DATA";

/** The data folder exists, is this user's alone, and can be written. */
export function folder(data: string, file: string): Finding {
  const quoted = quote(data);
  if (!existsSync(data)) return fault("folder", `${data} does not exist`, commandOn(data, "start"));
  if (!statSync(data).isDirectory()) return fault("folder", `${data} is not a folder`, NAME_ANOTHER);
  if (!existsSync(file) && readdirSync(data).length > 0) {
    return fault("folder", `${data} has other files and no Rostrum database`, NAME_ANOTHER);
  }
  if (statSync(data).mode & OTHERS) {
    return fault("folder", `other users of this machine can open ${data}`, `chmod 700 ${quoted}`);
  }
  try {
    accessSync(data, constants.W_OK | constants.R_OK | constants.X_OK);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS"
      ? fault("folder", `${data} is on a read-only disk`, `mount -o remount,rw ${quoted}`)
      : fault("folder", `this user can't write to ${data}`, `chown -R "$(id -un)" ${quoted}`);
  }
  const open = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path) && statSync(path).mode & OTHERS);
  if (open.length > 0) {
    return fault("folder", `other users of this machine can read ${open[0]}`, `chmod 600 ${open.map(quote).join(" ")}`);
  }
  return fine("folder", resolve(data));
}

const MEBIBYTE = 1024 ** 2;
/** Below this, the disk is about to be full. Below the second, a backup or an upgrade soon doesn't fit. */
const MIN_FREE_BYTES = 256 * MEBIBYTE;
const LOW_FREE_BYTES = 1024 * MEBIBYTE;

/** A file can be written, and there is room for the database to grow. */
export function disk(data: string): Finding {
  let existing = resolve(data);
  while (!existsSync(existing)) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  return judgeDisk(data, bavail * bsize, existing === resolve(data) ? writeFailure(existing) : undefined);
}

/**
 * @param free in bytes
 * @param failure the system's code for why a file can't be written
 */
export function judgeDisk(data: string, free: number, failure?: string): Finding {
  const shown = `${size(free)} free`;
  const fix = `free some space on the disk of ${data}, or move the data folder to a larger disk`;
  // Permissions and a read-only disk are for the check of the folder.
  if (failure !== undefined && !NO_PERMISSION.test(failure)) {
    return fault("disk", `writes fail: ${diskFault({ code: failure }, data)?.reason ?? failure}; ${shown}`, fix);
  }
  if (free < MIN_FREE_BYTES) return fault("disk", `only ${shown}`, fix);
  return free < LOW_FREE_BYTES ? warning("disk", `only ${shown}`, fix) : fine("disk", shown);
}

const NO_PERMISSION = /^(EACCES|EPERM|EROFS|ENOTDIR)$/;

const size = (bytes: number) =>
  bytes < 1024 * MEBIBYTE ? `${Math.floor(bytes / MEBIBYTE)} MiB` : `${(bytes / 1024 / MEBIBYTE).toFixed(1)} GiB`;

/** Files that a server opens in addition to its connections: the database, and outgoing connections. */
const OTHER_FILES = 200;

/** Node raises its own soft limit to the hard one. Only Linux shows it. */
export function files({ maxConnections }: Config): Finding[] {
  const limits = existsSync(LIMITS) ? readFileSync(LIMITS, "utf8") : "";
  const limit = /^Max open files +\d+ +(\d+)/m.exec(limits)?.[1];
  if (limit === undefined) return [];
  const needed = maxConnections + OTHER_FILES;
  return [
    Number(limit) < needed
      ? fault(
          "files",
          `this user can open ${limit} files; ${maxConnections} connections need ${needed}`,
          "raise ulimit -Hn, or LimitNOFILE of the service, or lower ROSTRUM_MAX_CONNECTIONS",
        )
      : fine("files", `this user can open ${limit} files`),
  ];
}

const LIMITS = "/proc/self/limits";
