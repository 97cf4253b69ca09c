import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Operation } from "../../src/core/operation.ts";
import { VERSION } from "../../src/lib/package.ts";
import { operations } from "../../src/tools/index.ts";
import { openFloor } from "./floor-store.ts";
import { serve } from "./serve.ts";

/**
 * The same tools on a server as the SDK's guide shows one: McpServer.registerTool with zod schemas, made by
 * createMcpHandler for each request. Only get_contact does anything: sdk-guide.js <data folder>
 */

const [, , data = ""] = process.argv;
const store = openFloor(join(data, "rostrum.db"), false);
const offered = (operations as readonly Operation[]).filter(({ tool }) => tool);

function guideServer(workspaceId: string): McpServer {
  const server = new McpServer({ name: "rostrum", title: "Rostrum", version: VERSION });
  for (const { name, title, description, input, output, meta, tool } of offered) {
    const outputSchema = z.object({
      data: output.nullable(),
      ...(meta === undefined ? {} : { meta: meta.optional() }),
      error: z.string().nullable(),
      code: z.string().optional(),
      correlationId: z.string().optional(),
    });
    const annotations = { title, ...(tool ? tool.annotations : {}) };
    const config = { title, description, inputSchema: input as z.ZodObject, outputSchema, annotations };
    server.registerTool(name, config, async (given) => {
      const contact = store.contact(workspaceId, (given as { id: string }).id) ?? "null";
      const envelope = { data: JSON.parse(contact) as Record<string, unknown> | null, error: null };
      return { content: [{ type: "text", text: JSON.stringify(envelope) }], structuredContent: envelope };
    });
  }
  return server;
}

const handler = createMcpHandler(({ authInfo }) => guideServer(authInfo?.clientId ?? ""));
const serveMcp = toNodeHandler(handler);

const server = http.createServer((request, response) => {
  const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
  const key = store.findKey(createHash("sha256").update(token).digest());
  if (key === undefined) return response.writeHead(401).end();
  const auth = { token, clientId: key.workspaceId, scopes: [] };
  void serveMcp(Object.assign(request, { auth }) as never, response as never);
});
server.keepAliveTimeout = 65_000;
server.listen(0, "127.0.0.1", () => {
  serve({ port: (server.address() as AddressInfo).port, close: () => store.close() });
});
