import type { Request, Response } from "express";
import { readJsonBody } from "../http/json-body.ts";
import { reply, replyProblem } from "../http/reply.ts";
import { requestId } from "../http/request-id.ts";
import { API_PREFIX, type First } from "../http/server.ts";
import type { Invoke } from "../invoke.ts";
import type { Operation } from "../operation.ts";
import { problem } from "../problem.ts";
import { inputProperties } from "../schemas.ts";
import { coerceQuery } from "./coerce.ts";
import { createMatcher, type Routed } from "./match.ts";

type Handler = (request: Request, response: Response, params: Record<string, string>, query: string) => Promise<void>;

/** Gives every operation with a route its place below /api/v1; other methods of a place answer 405. */
export function restRouter(operations: readonly Operation[], invoke: Invoke): First {
  const routed = operations.filter((operation): operation is Routed => operation.http !== undefined);
  const match = createMatcher(routed, (operation) => restHandler(operation, invoke));

  return (request, response, next) => {
    const { url, method } = request;
    if (!url.startsWith(API_PREFIX)) return next();
    const mark = url.indexOf("?");
    const path = url.slice(API_PREFIX.length, mark === -1 ? undefined : mark);
    const found = match(path);
    if (found === undefined) return next();
    const { place, params } = found;
    const handle = place.methods.get(method === "HEAD" ? "GET" : method);
    if (handle === undefined) {
      response.setHeader("allow", place.allow);
      return replyProblem(response, problem("method_not_allowed", `Use ${place.allow} here.`), requestId(request));
    }
    if (!decode(params)) {
      return replyProblem(response, problem("invalid_id", "path: is not valid percent-encoding."), requestId(request));
    }
    // invoke answers every fault; what is left is a connection that broke under the answer.
    handle(request, response, params, mark === -1 ? "" : url.slice(mark + 1)).catch(() => response.destroy());
  };
}

/** Decodes the values in place; false where one is no valid percent-encoding. */
function decode(params: Record<string, string>): boolean {
  try {
    for (const [name, value] of Object.entries(params)) params[name] = decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}

function restHandler(operation: Routed, invoke: Invoke): Handler {
  const { method, path } = operation.http;
  const route = `${method} ${path}`;
  const properties = inputProperties(operation);
  return async (request, response, params, query) => {
    const id = requestId(request);
    const address = () => request.ip;
    const answer = await invoke(operation, {
      caller: { authorization: request.headers.authorization, route, address },
      surface: "rest",
      requestId: id,
      params,
      input: method === "GET" ? () => coerceQuery(query, properties) : () => readJsonBody(request),
      idempotencyKey: request.headers["idempotency-key"] as string | undefined,
      address,
    });
    reply(response, answer, id);
  };
}
