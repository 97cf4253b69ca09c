import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer, type TestServer } from "../support/server.ts";

const PROTOCOL = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": PROTOCOL,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function list(server: TestServer, key: string, id: unknown, headers: Record<string, string> = {}) {
  return server.rest("POST", "/mcp", {
    key,
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": PROTOCOL,
      "mcp-method": "tools/list",
      ...headers,
    },
    body: { jsonrpc: "2.0", id, method: "tools/list", params: { _meta: META } },
  });
}

const namesOf = ({ body }: Awaited<ReturnType<typeof list>>): string[] =>
  (body as any).result.tools.map(({ name }: { name: string }) => name);

test("the list is answered alike each time, with the id of its request", async (t) => {
  const server = await startServer(t);
  const first = await list(server, server.key, 1);
  for (const id of [2, "three", "__proto__"]) {
    const again = await list(server, server.key, id);
    assert.deepEqual([again.status, (again.body as any).id], [200, id]);
    assert.deepEqual({ ...again.body, id: 1 }, first.body);
    assert.equal(again.headers.get("content-type"), first.headers.get("content-type"));
  }
});

test("a key is listed the tools of its own scopes, whatever was asked before", async (t) => {
  const server = await startServer(t);
  const reader = await server.mint(["contacts.read"]);
  for (let round = 0; round < 2; round++) {
    assert.ok(namesOf(await list(server, server.key, 1)).includes("socialnet_command"));
    const own = namesOf(await list(server, reader, 1));
    assert.ok(own.includes("get_contact") && !own.includes("socialnet_command"));
  }
});

test("a request that is refused is refused after one that was not, and a revoked key is", async (t) => {
  const server = await startServer(t);
  const { key, id } = await server.operator("create_key", { name: "short", scopes: ["contacts.read"] });
  assert.equal((await list(server, key, 1)).status, 200);
  assert.equal((await list(server, key, 1)).status, 200);
  assert.equal((await list(server, key, 1, { "mcp-method": "tools/call" })).status, 400);
  assert.equal((await list(server, key, null)).status, 400);
  await server.operator("revoke_key", { key_id: id });
  assert.equal((await list(server, key, 1)).status, 401);
});
