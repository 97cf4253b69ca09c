// Long because refusals of the transport, drain and stop all depend on the state of one server.
import { randomUUID } from "node:crypto";
import http from "node:http";
import net, { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { failure } from "../core/envelope.ts";
import { type Problem, type ProblemCode, problem } from "../core/problem.ts";
import { isLoopback } from "../lib/http-client/addresses.ts";
import type { Admission } from "./admission.ts";
import { replyProblem, requestId } from "./json.ts";
import type { HttpSocket } from "./pipelining.ts";
import { sendWaiting } from "./send-together.ts";

/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
/** How often Node looks for requests that take longer. */
const CHECK_TIMEOUTS_MS = 5_000;
const LINGER_MS = 1_000;
/** How much of an upload is read and discarded after it is refused, and for how long. */
const DISCARD_MS = 5_000;
const DISCARD_BYTES = 16 * 1024 ** 2;

/** The path prefix of the API, with its version. */
export const API_PREFIX = "/api/v1";

export interface WebApp {
  app: Express;
  server: http.Server;
  /**
   * Serves on for a while and ends each connection with its next answer, so that clients and proxies move elsewhere.
   * Ends at once for 0 ms.
   */
  drain(ms: number): Promise<void>;
  /** Accepts no new connections, lets running requests finish, and closes those that do not in time. */
  stop(): Promise<void>;
}

export interface WebAppOptions {
  trustProxy?: number | string | undefined;
  /** Handlers that run before express, in this order. */
  early?: readonly EarlyHandler[];
  /** Without it, every request is served. */
  admission?: Admission;
  maxConnections?: number;
  onDrop?: () => void;
}

/** A handler that runs before express: it answers, or calls next. */
export type EarlyHandler = (request: Request, response: Response, next: () => void) => void;

/**
 * An express app and the server that runs it. Two things make small reads twice as fast as plain express: the server
 * creates requests and responses with express's prototypes, where express would set them on each one; and the busiest
 * routes are handled by `early`, before express walks its layers.
 */
export function createWebApp(options: WebAppOptions = {}): WebApp {
  const { trustProxy, early = [], admission, maxConnections, onDrop } = options;
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", false);
  app.enable("case sensitive routing");
  app.enable("strict routing");
  if (trustProxy !== undefined) app.set("trust proxy", trustProxy);

  const connections = { keep: true };
  class Incoming extends http.IncomingMessage {}
  class Outgoing<R extends http.IncomingMessage = http.IncomingMessage> extends http.ServerResponse<R> {
    /** Called when the answer begins. */
    onBegin: (() => void) | undefined;
    /** Whether the head says that the connection closes, and whether the rest of the upload is being discarded. */
    #closes = false;
    #discards = false;

    override writeHead(...head: [status: number, ...rest: never[]]): this {
      this.onBegin?.();
      const { connection } = (head.at(-1) ?? {}) as http.OutgoingHttpHeaders;
      this.#closes = (connection ?? this.getHeader("connection")) === "close";
      if (!connections.keep) this.shouldKeepAlive = false;
      return super.writeHead(...head);
    }

    /**
     * A connection that closes under an upload is reset, and a proxy then answers 502 in place of our refusal. So the
     * answer is sent, and the connection closes once the upload ends or reaches a limit.
     */
    override end(...last: never[]): this {
      if (!this.headersSent) this.#closes = this.getHeader("connection") === "close";
      if (!this.#closes || this.#discards || this.req.complete) return super.end(...last);
      this.#discards = true;
      const [chunk] = last as unknown[];
      if (typeof chunk === "string" || chunk instanceof Uint8Array) {
        if (!this.headersSent) this.setHeader("content-length", Buffer.byteLength(chunk));
        this.write(chunk);
      } else this.flushHeaders();
      discardUpload(this.req, () => super.end());
      return this;
    }
  }
  Object.setPrototypeOf(Incoming.prototype, app.request);
  Object.setPrototypeOf(Outgoing.prototype, app.response);
  app.request = Incoming.prototype as never;
  app.response = Outgoing.prototype as never;

  const classes = { IncomingMessage: Incoming, ServerResponse: Outgoing };
  const run = runEarly(early, app);
  const admit = (request: http.IncomingMessage, response: http.ServerResponse, serve: () => void) => {
    // A request line may hold the absolute URL (RFC 9112, 3.2.2).
    if (request.url?.startsWith("http")) request.url = request.url.replace(/^https?:\/\/[^/?]*/i, "") || "/";
    if (admission === undefined) serve();
    else admission.admit(request, response, serve);
  };
  // guardHost refuses a request without a Host: Node's own answer has no envelope.
  const server = http.createServer(
    { ...classes, requireHostHeader: false, connectionsCheckingInterval: CHECK_TIMEOUTS_MS },
    (request, response) => admit(request, response, () => run(request, response)),
  );
  server.on("checkContinue", (request, response) => {
    // Whether a client that is refused sends its body nevertheless is its choice: the connection cannot be used again.
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    admit(request, response, () => {
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
      run(request, response);
    });
  });
  // Node ends a connection when its client does. What the client is still owed is sent first.
  server.on("connection", (socket) => socket.prependListener("end", sendWaiting));
  if (admission !== undefined) server.on("connection", () => admission.accepted());
  server.on("clientError", replyTransportError);
  server.on("connect", (_request, socket) => {
    // Node no longer listens for errors of this socket.
    socket.on("error", () => socket.destroy());
    const refusal = problem("method_not_allowed", "This server is not a proxy. Send the request to the host itself.");
    afterAnswers(socket, () => replyRaw(socket, refusal, { allow: "GET, HEAD, POST, PUT, PATCH" }));
  });
  server.on("checkExpectation", (request, response) => {
    response.setHeader("connection", "close");
    replyProblem(response, problem("expectation_failed"), requestId(request));
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  if (onDrop !== undefined) server.on("drop", onDrop);
  return { app, server, ...stopping(server, connections, admission) };
}

/** Reads the rest of an upload, up to a limit of time and bytes, or until the client leaves. Then calls back once. */
function discardUpload(request: http.IncomingMessage, then: () => void): void {
  let size = 0;
  const stop = () => {
    clearTimeout(deadline);
    request.off("data", count).off("end", stop).off("close", stop);
    then();
  };
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size > DISCARD_BYTES) stop();
  };
  const deadline = setTimeout(stop, DISCARD_MS).unref();
  request.on("data", count).on("end", stop).on("close", stop).resume();
}

/** Node's codes of requests that it cannot read. */
const TRANSPORT_ERRORS: Record<string, ProblemCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "payload_too_large",
};

/** Sockets with a request that could not be read. Node reports each chunk that still arrives on them as another error. */
const broken = new WeakSet<Duplex>();

/** Answers what never becomes a request, or broke off inside one: it has no response to write to. */
function replyTransportError(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  if (broken.has(socket)) return;
  broken.add(socket);
  afterAnswers(socket, (current) => {
    sendWaiting();
    if (!socket.writable || current?.headersSent) {
      socket.destroy();
      return;
    }
    const code = TRANSPORT_ERRORS[error.code ?? ""] ?? "bad_request";
    replyRaw(socket, problem(code), current ? { "x-request-id": requestId(current.req) } : {});
  });
}

/**
 * Waits until the requests that arrived whole are answered: a client would take an earlier answer for theirs.
 *
 * @param then is given the response to the request that has not arrived whole, if its headers have
 */
function afterAnswers(socket: HttpSocket, then: (current?: http.ServerResponse) => void): void {
  const deadline = setTimeout(() => socket.destroy(), REQUEST_TIMEOUT_MS).unref();
  const next = () => {
    const current = socket._httpMessage ?? undefined;
    if (current?.req.complete) {
      current.once("close", next);
      return;
    }
    clearTimeout(deadline);
    then(current);
  };
  next();
}

function replyRaw(socket: Duplex, refusal: Problem, more: Record<string, string>): void {
  const body = failure(refusal);
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": randomUUID(),
    ...more,
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${refusal.status} ${http.STATUS_CODES[refusal.status]}\r\n`;
  socket.end(`${status}${lines.join("")}\r\n${body}`);
  // What the client still sends is not read: it gets time to read the answer, and no more.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function runEarly(early: readonly EarlyHandler[], app: Express): http.RequestListener {
  const chain = early.reduceRight<(request: Request, response: Response) => void>(
    (next, handler) => (request, response) => handler(request, response, () => next(request, response)),
    app,
  );
  return (request, response) => chain(request as Request, response as Response);
}

/** Sets X-Request-Id on what express answers; `reply` sets it on the pipeline's answers. */
export function stampRequests(app: Express): void {
  app.use((request, response, next) => {
    response.setHeader("x-request-id", requestId(request));
    next();
  });
}

/** Mounts a path that can only be read; other methods answer 405. */
export function mountPage(app: Express, path: string, ...handlers: RequestHandler[]): void {
  app
    .route(path)
    .get(...handlers)
    .all((request, response) => {
      response.setHeader("allow", "GET, HEAD");
      replyProblem(response, problem("method_not_allowed", "Use GET or HEAD for this path."), requestId(request));
    });
}

/** Connections that wait to be accepted. Beyond it the kernel ignores clients, who try again after seconds. */
const BACKLOG = 4_096;

/** Listens, and returns the port. Port 0 picks a free one. */
export async function listen(server: http.Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port.");
  return address.port;
}

const REQUESTS = ["request", "checkContinue"] as const;

/**
 * Has requests wait, so that a server can take its port before it is ready to answer.
 *
 * @returns a function that serves those that wait, and all that follow
 */
export function holdRequests(server: http.Server): () => void {
  const waiting: (() => void)[] = [];
  const serving = REQUESTS.map((event) => {
    const listeners = server.listeners(event) as http.RequestListener[];
    server.removeAllListeners(event);
    server.on(event, (...request) => waiting.push(() => server.emit(event, ...request)));
    return { event, listeners };
  });
  return () => {
    for (const { event, listeners } of serving) {
      server.removeAllListeners(event);
      for (const listener of listeners) server.on(event, listener);
    }
    for (const serve of waiting) serve();
  };
}

/** How long running requests may take to finish once the listener is closed. */
const FINISH_MS = 5_000;
/** How often idle connections are closed while the server stops. */
const CLOSE_IDLE_EVERY_MS = 50;
/** Once nothing has happened for this long, no client is about to connect, or to send on a connection that it has. */
const QUIET_MS = 200;
/** How long clients that never pause can delay the next step of a stop. */
const MAX_UNQUIET_MS = 1_000;

/** How a server stops without cutting off a client that has just connected, or just sent a request. */
function stopping(server: http.Server, connections: { keep: boolean }, admission: Admission | undefined) {
  let isDrained = false;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  /** Waits until the event has not happened for a while. */
  async function quiet(event: "connection" | "request"): Promise<void> {
    const began = performance.now();
    let last = began;
    const note = () => {
      last = performance.now();
    };
    server.on(event, note);
    const goesOn = () => Math.min(last + QUIET_MS, began + MAX_UNQUIET_MS) - performance.now();
    for (let ms = goesOn(); ms > 0; ms = goesOn()) await sleep(ms);
    server.off(event, note);
  }

  function closeIdle(): void {
    server.closeIdleConnections();
    // Node counts a connection that has not sent anything among the busy ones.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  return {
    async drain(ms: number): Promise<void> {
      if (ms === 0) return;
      isDrained = true;
      connections.keep = false;
      await sleep(ms);
      // When the listener closes, the kernel resets connections that are not accepted yet. So from now on clients keep
      // the one they have, until none connects.
      connections.keep = true;
      await quiet("connection");
    },

    async stop(): Promise<void> {
      connections.keep = false;
      // http.Server's own would close idle connections at once, before it has read what they may have sent.
      const closed = new Promise<void>((resolve) => net.Server.prototype.close.call(server, () => resolve()));
      const deadline = setTimeout(() => server.closeAllConnections(), FINISH_MS);
      admission?.flush();
      if (isDrained) await quiet("request");
      // The second turn of the event loop begins when all that had arrived is read.
      const closingIdle = setInterval(() => setImmediate(() => setImmediate(closeIdle)), CLOSE_IDLE_EVERY_MS);
      setImmediate(() => setImmediate(closeIdle));
      await closed;
      clearInterval(closingIdle);
      clearTimeout(deadline);
      // What is left of it: the check of timeouts.
      server.close();
    },
  };
}

/** Whether a server with these settings can be reached only from this machine. */
export function isLocalOnly({ host, publicUrl }: { host: string; publicUrl: string | undefined }): boolean {
  return isLoopback(host) && (publicUrl === undefined || isLoopback(plainAddress(new URL(publicUrl).hostname)));
}

/** Headers that a proxy adds. */
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** Whether a request was made on this machine: from loopback, to a loopback name, and through no proxy. */
export function isLocalRequest({ headers, ip, socket }: Request): boolean {
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) return false;
  return [hostnameOf(headers.host ?? ""), ip, socket.remoteAddress].every((address = "") =>
    isLoopback(plainAddress(address)),
  );
}

/** Without the brackets of a URL, and without the prefix of an IPv4 address on a dual-stack socket. */
function plainAddress(address: string): string {
  return address.replace(/^\[(.*)\]$/, "$1").replace(/^::ffff:/, "");
}

const FOREIGN_HOST =
  "The Host header names another server. Use a loopback name, or set ROSTRUM_PUBLIC_URL to the address you use.";
/** The origin as it was sent: nothing but a browser's header, cut to what a log line holds. */
const foreignOrigin = (origin: string) =>
  `The origin ${origin.slice(0, 200)} is not allowed. To allow it, the server admin adds it to ROSTRUM_CORS_ORIGINS.`;

/**
 * DNS-rebinding protection. A page in a browser can point its own name at this machine: on a loopback address, only
 * loopback names and the public address are answered. A foreign Origin is refused wherever the server listens.
 *
 * @param isOpen whether any Origin may send this request
 * @param onRefusal called with each refusal of a foreign host or origin
 */
export function guardHost(
  host: string,
  publicUrl: string | undefined,
  isOpen: (request: Request) => boolean = () => false,
  onRefusal: (refusal: Problem, request: Request) => void = () => {},
): EarlyHandler {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const names = [...localhostAllowedHostnames(), ...own];
  if (isIP(host) === 4) names.push(host);
  const checksHost = isLoopback(host);
  const passed = new Set<string>();

  return (request, response, next) => {
    const { host: hostHeader = "" } = request.headers;
    // Proxies differ on which of two counts (RFC 9112, 3.2).
    if (hostsIn(request.rawHeaders) !== 1 && !(hostHeader === "" && request.httpVersion === "1.0")) {
      response.setHeader("connection", "close");
      return replyProblem(response, problem("bad_request", "Send exactly one Host header."), requestId(request));
    }
    const { origin: sent } = request.headers;
    const origin = sent === undefined || isOpen(request) ? "" : sent;
    const pair = `${hostHeader} ${origin}`;
    if (passed.has(pair)) return next();
    if (checksHost && !validateHostHeader(hostHeader, names).ok) {
      const refusal = problem("host_not_allowed", FOREIGN_HOST);
      onRefusal(refusal, request);
      return replyProblem(response, refusal, requestId(request));
    }
    const origins = checksHost ? names : [...names, hostnameOf(hostHeader)];
    // A form on a page that sends no referrer has an opaque origin; the console checks those by Sec-Fetch-Site.
    const opaque = origin === "null" && request.url.startsWith("/console/") && request.method === "POST";
    if (!opaque && !validateOriginHeader(origin, origins).ok) {
      const refusal = problem("origin_not_allowed", foreignOrigin(origin));
      onRefusal(refusal, request);
      return replyProblem(response, refusal, requestId(request));
    }
    if (!opaque && passed.size < 1_000) passed.add(pair);
    next();
  };
}

function hostsIn(rawHeaders: readonly string[]): number {
  let found = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") found += 1;
  }
  return found;
}

function hostnameOf(hostHeader: string): string {
  return URL.canParse(`http://${hostHeader}`) ? new URL(`http://${hostHeader}`).hostname : "";
}
