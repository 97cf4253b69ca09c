import type { Express, RequestHandler } from "express";
import { problem } from "../problem.ts";
import { replyProblem } from "./reply.ts";
import { requestId } from "./request-id.ts";

/** Gives what express answers its X-Request-Id; the pipeline's answers bring their own. */
export function stampRequests(app: Express): void {
  app.use((request, response, next) => {
    response.setHeader("x-request-id", requestId(request));
    next();
  });
}

/** Something to read at a path of its own; other methods answer 405. */
export function mountPage(app: Express, path: string, ...handlers: RequestHandler[]): void {
  app
    .route(path)
    .get(...handlers)
    .all((request, response) => {
      response.setHeader("allow", "GET, HEAD");
      replyProblem(response, problem("method_not_allowed", "Use GET, HEAD here."), requestId(request));
    });
}
