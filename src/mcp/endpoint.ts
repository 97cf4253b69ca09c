import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  type Implementation,
  isLegacyRequest,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Express } from "express";
import type { Credential } from "../auth/authenticate.ts";
import type { Actor } from "../context.ts";
import { readJsonBody } from "../http/json-body.ts";
import { reply } from "../http/reply.ts";
import { requestId } from "../http/request-id.ts";
import { API_PREFIX } from "../http/server.ts";
import { type Invoke, refuse } from "../invoke.ts";
import type { Limits } from "../limits.ts";
import type { Log } from "../log.ts";
import type { Problem } from "../problem.ts";
import type { Store } from "../store/store.ts";
import { createMcpServer, type McpCall } from "./server.ts";
import type { Toolbox } from "./tools.ts";

export interface McpParts {
  identity: Implementation;
  toolbox: Toolbox;
  invoke: Invoke;
  authenticate: (credential: Credential) => Promise<Actor>;
  limits: Limits;
  store: Store;
  log: Log;
  /** The server's address from outside, once it listens. */
  url: () => string;
}

const PATH = `${API_PREFIX}/mcp`;
const METADATA_PATH = `/.well-known/oauth-protected-resource${PATH}`;

/** The endpoint, and beside it the metadata (RFC 9728) that its 401 challenge points to. */
export function mountMcp(app: Express, parts: McpParts): void {
  app.all(PATH, createMcpEndpoint(parts));
  app.get(METADATA_PATH, (_request, response) => {
    response.json({ resource: parts.url() + PATH, resource_name: "Rostrum", bearer_methods_supported: ["header"] });
  });
}

/** JSON-RPC's own codes, and the server range for what HTTP says. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const SERVER_ERROR = -32000;

/**
 * The MCP endpoint: Streamable HTTP as stateless JSON, one message a POST, in both protocol eras. The key is checked
 * before anything else, whatever the method: a client that asks without one must meet 401 to find out how to sign in.
 */
function createMcpEndpoint(parts: McpParts) {
  const { toolbox, invoke, identity, log } = parts;
  const serverFor = (call: McpCall) => createMcpServer(identity, toolbox, invoke, call);
  const calls = new WeakMap<Request, McpCall>();
  const modern: McpHttpHandler = createMcpHandler(
    ({ requestInfo }) => serverFor(calls.get(requestInfo as Request) as McpCall),
    { legacy: "reject", onerror: (error) => log.debug({ err: error }, "an MCP request was refused") },
  );

  async function serve(request: Request, body: unknown, call: McpCall): Promise<Response> {
    if (!(await isLegacyRequest(request, body))) {
      calls.set(request, call);
      return modern.fetch(request, { parsedBody: body });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = serverFor(call);
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody: body });
    } finally {
      await server.close();
    }
  }

  return async (request: IncomingMessage & { ip?: string | undefined }, response: ServerResponse): Promise<void> => {
    const id = requestId(request);
    try {
      const credential = {
        authorization: request.headers.authorization,
        address: request.ip,
        route: `${request.method} /mcp`,
      };
      const actor = await parts.authenticate(credential);
      if (request.method !== "POST") {
        response.setHeader("allow", "POST");
        return replyRpc(response, 405, id, SERVER_ERROR, "Method not allowed: this endpoint is stateless, use POST.");
      }
      await parts.limits.spend("mcp", actor.id);
      const body = await readJsonBody(request);
      const refusal = refuseMessage(body);
      if (refusal !== undefined)
        return replyRpc(response, refusal.status, id, refusal.code, refusal.message, refusal.id);
      const call = { actor, requestId: id, address: request.ip, idempotencyKey: header(request, "idempotency-key") };
      await forward(response, id, await serve(webRequest(request, response), body, call));
    } catch (error) {
      replyError(response, id, error);
    }
  };

  function replyError(response: ServerResponse, id: string, error: unknown): void {
    const answer = refuse(error, { store: parts.store, log, operation: "mcp", requestId: id });
    const refusal = answer.refusal as Problem;
    if (refusal.status === 401) {
      reply(response, answer, id, parts.url() + METADATA_PATH);
      return;
    }
    if (refusal.retryAfter !== undefined) response.setHeader("retry-after", refusal.retryAfter);
    const code = refusal.code === "invalid_json" ? PARSE_ERROR : SERVER_ERROR;
    const { correlationId } = JSON.parse(answer.body) as { correlationId?: string };
    replyRpc(response, refusal.status, id, code, refusal.message, null, {
      code: refusal.code,
      ...(correlationId ? { correlationId } : {}),
    });
  }
}

interface RpcRefusal {
  status: number;
  code: number;
  message: string;
  id: unknown;
}

/** What the endpoint does not take although the SDK would: batches, and streams that a listener would open. */
function refuseMessage(body: unknown): RpcRefusal | undefined {
  if (Array.isArray(body)) {
    return {
      status: 400,
      code: INVALID_REQUEST,
      message: "Batches are not supported: send one message a POST.",
      id: null,
    };
  }
  const { method, id = null } = (body ?? {}) as { method?: unknown; id?: unknown };
  if (method === "subscriptions/listen") {
    return { status: 404, code: METHOD_NOT_FOUND, message: "Method not found: this endpoint does not stream.", id };
  }
  return undefined;
}

function replyRpc(
  response: ServerResponse,
  status: number,
  requestId: string,
  code: number,
  message: string,
  id: unknown = null,
  data?: Record<string, unknown>,
): void {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  send(response, status, requestId, JSON.stringify({ jsonrpc: "2.0", error, id }));
}

function send(
  response: ServerResponse,
  status: number,
  requestId: string,
  body: string | null,
  type?: string | null,
): void {
  response.setHeader("x-request-id", requestId);
  response.setHeader("cache-control", "no-store");
  response.statusCode = status;
  if (body === null || body === "") {
    response.end();
    return;
  }
  response.setHeader("content-type", type ?? "application/json");
  response.end(body);
}

/** The SDK is handed the headers and the parsed body: to write the body again for it would cost more than the call. */
function webRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return new Request("http://rostrum.invalid/mcp", {
    method: "POST",
    headers: request.headers as Record<string, string>,
    signal: gone.signal,
  });
}

async function forward(response: ServerResponse, id: string, answer: Response): Promise<void> {
  send(response, answer.status, id, await answer.text(), answer.headers.get("content-type"));
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
