/**
 * The floor: the same requests answered from the same rows by node:http and prepared statements, and nothing else.
 * No router, no validation, no gates, no metrics: floor.js <data folder> [each]
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  answerHash,
  BASE,
  envelope,
  type Fields,
  type FloorKey,
  keyHash,
  list,
  pageIn,
  readBody,
  send,
} from "./floor-answers.ts";
import { type RpcMessage, rpc } from "./floor-rpc.ts";
import { openFloor } from "./floor-store.ts";
import { serve } from "./serve.ts";

const [, , data = "", mode] = process.argv;
const store = openFloor(join(data, "rostrum.db"), mode === "each");

const server = http.createServer((request, response) => {
  const key = store.findKey(keyHash(request));
  if (key === undefined || key.revokedAt !== null) return send(response, 401, "{}");
  if (request.method === "GET") return send(response, 200, read(key, request.url ?? ""));
  readBody(request, (body) => post(key, request, body, response));
});

interface Query {
  filter: { company: string };
  limit?: number;
  offset?: number;
}

function read(key: FloorKey, url: string): string | Buffer {
  if (url.startsWith(`${BASE}/`)) return envelope(store.contact(key.workspaceId, url.slice(BASE.length + 1)) ?? "null");
  const page = pageIn(url);
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
      const hash = answerHash(key.workspaceId, request);
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

server.keepAliveTimeout = 65_000;
server.listen(0, "127.0.0.1", () => {
  serve({ port: (server.address() as AddressInfo).port, close: () => store.close() });
});
