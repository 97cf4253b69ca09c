import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  type Implementation,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Express } from "express";
import type { Invoke, InvokeParts } from "../core/invoke.ts";
import { hasMethod, type Operation } from "../core/operation.ts";
import { type Problem, type ProblemCode, problem } from "../core/problem.ts";
import { CONNECTOR_SCOPES, MCP_PATH } from "../domain/access/oauth.ts";
import { readJsonBody, reply, requestId } from "../http/json.ts";
import type { Authenticate } from "../identity/authenticate.ts";
import { RESOURCE_METADATA_PATH } from "../identity/oauth/metadata.ts";
import type { Log } from "../lib/log.ts";
import { ListAnswers } from "./list-answers.ts";
import { createMcpServer, type McpCall, type Toolbox } from "./server.ts";

export interface McpParts extends Pick<InvokeParts, "limits" | "refuse" | "authLog"> {
  authenticate: Authenticate;
  log: Log;
  identity: Implementation;
  operations: readonly Operation[];
  toolbox: Toolbox;
  invoke: Invoke;
  /** The server's address from outside, once it listens. */
  url: () => string;
}

export function mountMcp(app: Express, parts: McpParts): void {
  app.all(MCP_PATH, createMcpEndpoint(parts));
}

/**
 * The MCP endpoint: Streamable HTTP as stateless JSON, one message a POST, in both protocol eras. The key is checked
 * before anything else, whatever the method: a client that asks without one must meet 401 to find out how to sign in.
 */
function createMcpEndpoint(parts: McpParts) {
  const serve = createEras(parts);
  const called = new Set(["tools/call", ...parts.operations.filter(hasMethod).map(({ rpc }) => rpc)]);
  /** Its own scope decides whether the call is a use of the key. */
  const callsOperation = (body: unknown) => called.has((body as { method?: string } | null)?.method ?? "");
  const lists = new ListAnswers();

  return async (request: IncomingMessage & { ip?: string | undefined }, response: ServerResponse): Promise<void> => {
    const id = requestId(request);
    try {
      const { authorization, "idempotency-key": idempotencyKey } = request.headers;
      const address = () => request.ip;
      const actor = await parts.authenticate({ authorization, address, route: `${request.method} /mcp` });
      if (request.method !== "POST") {
        response.setHeader("allow", "POST");
        throw problem("method_not_allowed", "This endpoint keeps no sessions and no streams: use POST.");
      }
      await parts.limits.spend("mcp", actor.id);
      const body = await readJsonBody(request);
      if (Array.isArray(body)) throw problem("validation_failed", "Batches are not taken: send one message a POST.");
      if (!callsOperation(body)) parts.authLog.used(actor.id);
      const call = { actor, requestId: id, address, idempotencyKey: idempotencyKey as string | undefined };
      const known = lists.find(call, request, body);
      if (known !== undefined) return reply(response, { status: 200, body: known }, id);
      const answer = await serve(webRequest(request, response), body, call);
      const text = await answer.text();
      lists.keep(call, request, body, answer.status, text);
      forward(response, id, answer.status, text);
    } catch (error) {
      const answer = parts.refuse(error, { operation: "mcp", requestId: id });
      const body = answer.status === 401 ? answer.body : rpcRefusal(answer.refusal, answer.body);
      reply(response, { ...answer, body }, id, {
        metadata: parts.url() + RESOURCE_METADATA_PATH,
        scopes: CONNECTOR_SCOPES,
      });
    }
  };
}

/** Serves one message in the era that it is written in: 2026-07-28, or 2025-11-25 and older. */
function createEras({ identity, operations, toolbox, invoke, log }: McpParts) {
  const methods = operations.filter(hasMethod);
  const serverFor = (call: McpCall) => createMcpServer({ identity, toolbox, methods, invoke }, call);
  const calls = new WeakMap<Request, McpCall>();
  const modern = createMcpHandler(({ requestInfo }) => serverFor(calls.get(requestInfo as Request) as McpCall), {
    legacy: "reject",
    onerror: (error) => log.debug({ err: error }, "an MCP request was refused"),
  });

  return async (request: Request, body: unknown, call: McpCall): Promise<Response> => {
    const { method, id } = (body ?? {}) as { method?: unknown; id?: unknown };
    if (method === "subscriptions/listen") {
      // The SDK would open a stream.
      const message = "Method not found: this endpoint does not stream.";
      return new Response(rpcError(METHOD_NOT_FOUND, message, undefined, id), { status: 404 });
    }
    if (carriesEnvelope(body) || !(await isLegacyRequest(request, body))) {
      calls.set(request, call);
      return modern.fetch(request, { parsedBody: body });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await serverFor(call).connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  };
}

/**
 * Whether this is surely a request of 2026-07-28. The SDK classifies it once more before it serves it, and that is a
 * tenth of a tool call's work.
 */
function carriesEnvelope(body: unknown): boolean {
  const { method, result, error, params } = (body ?? {}) as Record<string, unknown>;
  if (typeof method !== "string" || method === "initialize" || result !== undefined || error !== undefined)
    return false;
  const { _meta: meta } = (params ?? {}) as { _meta?: unknown };
  return typeof meta === "object" && meta !== null && PROTOCOL_VERSION_META_KEY in meta;
}

/** JSON-RPC's own codes, and the server's code for the statuses of HTTP. */
const METHOD_NOT_FOUND = -32601;
const SERVER_ERROR = -32000;
const RPC_CODES: { [code in ProblemCode]?: number } = {
  invalid_json: -32700,
  validation_failed: -32600,
  internal_error: -32603,
};

function rpcError(code: number, message: string, data?: object, id?: unknown): string {
  const known = typeof id === "string" || typeof id === "number";
  return JSON.stringify({ jsonrpc: "2.0", error: { code, message, data }, id: known ? id : null });
}

/** A failure envelope as a JSON-RPC error. */
function rpcRefusal({ code, message }: Problem, envelope: string): string {
  const { correlationId } = JSON.parse(envelope) as { correlationId?: string };
  return rpcError(RPC_CODES[code] ?? SERVER_ERROR, message, { code, correlationId });
}

/**
 * What the SDK reads of a Request when it is handed the parsed body. A real one would make a header list, streams and
 * a second abort signal that nothing uses, a quarter of a tool call's work.
 */
class ReadRequest {
  readonly method = "POST";
  readonly url = "http://rostrum.invalid/mcp";
  readonly headers: Pick<Headers, "get" | "has">;
  readonly signal: AbortSignal;

  constructor({ headers }: IncomingMessage, signal: AbortSignal) {
    const get = (name: string) => headers[name.toLowerCase()]?.toString() ?? null;
    this.headers = { get, has: (name) => get(name) !== null };
    this.signal = signal;
  }
}

function webRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return new ReadRequest(request, gone.signal) as unknown as Request;
}

function forward(response: ServerResponse, id: string, status: number, body: string): void {
  if (body !== "") reply(response, { status, body }, id);
  else response.writeHead(status, { "cache-control": "no-store", "x-request-id": id }).end();
}
