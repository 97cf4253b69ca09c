import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { commandOn, quote } from "../../lib/command-line.ts";
import { type Finding, fault, fine, OTHERS } from "./finding.ts";

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

const MIN_FREE_BYTES = 1024 ** 3;

/** There is room for the database to grow. */
export function disk(data: string): Finding {
  let existing = resolve(data);
  while (!existsSync(existing)) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  const gigabytes = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  return free < MIN_FREE_BYTES
    ? fault("disk", `only ${gigabytes}`, `free at least 1 GiB on the disk of ${data}, or use another disk with --data`)
    : fine("disk", gigabytes);
}

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
