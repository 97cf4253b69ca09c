import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../support/server.ts";

const RANDOM = "0190aaaa-0000-7000-8000-00000000abcd";

test("an id of another workspace gets the same answer as a random id", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const { body } = await server.rest("POST", "/contacts", { body: { email: "a@b.example" } });
  const calls: [string, (id: string) => string, object | undefined][] = [
    ["GET", (id) => `/contacts/${id}`, undefined],
    ["PATCH", (id) => `/contacts/${id}`, { first_name: "x" }],
    ["PATCH", (id) => `/contacts/${id}`, { lifecycle: "lead" }],
    ["POST", (id) => `/contacts/${id}/tags`, { tag: "x" }],
  ];
  for (const [method, path, payload] of calls) {
    const foreign = await server.rest(method, path(body.data.id), { key: other.key, body: payload });
    const random = await server.rest(method, path(RANDOM), { key: other.key, body: payload });
    // A message can include the id that was sent.
    const sameId = foreign.text.replaceAll(body.data.id, RANDOM);
    assert.deepEqual([foreign.status, sameId], [random.status, random.text], `${method} ${path("{id}")}`);
    assert.equal(foreign.status, 404);
  }
  const mine = await server.rest("GET", `/contacts/${body.data.id}`);
  assert.equal(mine.body.data.first_name, null);
});

test("workspaces share no lists, addresses or totals", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const body = { email: "shared@b.example" };
  assert.equal((await server.rest("POST", "/contacts", { body })).status, 201);
  assert.equal((await server.rest("POST", "/contacts", { body, key: other.key })).status, 201);
  for (const key of [server.key, other.key]) {
    assert.equal((await server.rest("GET", "/contacts", { key })).body.meta.total, 1);
    const found = await server.rest("POST", "/contacts/query", { key, body: { filter: { email: body.email } } });
    assert.equal(found.body.meta.total, 1);
  }
});

test("a workspace named by a client is ignored", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const body = { first_name: "Ada", workspace_id: other.workspaceId, workspaceId: other.workspaceId };
  await server.rest("POST", `/contacts?workspace_id=${other.workspaceId}`, {
    body,
    headers: { "x-workspace-id": other.workspaceId },
  });
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 1);
  assert.equal((await server.rest("GET", "/contacts", { key: other.key })).body.meta.total, 0);
});

test("a key can't be seen or revoked from another workspace", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const keys = await server.operator("list_keys", {});
  assert.equal(keys.length, 1);
  await assert.rejects(server.operator("revoke_key", { key_id: keys[0].id }, other.workspaceId), {
    code: "key_not_found",
  });
  assert.equal((await server.rest("GET", "/contacts")).status, 200);
});
