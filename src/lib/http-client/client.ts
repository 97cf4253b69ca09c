import type { ConnectionOptions } from "node:tls";
import pRetry from "p-retry";
import { Client, errors } from "undici";
import { MINUTE_MS } from "../time.ts";
import { type AddressPolicy, formRefusal } from "./addresses.ts";
import { ConnectionPool, guardedConnector } from "./connections.ts";
import { Deadline } from "./deadline.ts";
import { CallError, toCallError } from "./errors.ts";
import { type Lookup, NameResolver, type NameResolverOptions } from "./resolve.ts";

export interface GuardedClientOptions extends AddressPolicy {
  /** How names are resolved; default: by the system's hosts file and name servers. */
  lookup?: Lookup;
  /** Tests only: options of the default lookup. */
  resolver?: NameResolverOptions;
  /** Most connections, and so concurrent calls, per origin; further calls wait. Default: 16. */
  connections?: number;
  /** Covers waiting for a connection, connecting, sending and the whole answer, in ms. Default: 10,000. */
  deadlineMs?: number;
  /** Tests only: certificate authorities to trust instead of the system's. */
  ca?: NonNullable<ConnectionOptions["ca"]>;
}

interface CallOptions {
  /** Lowercase names. Host always comes from the URL, and accept-encoding is always identity. */
  headers?: Record<string, string>;
  /** Bytes of the answer's body to keep; 0 reads up to 64 KiB and discards them. */
  read: number;
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Overrides the client's deadline, in ms. Opening a connection is still limited by the client's. */
  deadlineMs?: number;
}

export interface Answer {
  /** Any HTTP status. Redirects are returned, never followed. */
  status: number;
  headers: { retryAfter: string | undefined; contentType: string | undefined };
  /** The first bytes of the body, `read` at most. */
  body: Buffer;
}

export interface GuardedClient {
  /** @throws CallError, or the reason of the caller's own signal */
  get(url: URL, options: CallOptions): Promise<Answer>;
  /** @throws CallError, or the reason of the caller's own signal */
  post(url: URL, options: CallOptions & { body: string | Uint8Array }): Promise<Answer>;
  /** Refuses new calls, waits for the active ones, and closes every connection. */
  close(): Promise<void>;
}

interface Request {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  read: number;
}

const CONNECTIONS = 16;
const DEADLINE_MS = 10_000;
const IDLE_MS = MINUTE_MS;
const RETRIES = { retries: 2, minTimeout: 100, factor: 3 };
/** Reading a short unwanted body to its end is cheaper than opening a new connection. */
const DISCARD_BYTES = 64 * 1024;

/**
 * Creates the HTTP client for every address that a client or a document supplied. It connects to checked addresses
 * only, follows no redirects, ignores proxy variables, and has one deadline over the whole call. A connection that is
 * refused before any byte was sent is retried twice within that deadline.
 */
export function createGuardedClient({
  allowPrivate,
  resolver: resolverOptions,
  lookup: givenLookup,
  connections = CONNECTIONS,
  deadlineMs: defaultDeadlineMs = DEADLINE_MS,
  ca,
}: GuardedClientOptions): GuardedClient {
  const resolver = new NameResolver(resolverOptions);
  const lookup = givenLookup ?? resolver.lookup;
  const connect = guardedConnector({ allowPrivate, lookup, timeoutMs: defaultDeadlineMs, ca });
  // The call's deadline replaces undici's own timeouts.
  const clientOptions = { connect, headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: IDLE_MS };
  const pool = new ConnectionPool(connections, (origin) => new Client(origin, clientOptions));
  let active = 0;
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  async function call(
    method: Request["method"],
    url: URL,
    { headers, read, signal, deadlineMs = defaultDeadlineMs }: CallOptions,
    body: Request["body"],
  ): Promise<Answer> {
    signal?.throwIfAborted();
    if (closing !== undefined) throw new CallError("connection_refused", { beforeSent: true });
    // A literal address is checked later, when the connection is opened.
    if (formRefusal(url, { allowPrivate }) !== undefined) {
      throw new CallError("connection_refused", { beforeSent: true, refusedAddress: true });
    }
    const fixed = { host: url.host, "accept-encoding": "identity" };
    const request = { method, url, headers: { ...headers, ...fixed }, body, read };
    const deadline = new Deadline(deadlineMs, signal);
    const attempt = () => pool.run(url.origin, deadline, (client) => exchange(client, request, deadline));
    active++;
    const first = attempt();
    try {
      return await first;
    } catch (error) {
      if (!isRetryable(error)) throw error;
      // p-retry runs only after a failure, because it costs more than the rest of the call.
      const pause = new AbortController();
      return await pRetry((nth) => (nth === 1 ? first : attempt()), {
        ...RETRIES,
        shouldRetry: ({ error }) => isRetryable(error),
        signal: pause.signal,
        onFailedAttempt: () => deadline.listen((reason) => pause.abort(reason)),
      });
    } finally {
      deadline.dispose();
      active--;
      if (active === 0) {
        // No call needs the lookups that are still pending.
        resolver.cancel();
        onIdle?.();
      }
    }
  }

  async function close(): Promise<void> {
    await new Promise<void>((resolve) => {
      onIdle = resolve;
      if (active === 0) resolve();
    });
    await pool.close();
  }

  return {
    get: (url, options) => call("GET", url, options, null),
    post: (url, options) => call("POST", url, options, options.body),
    close: () => (closing ??= close()),
  };
}

/** A refused address is retried like a refused connection, so that the time taken does not tell them apart. */
function isRetryable(error: unknown): boolean {
  return error instanceof CallError && error.reason === "connection_refused" && error.beforeSent;
}

/**
 * Sends one request on the client's connection and reads the answer. A body longer than `read` is cut there and its
 * connection destroyed. After a failure, the caller must destroy the client.
 *
 * @throws CallError, or the reason of the caller's own signal
 */
export function exchange(
  client: Client,
  { method, url, headers, body, read }: Request,
  deadline: Deadline,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let settled = false;
    let sent = false;
    let head: Omit<Answer, "body">;
    let kept: Buffer | undefined;
    let received = 0;

    const settle = () => {
      settled = true;
      deadline.listen(undefined);
    };
    deadline.listen((reason) => {
      settle();
      reject(sent && reason instanceof CallError ? new CallError(reason.reason, { beforeSent: false }) : reason);
    });
    const answer = () => {
      settle();
      resolve({ ...head, body: kept?.subarray(0, received) ?? Buffer.alloc(0) });
    };
    if (settled) return;

    client.dispatch(
      { path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart() {
          sent = true;
        },
        onResponseStart(_controller, status, given) {
          head = {
            status,
            headers: { retryAfter: first(given["retry-after"]), contentType: first(given["content-type"]) },
          };
        },
        onResponseData(controller, chunk) {
          if (settled) return;
          if (read > 0) {
            // One buffer, so that a body of many tiny chunks takes no more memory than `read`.
            kept ??= Buffer.allocUnsafe(read);
            chunk.copy(kept, received);
          }
          received += chunk.length;
          if (received <= (read || DISCARD_BYTES)) return;
          answer();
          controller.abort(new Error("The rest of the body is not needed."));
        },
        onResponseEnd() {
          if (!settled) answer();
        },
        onResponseError(_controller, error) {
          if (settled) return;
          settle();
          // An invalid header or path is a bug of the caller, not a failed call.
          reject(error instanceof errors.InvalidArgumentError ? error : toCallError(error, !sent));
        },
      },
    );
  });
}

/** A header that was sent more than once is a list. */
function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
