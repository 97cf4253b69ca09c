import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { mintKey } from "../../src/lib/secrets.ts";
import { openBeside } from "../support/beside.ts";
import { filesIn } from "../support/files.ts";
import { temporaryFolder } from "../support/server.ts";
import { call, document, rostrum, serve } from "./process.ts";

/** The secret part of a key: everything after the shown prefix. */
const secretOf = (key: string) => key.slice(14);

test("no log line and no file contains a key", async (t) => {
  const cwd = temporaryFolder(t);
  const server = await serve(t, ["--demo"], { cwd, env: { ROSTRUM_LOG_LEVEL: "trace" } });
  const made = await rostrum(["key", "create", "--name", "n", "--scopes", "all", "--json"], { cwd });
  const { key, id } = document(made).data;
  const unknown = mintKey().key;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.ready.url + path, { headers }).then((response) => response.text().then(() => response.status));

  assert.equal((await call(server, "GET", "/contacts", { key })).status, 200);
  assert.equal((await call(server, "POST", "/contacts", { key, body: { first_name: "Ada" } })).status, 201);
  assert.equal((await call(server, "GET", "/contacts", { key: unknown })).status, 401);
  assert.equal((await call(server, "GET", "/contacts", { key: `${key}x` })).status, 401);
  assert.equal(await get("/api/v1/contacts", { authorization: `Basic ${key}` }), 401);
  assert.equal(await get(`/api/v1/contacts?api_key=${key}`), 401);
  assert.equal(await get(`/api/v1/${key}`), 404);
  await get(`/api/v1/contacts/${key}%ff`);
  const message = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  const mcp = (body: object, bearer: string) =>
    fetch(server.ready.mcp_url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${bearer}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(body),
    }).then((response) => response.text());
  for (const bearer of [key, unknown]) {
    await mcp(message("tools/call", { name: "list_contacts", arguments: {} }), bearer);
    await mcp(message(bearer, { name: bearer, arguments: { [bearer]: bearer } }), bearer);
  }
  assert.equal((await rostrum(["key", "revoke", id, "--json"], { cwd })).status, 0);
  assert.equal((await call(server, "GET", "/contacts", { key })).status, 401);
  // An error that is logged with a key in an unexpected place.
  const db = openBeside(join(cwd, "data"));
  db.exec("ALTER TABLE api_keys RENAME TO elsewhere");
  assert.equal((await call(server, "GET", "/contacts", { key, headers: { "x-request-id": unknown } })).status, 503);
  db.exec("ALTER TABLE elsewhere RENAME TO api_keys");
  db.close();

  const { stdout, stderr } = server.output();
  assert.match(stderr, /the database cannot be reached/, "something was logged");
  const filesNow = () => [...filesIn(join(cwd, "data")).values()];
  const files = filesNow();
  await server.stop("SIGTERM");
  for (const secret of [secretOf(key), secretOf(unknown)]) {
    for (const text of [stdout, stderr, server.output().stderr, ...files, ...filesNow()])
      assert.ok(!text.includes(secret));
  }
});
