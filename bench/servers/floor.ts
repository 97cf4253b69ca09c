/**
 * The floor: the same requests answered from the same rows by node:http and prepared statements, and nothing else.
 * No router, no validation, no gates, no metrics: floor.js <data folder> [each]
 */
import { createHash, randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type RpcMessage, rpc } from "./floor-rpc.ts";
import { type Fields, type FloorKey, openFloor } from "./floor-store.ts";
import { serve } from "./serve.ts";

const [, , data = "", mode] = process.argv;
const store = openFloor(join(data, "rostrum.db"), mode === "each");

const server = http.createServer((request, response) => {
  const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
  const key = store.findKey(createHash("sha256").update(token).digest());
  if (key === undefined || key.revokedAt !== null) return send(response, 401, "{}");
  if (request.method === "GET") return send(response, 200, read(key, request.url ?? ""));
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString("utf8"));
    post(key, request, body, response);
  });
});

interface Query {
  filter: { company: string };
  limit?: number;
  offset?: number;
}

const BASE = "/api/v1/contacts";

function read(key: FloorKey, url: string): string {
  if (url.startsWith(`${BASE}/`)) return envelope(store.contact(key.workspaceId, url.slice(BASE.length + 1)) ?? "null");
  const query = new URLSearchParams(url.slice(BASE.length + 1));
  const page = { limit: Number(query.get("limit") ?? 25), offset: Number(query.get("offset") ?? 0) };
  return list(page, store.list(key.workspaceId, page));
}

/** The floor trusts what the bench sends. */
function post(key: FloorKey, request: http.IncomingMessage, body: unknown, response: http.ServerResponse): void {
  switch (request.url) {
    case `${BASE}/query`: {
      const { filter, limit = 25, offset = 0 } = body as Query;
      const page = { limit, offset };
      send(response, 200, list(page, store.byCompany(key.workspaceId, filter.company, page)));
      break;
    }
    case BASE: {
      const parts = [key.workspaceId, "POST", "/contacts", request.headers["idempotency-key"]];
      const hash = createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 16);
      store.create(key, body as Fields, hash, (text) => send(response, 201, text));
      break;
    }
    case `${BASE}/assert`:
      store.assert(key, body as Fields, (text) => send(response, 200, text));
      break;
    default:
      send(
        response,
        200,
        rpc(body as RpcMessage, (id) => store.contact(key.workspaceId, id)),
      );
  }
}

function envelope(data: string): string {
  return `{"data":${data},"error":null}`;
}

function list(page: { limit: number; offset: number }, found: { text: string; count: number; total: number }): string {
  const hasMore = found.count > 0 && page.offset + found.count < found.total;
  return `{"data":${found.text},"meta":${JSON.stringify({ total: found.total, ...page, hasMore })},"error":null}`;
}

function send(response: http.ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": randomUUID(),
    })
    .end(body);
}

server.keepAliveTimeout = 65_000;
server.listen(0, "127.0.0.1", () => {
  serve({ port: (server.address() as AddressInfo).port, close: () => store.close() });
});
