import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Operation } from "../../src/core/operation.ts";
import { operations } from "../../src/tools/index.ts";
import { freePort } from "../../test/support/free-port.ts";
import { openFloor } from "./floor-store.ts";
import { serve } from "./serve.ts";

/**
 * The same tools on fastmcp, as its guide shows them. Only get_contact does anything:
 * fastmcp.js <data folder> <main file of fastmcp> [stateless]
 */

interface FastMcp {
  addTool(tool: object): void;
  start(options: object): Promise<void>;
}

const [, , data = "", main = "", mode] = process.argv;
const { FastMCP } = (await import(pathToFileURL(main).href)) as { FastMCP: new (options: object) => FastMcp };
const store = openFloor(join(data, "rostrum.db"), false);

interface Session extends Record<string, unknown> {
  workspaceId: string;
}

const server = new FastMCP({
  name: "rostrum",
  version: "1.0.0",
  authenticate: (request: IncomingMessage): Promise<Session> => {
    const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
    const key = store.findKey(createHash("sha256").update(token).digest());
    return key === undefined
      ? Promise.reject(new Response(null, { status: 401 }))
      : Promise.resolve({ workspaceId: key.workspaceId });
  },
});
for (const { name, title, description, input, output, meta, tool } of operations as readonly Operation[]) {
  if (!tool) continue;
  server.addTool({
    name,
    description,
    annotations: { title, ...tool.annotations },
    parameters: input,
    outputSchema: z.object({
      data: output.nullable(),
      ...(meta === undefined ? {} : { meta: meta.optional() }),
      error: z.string().nullable(),
      code: z.string().optional(),
      correlationId: z.string().optional(),
    }),
    execute: (given: { id: string }, { session }: { session: Session }) => {
      const contact = store.contact(session.workspaceId, given.id) ?? "null";
      const envelope = { data: JSON.parse(contact) as Record<string, unknown> | null, error: null };
      return Promise.resolve({
        content: [{ type: "text", text: JSON.stringify(envelope) }],
        structuredContent: envelope,
      });
    },
  });
}

const port = await freePort();
const httpStream = {
  port,
  host: "127.0.0.1",
  endpoint: "/api/v1/mcp",
  enableJsonResponse: true,
  stateless: mode === "stateless",
};
await server.start({ transportType: "httpStream", httpStream });
serve({ port, close: () => store.close() });
