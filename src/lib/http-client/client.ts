import type { ConnectionOptions } from "node:tls";
import pRetry from "p-retry";
import { Client } from "undici";
import { formRefusal, type Reach } from "./address.ts";
import { CallError } from "./call-error.ts";
import { Connections } from "./connections.ts";
import { guardedConnector, type Lookup } from "./connector.ts";
import { type Answer, exchange, type Request } from "./exchange.ts";
import { Patience } from "./patience.ts";
import { NameResolver, type NameResolverOptions } from "./resolve.ts";

export interface GuardedClientOptions extends Reach {
  /** How a name is resolved; default: by the system's hosts file and name servers. */
  lookup?: Lookup;
  /** For tests alone: what the default lookup asks instead. */
  resolver?: NameResolverOptions;
  /** How many calls to one origin go at a time, on as many connections; the others wait. */
  connections?: number;
  /** For connecting, sending and the whole answer together, waiting for a connection included, in ms. */
  deadlineMs?: number;
  /** For tests alone: whom to trust instead of the system's authorities. */
  ca?: NonNullable<ConnectionOptions["ca"]>;
}

interface CallOptions {
  /** Names in lower case. Host comes from the URL, accept-encoding is identity. */
  headers?: Record<string, string>;
  /** Bytes of the answer's body to keep; 0 reads it to 64 KiB and drops it. */
  read: number;
  /** Gives the call up: it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Instead of the client's, in ms; opening a connection is held to the client's all the same. */
  deadlineMs?: number;
}

export interface GuardedClient {
  /** @throws CallError, or the reason of the caller's own signal */
  get(url: URL, options: CallOptions): Promise<Answer>;
  /** @throws CallError, or the reason of the caller's own signal */
  post(url: URL, options: CallOptions & { body: string | Uint8Array }): Promise<Answer>;
  /** Refuses further calls, lets those under way end, and closes every connection. */
  close(): Promise<void>;
}

const CONNECTIONS = 16;
const DEADLINE_MS = 10_000;
const IDLE_MS = 60_000;
const RETRIES = { retries: 2, minTimeout: 100, factor: 3 };

/**
 * The one way to an address that a client or a document supplied. It connects to checked addresses alone, follows no
 * redirect, knows no proxy, and has one deadline over everything. A connection that fails before anything of the
 * request was sent is tried again, twice at most, within that deadline.
 */
export function createGuardedClient({
  allowPrivate,
  resolver: resolverOptions,
  lookup: givenLookup,
  connections: limit = CONNECTIONS,
  deadlineMs: usualDeadlineMs = DEADLINE_MS,
  ca,
}: GuardedClientOptions): GuardedClient {
  const resolver = new NameResolver(resolverOptions);
  const lookup = givenLookup ?? resolver.lookup;
  const connect = guardedConnector({ allowPrivate, lookup, timeoutMs: usualDeadlineMs, ca });
  // The deadline is over all of it, so undici needs none of its own.
  const client = { connect, headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: IDLE_MS };
  const connections = new Connections(limit, (origin) => new Client(origin, client));
  let underWay = 0;
  let drained: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  async function call(
    method: Request["method"],
    url: URL,
    { headers, read, signal, deadlineMs = usualDeadlineMs }: CallOptions,
    body: Request["body"],
  ): Promise<Answer> {
    signal?.throwIfAborted();
    if (closing !== undefined) throw new CallError("connection_refused", { beforeSent: true });
    // Literal addresses are checked with all others, where the connection is made.
    if (formRefusal(url, { allowPrivate }) !== undefined) {
      throw new CallError("connection_refused", { beforeSent: true, refusedAddress: true });
    }
    const own = { host: url.host, "accept-encoding": "identity" };
    const request = { method, url, headers: { ...headers, ...own }, body, read };
    const patience = new Patience(deadlineMs, signal);
    const attempt = () => connections.run(url.origin, patience, (free) => exchange(free, request, patience));
    underWay++;
    const first = attempt();
    try {
      return await first;
    } catch (error) {
      if (!mayRepeat(error)) throw error;
      // Called for a failure alone: it costs more than all else here.
      const pause = new AbortController();
      return await pRetry((nth) => (nth === 1 ? first : attempt()), {
        ...RETRIES,
        shouldRetry: ({ error }) => mayRepeat(error),
        signal: pause.signal,
        onFailedAttempt: () => patience.listen((reason) => pause.abort(reason)),
      });
    } finally {
      patience.dispose();
      underWay--;
      if (underWay === 0) {
        // What is still being resolved was given up.
        resolver.cancel();
        drained?.();
      }
    }
  }

  async function close(): Promise<void> {
    await new Promise<void>((resolve) => {
      drained = resolve;
      if (underWay === 0) resolve();
    });
    await connections.close();
  }

  return {
    get: (url, options) => call("GET", url, options, null),
    post: (url, options) => call("POST", url, options, options.body),
    close: () => (closing ??= close()),
  };
}

/** A refused address is tried as often as a refused connection: answering sooner would tell one from the other. */
function mayRepeat(error: unknown): boolean {
  return error instanceof CallError && error.reason === "connection_refused" && error.beforeSent;
}
