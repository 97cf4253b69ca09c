import type { Express, Request, Response } from "express";
import { readJsonBody } from "../http/json-body.ts";
import { reply, replyProblem } from "../http/reply.ts";
import { requestId } from "../http/request-id.ts";
import { API_PREFIX } from "../http/server.ts";
import type { Invoke } from "../invoke.ts";
import type { HttpRoute, Operation } from "../operation.ts";
import { problem } from "../problem.ts";
import { inputProperties } from "../schemas.ts";
import { coerceQuery } from "./coerce.ts";

type Routed = Operation & { http: HttpRoute };

/** Gives every operation with a route its place below /api/v1; other methods of its path answer 405. */
export function mountRoutes(app: Express, operations: readonly Operation[], invoke: Invoke): void {
  const routed = operations.filter((operation): operation is Routed => operation.http !== undefined);
  // Fixed paths go first: OpenAPI says that /contacts/assert is never the contact called assert.
  const paths = [...new Set(routed.map(({ http }) => http.path))].sort(
    (a, b) => Number(a.includes("{")) - Number(b.includes("{")),
  );
  for (const path of paths) {
    const route = app.route(API_PREFIX + path.replaceAll(/\{(\w+)\}/g, ":$1"));
    const here = routed.filter(({ http }) => http.path === path);
    for (const operation of here) {
      route[operation.http.method.toLowerCase() as "get"](restHandler(operation, invoke));
    }
    const allow = here.map(({ http }) => (http.method === "GET" ? "GET, HEAD" : http.method)).join(", ");
    route.all((request, response) => {
      response.setHeader("allow", allow);
      replyProblem(response, problem("method_not_allowed", `Use ${allow} here.`), requestId(request));
    });
  }
}

function restHandler(operation: Routed, invoke: Invoke) {
  const { method, path } = operation.http;
  const properties = inputProperties(operation);
  return async (request: Request, response: Response): Promise<void> => {
    const id = requestId(request);
    const [, query = ""] = request.url.split("?", 2);
    const answer = await invoke(operation, {
      caller: {
        authorization: request.headers.authorization,
        route: `${method} ${path}`,
        get address() {
          return request.ip;
        },
      },
      surface: "rest",
      requestId: id,
      params: request.params as Record<string, string>,
      input: method === "GET" ? () => coerceQuery(query, properties) : () => readJsonBody(request),
      idempotencyKey: request.headers["idempotency-key"] as string | undefined,
      get address() {
        return request.ip;
      },
    });
    reply(response, answer, id);
  };
}
