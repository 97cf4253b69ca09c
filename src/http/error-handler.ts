import type { ErrorRequestHandler, Express } from "express";
import { problem } from "../core/problem.ts";
import type { Log } from "../lib/log.ts";
import { replyProblem, requestId } from "./json.ts";
import { sendWaiting } from "./send-together.ts";

/** Mounted last: answers unknown routes, paths that cannot be decoded, and unexpected errors. */
export function mountErrorHandlers(app: Express, log: Log): void {
  app.use((request, response) => {
    const refusal = problem(
      "route_not_found",
      `No operation has the path ${request.method} ${request.path}. See /api/v1/openapi.json.`,
    );
    replyProblem(response, refusal, requestId(request));
  });
  const onError: ErrorRequestHandler = (error, request, response, next) => {
    sendWaiting();
    if (response.headersSent) return next(error);
    const id = requestId(request);
    if (error instanceof URIError)
      return replyProblem(
        response,
        problem("invalid_id", "The path has invalid percent-encoding. Encode special characters as %XX."),
        id,
      );
    log.error({ err: error, requestId: id }, "an error outside the pipeline");
    replyProblem(response, problem("internal_error"), id);
  };
  app.use(onError);
}
