import http from "node:http";
import express, { type Express, type Request, type Response } from "express";

/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;

/** The version of the API, in every path of it. */
export const API_PREFIX = "/api/v1";

export interface WebApp {
  app: Express;
  server: http.Server;
}

/** A handler that comes before express: it answers, or calls next. */
export type First = (request: Request, response: Response, next: () => void) => void;

/**
 * An express app and the server that runs it. Two things make small reads twice as quick as express alone: the server
 * makes requests and responses with express's prototypes from the start, where express sets them anew for each; and
 * what is asked for most is handled by `first`, before the app's own walk through its layers.
 */
export function createWebApp(trustProxy: number | string | undefined, first: readonly First[] = []): WebApp {
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

  const server = http.createServer({ IncomingMessage: Incoming, ServerResponse: Outgoing }, before(first, app));
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return { app, server };
}

function before(first: readonly First[], app: Express): http.RequestListener {
  const chain = first.reduceRight<(request: Request, response: Response) => void>(
    (next, handler) => (request, response) => handler(request, response, () => next(request, response)),
    app,
  );
  return (request, response) => {
    // A request line may name the whole address (RFC 9112, 3.2.2).
    if (request.url?.startsWith("http")) request.url = request.url.replace(/^https?:\/\/[^/?]*/i, "") || "/";
    chain(request as Request, response as Response);
  };
}

/** Listens, and answers the port. Port 0 picks a free one. */
export async function listen(server: http.Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port.");
  return address.port;
}

/** The address of a server as a browser on this machine would write it. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** How long requests that run at the stop may take to finish. */
const FINISH_MS = 8_000;

/** How often connections that have fallen idle are looked for during a stop. */
const IDLE_LOOK_MS = 50;

/** Takes no new connections, lets what runs finish, and cuts off what does not. */
export async function stopServer(server: http.Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  const looking = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
  server.prependListener("request", (_request, response) => {
    response.shouldKeepAlive = false;
  });
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(looking);
  clearTimeout(late);
}
