import { CANCELLED, NODATA, NOTFOUND, TIMEOUT } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";

/** Resolves a name to all of its addresses. */
export type Lookup = (name: string) => Promise<readonly { address: string }[]>;

/** Addresses by lowercase name, in the order of the file. */
type Hosts = ReadonlyMap<string, readonly string[]>;

export interface NameResolverOptions {
  /** Name servers, as `address:port`; default: the system's. */
  servers?: readonly string[];
  /** Default: /etc/hosts. */
  hostsFile?: string;
  /** Time limit for one name, in ms; default: 5,000. */
  limitMs?: number;
}

/** The resolver asks a name server again after 1 s and after 3 s, so two lost packets still fit into the limit. */
const QUERY = { timeout: 1_000, tries: 3 };
/** Half of a call's deadline, so that a slow lookup leaves time for the request. */
const LIMIT_MS = 5_000;
const HOSTS_FILE = "/etc/hosts";
/** RFC 6761: name servers are never asked for localhost. */
const LOCALHOST = ["127.0.0.1", "::1"];
const NO_HOSTS: Hosts = new Map();

/**
 * Resolves names without the thread pool. The system's getaddrinfo blocks one of the pool's few threads while a name
 * server is silent, so a handful of such names would stall every new connection. The hosts file is read first, then
 * the system's name servers are asked. Search domains are not applied.
 */
export class NameResolver {
  readonly #servers: readonly string[] | undefined;
  readonly #hosts: HostsFile;
  readonly #limitMs: number;
  readonly #pending = new Set<Resolver>();

  constructor({ servers, hostsFile = HOSTS_FILE, limitMs = LIMIT_MS }: NameResolverOptions = {}) {
    this.#servers = servers;
    this.#hosts = new HostsFile(hostsFile);
    this.#limitMs = limitMs;
  }

  /**
   * Returns IPv4 addresses first. If only the A or only the AAAA query is answered within the limit, that answer is
   * used.
   *
   * @throws Error with a code of node:dns: ENOTFOUND or ENODATA if the name has no address, ETIMEOUT at the limit
   */
  readonly lookup: Lookup = async (name) => {
    const key = name.toLowerCase();
    const listed = key === "localhost" ? LOCALHOST : this.#hosts.read().get(key);
    return (listed ?? (await this.#query(name))).map((address) => ({ address }));
  };

  /** Cancels every pending lookup, because a pending query keeps the process running. */
  cancel(): void {
    for (const resolver of this.#pending) resolver.cancel();
  }

  async #query(name: string): Promise<string[]> {
    // One resolver per name: cancelling it affects no other name, a silent name does not mark the server as failed,
    // nothing is cached, and changes of the system's name servers take effect.
    const resolver = new Resolver(QUERY);
    if (this.#servers !== undefined) resolver.setServers(this.#servers);
    this.#pending.add(resolver);
    const timer = setTimeout(() => resolver.cancel(), this.#limitMs);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const failures = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
      if (failures.length === answers.length) throw lookupError(failures);
      return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    } finally {
      clearTimeout(timer);
      this.#pending.delete(resolver);
    }
  }
}

/** ENOTFOUND and ENODATA count only if both queries say so; any other failure wins. */
function lookupError(failures: NodeJS.ErrnoException[]): Error {
  const failure = failures.find(({ code }) => code !== NODATA && code !== NOTFOUND) ?? failures[0];
  if (failure?.code !== CANCELLED) return failure as Error;
  return Object.assign(new Error("The DNS lookup timed out."), { code: TIMEOUT });
}

/** A hosts file, parsed again when it changes. The synchronous check takes microseconds and no thread of the pool. */
class HostsFile {
  readonly #path: string;
  #version = "";
  #hosts = NO_HOSTS;

  constructor(path: string) {
    this.#path = path;
  }

  /** A missing or unreadable file counts as empty, as it does for the system. */
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
      return NO_HOSTS;
    }
  }
}

/** Parses the format of hosts(5): an address and its names per line, comments after `#`. Invalid lines are skipped. */
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
