import { type Implementation, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import type { Actor } from "../context.ts";
import type { Invoke } from "../invoke.ts";
import type { Toolbox } from "./tools.ts";

/** What one MCP request brings along. */
export interface McpCall {
  actor: Actor;
  requestId: string;
  address: () => string | undefined;
  idempotencyKey: string | undefined;
}

const INSTRUCTIONS =
  "Rostrum is this team's gateway for sales and social marketing. You propose, people decide: nothing is published or " +
  "sent on your word alone. Every tool answers { data, error }; a refusal has a stable code and says how to mend it.";

/**
 * An MCP server for one request, on the SDK's low-level class: the high-level one converts every schema again on each
 * request. The SDK would show a client the message of whatever a handler throws; `invoke` throws nothing.
 */
export function createMcpServer(identity: Implementation, toolbox: Toolbox, invoke: Invoke, call: McpCall): Server {
  const server = new Server(identity, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler("tools/list", () => toolbox.listFor(call.actor));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const operation = toolbox.find(params.name);
    if (operation === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}. See tools/list.`);
    }
    const answer = await invoke(operation, {
      caller: call.actor,
      surface: "mcp",
      requestId: call.requestId,
      address: call.address,
      input: () => params.arguments ?? {},
      idempotencyKey: call.idempotencyKey,
    });
    return {
      content: [{ type: "text", text: answer.body }],
      structuredContent: JSON.parse(answer.body),
      ...(answer.refusal === undefined ? {} : { isError: true }),
    };
  });
  return server;
}
