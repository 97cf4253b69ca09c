import { createHash } from "node:crypto";
import type { Express } from "express";
import helmet from "helmet";
import type { Operation } from "../core/operation.ts";
import { compressed } from "../http/compress.ts";
import { mountDocument } from "../http/cors.ts";
import { API_PREFIX, mountPage } from "../http/server.ts";
import { oncePer } from "../lib/memo.ts";
import { vendoredFile } from "../lib/package.ts";
import { openApi } from "./openapi.ts";

export const OPENAPI_PATH = `${API_PREFIX}/openapi.json`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Rostrum API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <noscript>This page needs JavaScript. The description itself is at <a href="${OPENAPI_PATH}">openapi.json</a>.</noscript>
    <div id="reference"></div>
    <script src="/docs/no-eval.js"></script>
    <script src="/docs/api-reference.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/**
 * The renderer tests whether it may compile code at run time. The policy of the page forbids it. Answering the test
 * here keeps every try from being reported as a violation.
 */
const NO_EVAL = `const refuse = function () { throw new EvalError("Code is not compiled in this page."); };
refuse.prototype = Function.prototype;
window.Function = refuse;
`;

/** The renderer's own outside requests are all switched off: fonts, proxy, telemetry, assistant, toolbar. */
const START = `Scalar.createApiReference("#reference", ${JSON.stringify({
  url: OPENAPI_PATH,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "json",
  defaultOpenAllTags: true,
})});
`;

/** The description, and a tag that changes with it: the same for every coding, so a weak one. */
const description = oncePer((operations: readonly Operation[]) => {
  const text = JSON.stringify(openApi(operations));
  return { text, tag: `W/"${createHash("sha256").update(text).digest("base64url")}"` };
});
/** It changes only with an upgrade. */
const CACHE = "public, max-age=300";

/**
 * `openapi.json`, and `/docs`: the API reference for people, rendered from it in the browser without requests to
 * other servers. Both are open to everyone who reaches the server.
 */
export function mountReference(app: Express, operations: readonly Operation[]): void {
  mountDocument(app, OPENAPI_PATH, compressed, (_request, response) => {
    const { text, tag } = description(operations);
    // `send` answers 304 to a client that has this one.
    response.set({ etag: tag, "cache-control": CACHE }).type("json").send(text);
  });
  const bundle = vendoredFile("api-reference.js");
  const page = helmet({
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // The renderer writes its styles into the page.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:"],
        fontSrc: ["'self'", "data:"],
        connectSrc: ["'self'"],
        frameAncestors: ["'none'"],
        upgradeInsecureRequests: null,
      },
    },
    strictTransportSecurity: false,
  });
  mountPage(app, "/docs", page, (_request, response) => {
    response.type("html").send(PAGE);
  });
  mountPage(app, "/docs/no-eval.js", page, (_request, response) => {
    response.type("js").send(NO_EVAL);
  });
  mountPage(app, "/docs/start.js", page, (_request, response) => {
    response.type("js").send(START);
  });
  mountPage(app, "/docs/api-reference.js", page, compressed, (_request, response) => {
    response.sendFile(bundle, { maxAge: "1d" });
  });
}
