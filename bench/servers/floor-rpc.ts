import { VERSION } from "../../src/lib/package.ts";
import { createToolbox, LIST_CACHE } from "../../src/mcp/server.ts";
import { operations } from "../../src/tools/index.ts";

export interface RpcMessage {
  id: number;
  method: string;
  params?: { _meta?: unknown; arguments?: { id: string } };
}

const actor = { kind: "local_operator", id: "bench", name: "bench", workspaceId: "" } as const;
const tools = JSON.stringify(createToolbox(operations).listFor(actor).tools);

const serverInfo = JSON.stringify({ name: "rostrum", title: "Rostrum", version: VERSION });
/** What the era of 2026-07-28 adds to a result. */
const identity = `"_meta":{"io.modelcontextprotocol/serverInfo":${serverInfo}}`;
const COMPLETE = `,"resultType":"complete"`;
const CACHED = `,"ttlMs":${LIST_CACHE.ttlMs},"cacheScope":"${LIST_CACHE.cacheScope}"`;

/** JSON-RPC without a protocol around it: a method is a branch, and an answer is text put together. */
export function rpc({ id, method, params }: RpcMessage, contact: (id: string) => string | undefined): string {
  const modern = params?._meta !== undefined;
  if (method === "tools/list") {
    return answer(id, `"tools":${tools}${modern ? `${COMPLETE}${CACHED},${identity}` : ""}`);
  }
  const body = `{"data":${contact(params?.arguments?.id ?? "") ?? "null"},"error":null}`;
  const content = `"content":[{"type":"text","text":${JSON.stringify(body)}}],"structuredContent":${body}`;
  return answer(id, `${content}${modern ? `${COMPLETE},${identity}` : ""}`);
}

function answer(id: number, result: string): string {
  return `{"result":{${result}},"jsonrpc":"2.0","id":${id}}`;
}
