import type { Request, Response } from "express";
import type { Authenticate } from "../auth/authenticate.ts";
import { readJsonBody } from "../http/json-body.ts";
import { reply, replyProblem } from "../http/reply.ts";
import { requestId } from "../http/request-id.ts";
import { API_PREFIX, type First } from "../http/server.ts";
import type { Invoke } from "../invoke.ts";
import { isRouted, type Operation, type Routed } from "../operation.ts";
import { problem } from "../problem.ts";
import { inputProperties } from "../schemas.ts";
import { coerceQuery } from "./coerce.ts";
import { createMatcher } from "./match.ts";

type Handler = (request: Request, response: Response, params: Record<string, string>, query: string) => Promise<void>;

/** Gives every operation with a route its place below /api/v1; other methods of a place answer 405. */
export function restRouter(operations: readonly Operation[], invoke: Invoke, authenticate: Authenticate): First {
  const match = createMatcher(operations.filter(isRouted), (operation) => restHandler(operation, invoke, authenticate));

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
    for (const name in params) params[name] = decode(params[name] as string);
    // invoke answers every fault; what is left is a connection that broke under the answer.
    handle(request, response, params, mark === -1 ? "" : url.slice(mark + 1)).catch(() => response.destroy());
  };
}

/** A value that is no valid percent-encoding stays as it is: its schema refuses it, once the caller is known. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function restHandler(operation: Routed, invoke: Invoke, authenticate: Authenticate): Handler {
  const { method, path } = operation.http;
  const route = `${method} ${path}`;
  const properties = inputProperties(operation);
  return async (request, response, params, query) => {
    const id = requestId(request);
    const address = () => request.ip;
    const answer = await invoke(operation, {
      caller: () => authenticate({ authorization: request.headers.authorization, route, address }),
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
