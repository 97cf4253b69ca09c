import type { Log } from "../lib/log.ts";
import { requestId } from "./json.ts";
import type { EarlyHandler } from "./server.ts";

/** Parts of a path that are longer than an id are tokens of setup, invitation, reset and unsubscribe links. */
const MAX_SHOWN = 36;
/** In some operations, an email address or a phone number names the contact. */
const PERSONAL = /@|%40|^(?:\+|%2b)/i;
const MAX_PATH = 500;
const MAX_AGENT = 200;

/** Logs each request once it is answered: no query, no token, no body. */
export function accessLog(log: Log): EarlyHandler {
  return (request, response, next) => {
    const started = performance.now();
    const id = requestId(request);
    // The response and the other logs have the same id.
    request.headers["x-request-id"] = id;
    const { method, url } = request;
    response.once("close", () => {
      const entry = {
        requestId: id,
        method,
        path: shownPath(url),
        status: response.statusCode,
        ms: Math.round((performance.now() - started) * 10) / 10,
        address: request.ip,
        userAgent: request.headers["user-agent"]?.slice(0, MAX_AGENT),
      };
      // The client went away before it had sent its body, or before the answer was sent.
      const isAborted = request.errored !== null || !response.writableFinished;
      log.info(isAborted ? { ...entry, aborted: true } : entry, "request");
    });
    next();
  };
}

function shownPath(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path
    .split("/")
    .map((part) => (part.length > MAX_SHOWN || PERSONAL.test(part) ? "…" : part))
    .join("/")
    .slice(0, MAX_PATH);
}
