import type { IncomingMessage, ServerResponse } from "node:http";
import type { Implementation } from "@modelcontextprotocol/server";
import type { Express } from "express";
import type { KeyActor } from "../core/actor.ts";
import type { Invoke, InvokeParts } from "../core/invoke.ts";
import { hasSecret } from "../core/json-schema.ts";
import { hasMethod, type Operation } from "../core/operation.ts";
import { problem } from "../core/problem.ts";
import { CONNECTOR_SCOPES, MCP_PATH } from "../domain/access/oauth.ts";
import { compressLarge } from "../http/compress.ts";
import { lengthOf, readJsonBody, reply, requestId } from "../http/json.ts";
import type { Authenticate } from "../identity/authenticate.ts";
import { type ConnectionLog, clientOf } from "../identity/connection-log.ts";
import { RESOURCE_METADATA_PATH } from "../identity/oauth/metadata.ts";
import type { Log } from "../lib/log.ts";
import type { Tracing } from "../lib/tracing.ts";
import { noteAnswer } from "./note-connection.ts";
import { refusalMessage } from "./rpc.ts";
import { createMcpServer, type Toolbox } from "./server.ts";
import { createService } from "./service.ts";
import { createCallTool } from "./tool-call.ts";
import { traceService } from "./trace-service.ts";

export interface McpParts extends Pick<InvokeParts, "limits" | "refuse" | "authLog"> {
  connections: ConnectionLog;
  authenticate: Authenticate;
  log: Log;
  identity: Implementation;
  operations: readonly Operation[];
  toolbox: Toolbox;
  invoke: Invoke;
  /** The server's address from outside, once it listens. */
  url: () => string;
  tracing?: Tracing | undefined;
}

/** Methods whose answers may be compressed: one that holds a secret is not, since its compressed length would reveal it. */
const COMPRESSIBLE = /^(?:tools|resources|prompts)\//;

export function mountMcp(app: Express, parts: McpParts): void {
  app.all(MCP_PATH, createMcpEndpoint(parts));
}

/**
 * The MCP endpoint: Streamable HTTP as stateless JSON, one message a POST, in both protocol eras. The key is checked
 * before anything else, whatever the method: a client that asks without one must meet 401 to find out how to sign in.
 */
function createMcpEndpoint(parts: McpParts) {
  const { identity, toolbox, invoke, connections, log, tracing } = parts;
  const methods = parts.operations.filter(hasMethod);
  const callTool = createCallTool(invoke);
  const createServer = () => createMcpServer({ identity, toolbox, methods, callTool, invoke });
  const service = createService({ createServer, toolbox, callTool, log });
  const serve = tracing === undefined ? service : traceService(service, tracing);
  const called = new Set(["tools/call", ...methods.map(({ rpc }) => rpc)]);
  /** Its own scope decides whether the call is a use of the key. */
  const callsOperation = (body: unknown) => called.has((body as { method?: string } | null)?.method ?? "");

  function isCompressible(body: unknown): boolean {
    const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
    const operation = method === "tools/call" ? toolbox.find(String(params?.name)) : undefined;
    return COMPRESSIBLE.test(String(method)) && !(operation !== undefined && hasSecret(operation));
  }

  return async (request: IncomingMessage & { ip?: string | undefined }, response: ServerResponse): Promise<void> => {
    const id = requestId(request);
    const { authorization, "idempotency-key": idempotencyKey, "user-agent": userAgent } = request.headers;
    const address = () => request.ip;
    let actor: KeyActor | undefined;
    try {
      actor = await parts.authenticate({ authorization, address, route: `${request.method} /mcp` });
      if (request.method !== "POST") {
        response.setHeader("allow", "POST");
        throw problem("method_not_allowed", "This endpoint has no sessions and no streams. Use POST.");
      }
      await parts.limits.spend("mcp", actor.id);
      const body = await readJsonBody(request);
      if (Array.isArray(body))
        throw problem("validation_failed", "The request body can't be a batch. Send one message in each POST.");
      if (!callsOperation(body)) parts.authLog.used(actor.id);
      const call = { actor, requestId: id, address, idempotencyKey: idempotencyKey as string | undefined };
      const answer = await serve(request, response, body, call);
      if (!connections.isKnown(actor.id, userAgent)) {
        noteAnswer(connections, actor, clientOf(request), { body, answer });
      }
      if (isCompressible(body)) compressLarge(request, response, lengthOf(answer));
      if (answer.body !== "") reply(response, answer, id);
      else response.writeHead(answer.status, { "cache-control": "no-store", "x-request-id": id }).end();
    } catch (error) {
      const answer = parts.refuse(error, { operation: "mcp", requestId: id });
      const from = clientOf(request);
      if (actor !== undefined) connections.refusedKey(answer.refusal, actor, from);
      else if (authorization === undefined) connections.reached("unauthorized", from);
      else connections.refused(answer.refusal, from);
      const body = answer.status === 401 ? answer.body : refusalMessage(answer.refusal, answer.body);
      reply(response, { ...answer, body }, id, {
        metadata: parts.url() + RESOURCE_METADATA_PATH,
        scopes: CONNECTOR_SCOPES,
      });
    }
  };
}
