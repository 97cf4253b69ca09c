import type { Express, Request, Response } from "express";
import { problem } from "../core/problem.ts";
import type { Log } from "../lib/log.ts";
import { discardBody, replyProblem, requestId } from "./json.ts";
import { staticPage, staticPageHeaders } from "./static-page.ts";

export interface UnsubscribeParts<OptOut> {
  path: string;
  /** The content of a token; undefined if this server did not issue it. */
  read(token: string): OptOut | undefined;
  /** Idempotent. */
  unsubscribe(optOut: OptOut): Promise<void>;
  log: Log;
}

const ASK = staticPage(
  "Unsubscribe",
  "To stop messages from this sender to this address, select Unsubscribe.",
  "Unsubscribe",
);
const DONE = staticPage("You are unsubscribed", "You won't get any more messages from this sender at this address.");
const UNKNOWN = staticPage(
  "This link isn't valid",
  "It may be incomplete. Open it from the email, or reply to the email to unsubscribe.",
);
const LARGE = staticPage("Something went wrong", "Open the link from the email again, then select Unsubscribe.");
const FAILED = staticPage("Something went wrong", "We couldn't unsubscribe you. Try again in a minute.", "Try again");

/**
 * The page behind the unsubscribe link of every message, and the one-click POST of RFC 8058. It needs no sign-in and no
 * cookie: the token is the permission. A GET changes nothing, since mail scanners follow links.
 */
export function mountUnsubscribe<OptOut>(
  app: Express,
  { path, read, unsubscribe, log }: UnsubscribeParts<OptOut>,
): void {
  const tokenOf = (request: Request) => read(String(request.params.token));
  app
    .route(`${path}/:token`)
    .all(staticPageHeaders, (_request, response, next) => {
      response.set({ "cache-control": "no-store", "x-robots-tag": "noindex, nofollow" });
      next();
    })
    .get((request, response) => {
      if (tokenOf(request) === undefined) send(response, 404, UNKNOWN);
      else send(response, 200, ASK);
    })
    .post(async (request, response) => {
      // The body is ignored: a form sends an empty one, a mail provider List-Unsubscribe=One-Click.
      if (!(await discardBody(request))) {
        response.set("connection", "close");
        return send(response, 413, LARGE);
      }
      const optOut = tokenOf(request);
      if (optOut === undefined) return send(response, 404, UNKNOWN);
      try {
        await unsubscribe(optOut);
      } catch (error) {
        log.error({ err: error, requestId: requestId(request) }, "an opt-out was not recorded");
        return send(response, 500, FAILED);
      }
      send(response, 200, DONE);
    })
    .all((request, response) => {
      response.set("allow", "GET, HEAD, POST");
      replyProblem(response, problem("method_not_allowed", "Use GET, HEAD or POST for this path."), requestId(request));
    });
}

function send(response: Response, status: number, html: string): void {
  response.status(status).type("html").send(html);
}
