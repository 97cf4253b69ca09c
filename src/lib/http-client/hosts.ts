import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";

/** Addresses by name, in lower case, in the order of the file. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

/** Reads the form of hosts(5): an address and its names on each line, `#` before a comment. Other lines are skipped. */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const addresses = hosts.get(name);
      if (addresses === undefined) hosts.set(name, [address]);
      else if (!addresses.includes(address)) addresses.push(address);
    }
  }
  return hosts;
}

const NONE: Hosts = new Map();

/**
 * A hosts file, parsed again when it has changed. It is read synchronously: a look at its date takes microseconds,
 * and waits for no thread of the pool.
 */
export class HostsFile {
  readonly #path: string;
  #version = "";
  #hosts = NONE;

  constructor(path: string) {
    this.#path = path;
  }

  /** A file that is missing or cannot be read names nobody, as for the system. */
  read(): Hosts {
    try {
      const { mtimeMs, size, ino } = statSync(this.#path);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (version !== this.#version) {
        this.#hosts = parseHosts(readFileSync(this.#path, "utf8"));
        this.#version = version;
      }
      return this.#hosts;
    } catch {
      return NONE;
    }
  }
}
