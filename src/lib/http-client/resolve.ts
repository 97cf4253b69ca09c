import { CANCELLED, NODATA, NOTFOUND, TIMEOUT } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { Lookup } from "./connector.ts";
import { HostsFile } from "./hosts.ts";

export interface NameResolverOptions {
  /** Name servers, as `address:port`; default: the system's. */
  servers?: readonly string[];
  /** Default: /etc/hosts. */
  hostsFile?: string;
  /** For one name, in ms. */
  limitMs?: number;
}

/** With one lost packet a name server is asked again after 1 s, with two after 3 s: both are within the limit. */
const ASKING = { timeout: 1_000, tries: 3 };
/** Half of a call's deadline, so that the other half is left for an address that came late. */
const LIMIT_MS = 5_000;
const HOSTS_FILE = "/etc/hosts";
/** By RFC 6761 no name server is asked for it. */
const LOCALHOST = ["127.0.0.1", "::1"];

/**
 * Resolves names without the thread pool: the system's getaddrinfo holds one of its few threads for as long as a name
 * server keeps silent, so that a handful of such names would stall every new connection of everybody. From the system
 * come the hosts file, which goes first, and the name servers; names are taken as they are, without search domains.
 */
export class NameResolver {
  readonly #servers: readonly string[] | undefined;
  readonly #hosts: HostsFile;
  readonly #limitMs: number;
  readonly #asking = new Set<Resolver>();

  constructor({ servers, hostsFile = HOSTS_FILE, limitMs = LIMIT_MS }: NameResolverOptions = {}) {
    this.#servers = servers;
    this.#hosts = new HostsFile(hostsFile);
    this.#limitMs = limitMs;
  }

  /**
   * IPv4 addresses first. Of a name server that answers for one version alone within the limit, that answer is taken.
   *
   * @throws Error with a code of node:dns: ENOTFOUND or ENODATA without any address, ETIMEOUT at the limit
   */
  readonly lookup: Lookup = async (name) => {
    const known = name.toLowerCase();
    const listed = known === "localhost" ? LOCALHOST : this.#hosts.read().get(known);
    return (listed ?? (await this.#ask(name))).map((address) => ({ address }));
  };

  /** Gives up every name that is being asked for: a question that waits for its answer would keep the process. */
  cancel(): void {
    for (const resolver of this.#asking) resolver.cancel();
  }

  async #ask(name: string): Promise<string[]> {
    // One for each name: cancelling it concerns no other, one name's silence does not count against the server for
    // another, nothing is cached, and a change of the system's name servers is noticed.
    const resolver = new Resolver(ASKING);
    if (this.#servers !== undefined) resolver.setServers(this.#servers);
    this.#asking.add(resolver);
    const timer = setTimeout(() => resolver.cancel(), this.#limitMs);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const failures = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
      if (failures.length === answers.length) throw failureAmong(failures);
      return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    } finally {
      clearTimeout(timer);
      this.#asking.delete(resolver);
    }
  }
}

/** That there is no address is only known if both answers say so. */
function failureAmong(failures: NodeJS.ErrnoException[]): Error {
  const failure = failures.find(({ code }) => code !== NODATA && code !== NOTFOUND) ?? failures[0];
  if (failure?.code !== CANCELLED) return failure as Error;
  return Object.assign(new Error("The name was not resolved in time."), { code: TIMEOUT });
}
