import { createHash } from "node:crypto";
import type { Express, Request, Response } from "express";
import helmet from "helmet";
import { problem } from "../core/problem.ts";
import type { Log } from "../lib/log.ts";
import { discardBody, replyProblem, requestId } from "./json.ts";

export interface UnsubscribeParts<OptOut> {
  path: string;
  /** The content of a token; undefined if this server did not issue it. */
  read(token: string): OptOut | undefined;
  /** Idempotent. */
  unsubscribe(optOut: OptOut): Promise<void>;
  log: Log;
}

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { max-width: 32rem; margin: 15vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; }
button { font: inherit; padding: 0.6rem 1.4rem; border: 0; border-radius: 0.4rem; color: #fff; background: #1d4ed8; }
button:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px; }
`;

/** Static pages: nothing of the request or the token is in them, so nothing needs escaping. */
function page(title: string, text: string, button?: string): string {
  const form = button === undefined ? "" : `<form method="post"><button>${button}</button></form>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
${form}</main>
</body>
</html>
`;
}

const ASK = page("Unsubscribe", "You will get no more messages from this sender at this address.", "Unsubscribe");
const DONE = page("You are unsubscribed", "You will get no more messages from this sender at this address.");
const UNKNOWN = page(
  "This link is not known here",
  "It may be cut off. Follow it from the message, or answer the message.",
);
const LARGE = page("That was too much", "Open the link from the message again, and press the button.");
const FAILED = page("That did not work", "We could not unsubscribe you just now. Try again in a minute.", "Try again");

const headers = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: [`'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`],
      imgSrc: ["data:"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  referrerPolicy: { policy: "no-referrer" },
  // The proxy in front decides on TLS.
  strictTransportSecurity: false,
});

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
    .all(headers, (_request, response, next) => {
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
        log.error({ err: error, requestId: requestId(request) }, "an opt-out was not written down");
        return send(response, 500, FAILED);
      }
      send(response, 200, DONE);
    })
    .all((request, response) => {
      response.set("allow", "GET, HEAD, POST");
      replyProblem(response, problem("method_not_allowed", "Use GET, HEAD, POST here."), requestId(request));
    });
}

function send(response: Response, status: number, html: string): void {
  response.status(status).type("html").send(html);
}
