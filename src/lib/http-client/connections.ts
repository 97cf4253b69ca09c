import { isIP, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { buildConnector, type Client } from "undici";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";
import type { Deadline } from "./deadline.ts";
import { RefusedAddressError } from "./errors.ts";
import type { Lookup } from "./resolve.ts";

interface ConnectorOptions extends AddressPolicy {
  lookup: Lookup;
  /** Time limit for opening a connection, in ms. */
  timeoutMs: number;
  ca?: NonNullable<ConnectionOptions["ca"]> | undefined;
}

/** A distant server needs more than Node's default of 250 ms before the next of its addresses is tried. */
const PER_ADDRESS_MS = 1_000;

/**
 * Opens connections to checked addresses only. Each connection resolves the name, is refused if any of its addresses
 * is not allowed, and connects to the addresses that were checked. The name is not resolved a second time between
 * check and connect, so DNS rebinding has no effect. Host, SNI and the certificate check use the name.
 */
export function guardedConnector({ lookup, allowPrivate, timeoutMs, ca }: ConnectorOptions): buildConnector.connector {
  const policy = { allowPrivate };
  const resolve = async (name: string) => {
    const found = await lookup(name);
    if (found.length === 0) throw new Error("The host name has no IP address.");
    if (!found.every(({ address }) => isAllowedAddress(address, policy))) throw new RefusedAddressError();
    return found.map(({ address }) => ({ address, family: isIP(address) }));
  };
  const open = buildConnector({
    ...(ca === undefined ? {} : { ca }),
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn the check off.
    rejectUnauthorized: true,
    timeout: timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS,
    lookup: (name, _options, callback) => {
      resolve(name).then(
        (addresses) => callback(null, addresses),
        (error) => callback(error, []),
      );
    },
  });

  return (options, callback) => {
    const { hostname } = options;
    // Node does not call lookup for a literal address.
    if (isIP(hostname) !== 0 && !isAllowedAddress(hostname, policy)) {
      queueMicrotask(() => callback(new RefusedAddressError(), null));
      return;
    }
    const opening = open(options, callback) as unknown as Socket;
    // The call's timer keeps the process running until its deadline; a socket that is still opening must not.
    opening.on("connectionAttempt", () => opening.unref());
  };
}

interface OriginPool {
  /** Number of clients, idle ones included. */
  size: number;
  /** Used last in, first out, so that spare connections time out. */
  idle: Client[];
  /** Callbacks of waiting calls, first in, first out. */
  waiting: Set<(client: Client) => void>;
}

/**
 * Keep-alive connections, with a limit per origin. Each undici Client here has one connection and runs one call at a
 * time. Calls to one origin never wait for those to another. undici's Agent and Pool do not fit: see
 * docs/adr/0001-guarded-http-client.md.
 */
export class ConnectionPool {
  readonly #limit: number;
  readonly #open: (origin: string) => Client;
  readonly #origins = new Map<string, OriginPool>();

  /** @param limit most connections per origin */
  constructor(limit: number, open: (origin: string) => Client) {
    this.#limit = limit;
    this.#open = open;
  }

  /** Runs the call on its own client, as soon as one is free. Rejects if the deadline ends the wait. */
  async run<T>(origin: string, deadline: Deadline, call: (client: Client) => Promise<T>): Promise<T> {
    const pool = this.#origins.get(origin) ?? { size: 0, idle: [], waiting: new Set() };
    if (pool.size === 0) this.#origins.set(origin, pool);
    let client = pool.idle.pop();
    if (client === undefined && pool.size < this.#limit) {
      pool.size++;
      client = this.#connect(origin, pool);
    }
    client ??= await nextFree(pool, deadline);
    let reusable = false;
    try {
      const result = await call(client);
      reusable = client.stats.connected;
      return result;
    } finally {
      if (!reusable) void client.destroy();
      const [next] = pool.waiting;
      if (next !== undefined) next(reusable ? client : this.#connect(origin, pool));
      else if (reusable) pool.idle.push(client);
      else this.#release(origin, pool);
    }
  }

  /** Closes every idle connection. */
  async close(): Promise<void> {
    const idle = [...this.#origins.values()].flatMap((pool) => pool.idle);
    await Promise.all(idle.map((client) => client.destroy()));
  }

  #connect(origin: string, pool: OriginPool): Client {
    const client = this.#open(origin);
    return client.on("disconnect", () => {
      const at = pool.idle.indexOf(client);
      if (at === -1) return;
      pool.idle.splice(at, 1);
      this.#release(origin, pool);
    });
  }

  #release(origin: string, pool: OriginPool): void {
    pool.size--;
    if (pool.size === 0) this.#origins.delete(origin);
  }
}

/** Waits until a call that ends hands its client over. */
function nextFree({ waiting }: OriginPool, deadline: Deadline): Promise<Client> {
  return new Promise((resolve, reject) => {
    const take = (client: Client) => {
      waiting.delete(take);
      deadline.listen(undefined);
      resolve(client);
    };
    waiting.add(take);
    deadline.listen((reason) => {
      waiting.delete(take);
      reject(reason);
    });
  });
}
