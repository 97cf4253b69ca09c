import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Express, RequestHandler } from "express";
import { failure } from "../core/envelope.ts";
import type { Answer } from "../core/invoke.ts";
import { type Problem, problem } from "../core/problem.ts";

/** For clients that must sign in: the URL of the resource metadata (RFC 9728), and the scopes to ask for. */
interface Protection {
  metadata: string;
  scopes: readonly string[];
}

/** Sends an answer of the pipeline: its status, its envelope, and the headers that its refusal needs. */
export function reply(response: ServerResponse, answer: Answer, requestId: string, protection?: Protection): void {
  const headers: Record<string, string | number> = {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(answer.body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
  };
  const { refusal } = answer;
  if (refusal !== undefined) {
    if (refusal.status === 401) headers["www-authenticate"] = challenge(refusal, protection);
    // The rest of the upload is not read.
    if (refusal.code === "payload_too_large") headers.connection = "close";
    if (refusal.retryAfter !== undefined) headers["retry-after"] = refusal.retryAfter;
  }
  response.writeHead(answer.status, STATUS_CODES[answer.status], headers).end(answer.body);
}

/** Sends a refusal outside the pipeline: unknown routes, wrong methods, foreign hosts. */
export function replyProblem(response: ServerResponse, refusal: Problem, requestId: string): void {
  reply(response, { status: refusal.status, body: failure(refusal), refusal }, requestId);
}

/** RFC 6750 and 9728: the scheme, the error if a token was sent, and where an MCP client learns how to sign in. */
function challenge(refusal: Problem, protection?: Protection): string {
  if (refusal.code === "not_signed_in") return 'Session realm="rostrum"';
  const parts = ['Bearer realm="rostrum"'];
  if (refusal.code !== "missing_key") parts.push(`error="invalid_token", error_description="${refusal.code}"`);
  if (protection !== undefined) {
    parts.push(`resource_metadata="${protection.metadata}"`, `scope="${protection.scopes.join(" ")}"`);
  }
  return parts.join(", ");
}

const VALID_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The caller's own X-Request-Id if it sent a valid one, else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && VALID_REQUEST_ID.test(given) ? given : randomUUID();
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
      replyProblem(response, problem("method_not_allowed", "Use GET, HEAD here."), requestId(request));
    });
}
