import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../support/server.ts";

test("a contact that was created is read back the same", async (t) => {
  const server = await startServer(t);
  const created = await server.rest("POST", "/contacts", { body: { email: " Ada@Lovelace.example ", first_name: "Ada" } });
  assert.equal(created.status, 201);
  assert.equal(created.body.data.email, "Ada@Lovelace.example");
  assert.equal(created.body.data.source, "public_api");
  assert.equal(created.body.data.lifecycle, "prospect");
  assert.equal(created.body.data.tags, null);
  const read = await server.rest("GET", `/contacts/${created.body.data.id}`);
  assert.equal(read.status, 200);
  assert.deepEqual(read.body, created.body);
});
