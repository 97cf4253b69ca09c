import http from "node:http";
import express, { type Express, type Request, type Response } from "express";

/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;

/** The path prefix of the API, with its version. */
export const API_PREFIX = "/api/v1";

export interface WebApp {
  app: Express;
  server: http.Server;
}

/** A handler that runs before express: it answers, or calls next. */
export type EarlyHandler = (request: Request, response: Response, next: () => void) => void;

/**
 * An express app and the server that runs it. Two things make small reads twice as fast as express alone: the server
 * creates requests and responses with express's prototypes, where express would set them on each one; and the busiest
 * routes are handled by `early`, before express walks its layers.
 */
export function createWebApp(trustProxy: number | string | undefined, early: readonly EarlyHandler[] = []): WebApp {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", false);
  app.enable("case sensitive routing");
  app.enable("strict routing");
  if (trustProxy !== undefined) app.set("trust proxy", trustProxy);

  class Incoming extends http.IncomingMessage {}
  class Outgoing<R extends http.IncomingMessage = http.IncomingMessage> extends http.ServerResponse<R> {}
  Object.setPrototypeOf(Incoming.prototype, app.request);
  Object.setPrototypeOf(Outgoing.prototype, app.response);
  app.request = Incoming.prototype as never;
  app.response = Outgoing.prototype as never;

  const server = http.createServer({ IncomingMessage: Incoming, ServerResponse: Outgoing }, runEarly(early, app));
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return { app, server };
}

function runEarly(early: readonly EarlyHandler[], app: Express): http.RequestListener {
  const chain = early.reduceRight<(request: Request, response: Response) => void>(
    (next, handler) => (request, response) => handler(request, response, () => next(request, response)),
    app,
  );
  return (request, response) => {
    // A request line may hold the absolute URL (RFC 9112, 3.2.2).
    if (request.url?.startsWith("http")) request.url = request.url.replace(/^https?:\/\/[^/?]*/i, "") || "/";
    chain(request as Request, response as Response);
  };
}

/** Listens, and returns the port. Port 0 picks a free one. */
export async function listen(server: http.Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port.");
  return address.port;
}

/** The URL of a server for a browser on this machine. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** How long running requests may take to finish once the server stops. */
const FINISH_MS = 8_000;

/** How often idle connections are closed while the server stops. */
const CLOSE_IDLE_EVERY_MS = 50;

/** Accepts no new connections, lets running requests finish, and closes those that do not in time. */
export async function stopServer(server: http.Server): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  const closingIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  server.prependListener("request", (_request, response) => {
    response.shouldKeepAlive = false;
  });
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(closingIdle);
  clearTimeout(deadline);
}
