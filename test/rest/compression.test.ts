import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Agent, request as ask, type IncomingHttpHeaders } from "node:http";
import { suite, type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { asApprover, registered, SignIn } from "../support/oauth.ts";
import { startServer, type TestServer } from "../support/server.ts";

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** fetch would decompress the body. */
function send(
  server: TestServer,
  path: string,
  headers: Record<string, string>,
  method = "GET",
  body?: string,
  agent?: Agent,
) {
  return new Promise<Answer>((resolve, reject) => {
    const call = ask(`${server.listening}${path}`, { method, headers, agent }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes });
    });
    call.on("error", reject).end(body);
  });
}

/** A server with enough contacts that a list of them is long. */
async function filled(t: TestContext) {
  const server = await startServer(t);
  const names = Array.from({ length: 40 }, (_, i) => ({ email: `person${i}@b.example`, first_name: `Person ${i}` }));
  for (const body of names) assert.equal((await server.rest("POST", "/contacts", { body })).status, 201);
  return { server, authorization: `Bearer ${server.key}` };
}

const CODINGS = { gzip: gunzipSync, br: brotliDecompressSync };

test("a long response is compressed if the client accepts it, with the same content", async (t) => {
  const { server, authorization } = await filled(t);
  const plain = await send(server, "/api/v1/contacts?limit=40", { authorization });
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(Number(plain.headers["content-length"]), plain.bytes.length);
  for (const [coding, decode] of Object.entries(CODINGS)) {
    const { status, headers, bytes } = await send(server, "/api/v1/contacts?limit=40", {
      authorization,
      "accept-encoding": coding,
    });
    assert.deepEqual([status, headers["content-encoding"], headers["content-length"]], [200, coding, undefined]);
    assert.match(String(headers.vary), /Accept-Encoding/i);
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
    assert.ok(bytes.length < plain.bytes.length / 3, `${bytes.length} of ${plain.bytes.length}`);
    assert.equal(decode(bytes).toString(), plain.bytes.toString());
  }
  const refused = { authorization, "accept-encoding": "gzip;q=0, identity" };
  assert.equal((await send(server, "/api/v1/contacts?limit=40", refused)).headers["content-encoding"], undefined);
});

test("responses that are still large when compressed arrive whole, one after the other on a connection", async (t) => {
  const server = await startServer(t);
  const fields = ["first_name", "last_name", "company", "job_title"];
  for (let i = 0; i < 100; i++) {
    const random = fields.map((name) => [name, randomBytes(150).toString("base64")]);
    const website = `https://b.example/${randomBytes(100).toString("hex")}`;
    const body = { email: `person${i}@b.example`, website, ...Object.fromEntries(random) };
    assert.equal((await server.rest("POST", "/contacts", { body })).status, 201);
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const headers = { authorization: `Bearer ${server.key}`, "accept-encoding": "gzip" };
  const plain = await server.rest("GET", "/contacts?limit=100");
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "list_contacts", arguments: { limit: 100, detail: "full" } },
  };
  const mcp = { ...headers, accept: "application/json, text/event-stream", "content-type": "application/json" };
  for (let round = 0; round < 2; round++) {
    const page = await send(server, "/api/v1/contacts?limit=100", headers, "GET", undefined, agent);
    assert.ok(page.bytes.length > 64 * 1024, `${page.bytes.length}`);
    assert.equal(gunzipSync(page.bytes).toString(), plain.text);
    const called = await send(server, "/api/v1/mcp", mcp, "POST", JSON.stringify(call), agent);
    const { result } = JSON.parse(gunzipSync(called.bytes).toString());
    assert.deepEqual(result.structuredContent, plain.body);
  }
});

test("MCP responses are compressed too", async (t) => {
  const { server, authorization } = await filled(t);
  const headers = {
    authorization,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "accept-encoding": "gzip",
  };
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  for (let i = 0; i < 2; i += 1) {
    const answer = await send(server, "/api/v1/mcp", headers, "POST", list);
    assert.deepEqual([answer.status, answer.headers["content-encoding"]], [200, "gzip"]);
    assert.ok(JSON.parse(gunzipSync(answer.bytes).toString()).result.tools.length > 5);
  }
});

suite("not compressed", () => {
  test("short responses and refusals", async (t) => {
    const { server, authorization } = await filled(t);
    for (const path of ["/api/v1/contacts?limit=1", "/api/v1/nothing", "/readyz"]) {
      const { headers, bytes } = await send(server, path, { authorization, "accept-encoding": "gzip, br" });
      assert.equal(headers["content-encoding"], undefined, path);
      assert.ok(bytes.length < 4_096, path);
    }
  });

  test("the key created by a sign-in", async (t) => {
    const server = await startServer(t);
    const signIn = new SignIn(server, await registered(server));
    const code = await signIn.code(await asApprover(server));
    const { client_id = "", redirect_uri = "" } = signIn.query;
    const grant = { grant_type: "authorization_code", code, client_id, redirect_uri, code_verifier: signIn.verifier };
    const headers = { "content-type": "application/x-www-form-urlencoded", "accept-encoding": "gzip, br" };
    const answer = await send(server, "/oauth/token", headers, "POST", `${new URLSearchParams(grant)}`);
    assert.deepEqual([answer.status, answer.headers["content-encoding"]], [200, undefined]);
    assert.match(JSON.parse(answer.bytes.toString()).access_token, /^ros_live_/);
  });

  test("console pages, since they contain tokens", async (t) => {
    const server = await startServer(t);
    const browser = await asApprover(server);
    const page = await browser.get(`/console/w/${server.workspaceId}/contacts`);
    assert.ok(page.text.length > 4_096);
    assert.equal(page.headers.get("content-encoding"), null);
  });
});

test("the description has an ETag and can be cached, and a client with the current one gets 304", async (t) => {
  const server = await startServer(t);
  const path = "/api/v1/openapi.json";
  const first = await send(server, path, { "accept-encoding": "gzip" });
  const { etag = "" } = first.headers;
  assert.match(etag, /^W\/"[\w-]{43}"$/);
  assert.equal(first.headers["cache-control"], "public, max-age=300");
  assert.equal(first.headers["content-encoding"], "gzip");
  assert.equal(JSON.parse(gunzipSync(first.bytes).toString()).openapi, "3.1.0");
  for (const coding of ["gzip", "identity"]) {
    const again = await send(server, path, { "if-none-match": etag, "accept-encoding": coding });
    assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, etag]);
  }
  assert.equal((await send(server, path, { "if-none-match": '"other"' })).status, 200);
});

test("files of the console and the API reference are compressed", async (t) => {
  const server = await startServer(t);
  for (const path of ["/console/static/styles.css", "/docs/api-reference.js"]) {
    const { status, headers, bytes } = await send(server, path, { "accept-encoding": "gzip" });
    assert.deepEqual([status, headers["content-encoding"]], [200, "gzip"], path);
    assert.ok(gunzipSync(bytes).length > 3 * bytes.length, path);
  }
});
