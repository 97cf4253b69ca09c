import cors, { type CorsOptions } from "cors";
import type { Express, Request, RequestHandler } from "express";
import { requestId } from "./json.ts";
import { API_PREFIX, type EarlyHandler, mountPage } from "./server.ts";

/** Where a page of an allowed origin may call: the API with its MCP endpoint, and the endpoints to sign in. */
const SHARED = [`${API_PREFIX}/`, "/oauth/"];
const MAX_AGE_SECONDS = 7_200;

/** What scripts may read beyond the headers that browsers always show. */
const EXPOSED = [
  "ETag",
  "Location",
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
];

const shared: CorsOptions = { exposedHeaders: EXPOSED, maxAge: MAX_AGE_SECONDS };

/** Whether the Origin of a request to this URL is not to be refused. */
export type AllowsOrigin = (request: Pick<Request, "url" | "headers">) => boolean;

/**
 * Lets pages of the listed origins call with a key. Nothing is allowed to send cookies. The handler costs requests without
 * an Origin, which no page sent, one look.
 *
 * @param documents paths that every page may read; `mountDocument` answers them
 */
export function shareWith(
  origins: readonly string[],
  documents: readonly string[],
): { allows: AllowsOrigin; handler: EarlyHandler } {
  const answer = cors({ ...shared, origin: [...origins], methods: ["GET", "HEAD", "POST", "PUT", "PATCH"] });
  const isShared: AllowsOrigin = ({ url, headers }) =>
    origins.includes(headers.origin ?? "") && SHARED.some((prefix) => url.startsWith(prefix));
  const isDocument = (url: string) => documents.includes(url.split("?", 1)[0] as string);
  return {
    allows: (request) => isShared(request) || isDocument(request.url),
    handler(request, response, next) {
      if (request.headers.origin === undefined || isDocument(request.url) || !isShared(request)) return next();
      response.setHeader("x-request-id", requestId(request));
      answer(request, response, next);
    },
  };
}

const anyOrigin = cors({ ...shared, origin: "*", methods: ["GET", "HEAD"] });

/** Mounts a public document, which pages of every origin may read. */
export function mountDocument(app: Express, path: string, ...handlers: RequestHandler[]): void {
  app.options(path, (request, response, next) => {
    response.setHeader("x-request-id", requestId(request));
    anyOrigin(request, response, next);
  });
  mountPage(app, path, anyOrigin, ...handlers);
}
