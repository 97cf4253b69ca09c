import assert from "node:assert/strict";
import { request as ask } from "node:http";
import { suite, type TestContext, test } from "node:test";
import { BadSetting, readConfig } from "../../src/config.ts";
import { startServer, type TestServer } from "../support/server.ts";

const APP = "https://app.example.com";
const OTHER = "https://evil.example";
const REQUEST_ID = /^[0-9a-f-]{36}$/;
const start = (t: TestContext) => startServer(t, { env: { ROSTRUM_CORS_ORIGINS: `${APP}, http://localhost:5173` } });

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/** Sends requests as a browser does; fetch can't set an Origin. */
function send(server: TestServer, method: string, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = ask(`${server.listening}${path}`, { method, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    call.on("error", reject).end();
  });
}

const preflight = (server: TestServer, path: string, origin: string, method: string) =>
  send(server, "OPTIONS", path, {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization,content-type,mcp-protocol-version,idempotency-key",
  });

const DOCUMENTS = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/api/v1/mcp",
  "/.well-known/oauth-authorization-server",
  "/api/v1/openapi.json",
];

test("pages of any origin can read the metadata and the description, without cookies", async (t) => {
  const server = await startServer(t);
  for (const path of DOCUMENTS) {
    const asked = await preflight(server, path, OTHER, "GET");
    assert.deepEqual([asked.status, asked.headers["access-control-allow-origin"]], [204, "*"], path);
    assert.match(String(asked.headers["x-request-id"]), REQUEST_ID, path);
    assert.match(String(asked.headers["access-control-allow-headers"]), /mcp-protocol-version/);
    for (const origin of [OTHER, "null"]) {
      const read = await send(server, "GET", path, { origin });
      assert.deepEqual([read.status, read.headers["access-control-allow-origin"]], [200, "*"], path);
      assert.equal(read.headers["access-control-allow-credentials"], undefined);
    }
    assert.equal((await send(server, "POST", path, { origin: OTHER })).status, 405);
    assert.equal((await send(server, "GET", path, { origin: OTHER, host: "evil.example" })).status, 403);
  }
});

suite("a page of a listed origin", () => {
  for (const [path, method] of [
    ["/api/v1/contacts", "POST"],
    ["/api/v1/contacts/assert", "PUT"],
    ["/api/v1/mcp", "POST"],
    ["/oauth/token", "POST"],
  ] as const) {
    test(`can call ${method} ${path}`, async (t) => {
      const server = await start(t);
      const { status, headers } = await preflight(server, path, APP, method);
      assert.equal(status, 204);
      assert.equal(headers["access-control-allow-origin"], APP);
      assert.match(String(headers["x-request-id"]), REQUEST_ID);
      assert.match(String(headers["access-control-allow-methods"]), new RegExp(`\\b${method}\\b`));
      assert.match(String(headers["access-control-allow-headers"]), /authorization.*idempotency-key/);
      assert.match(String(headers.vary), /Origin/);
      assert.equal(headers["access-control-allow-credentials"], undefined);
    });
  }

  test("can read answers and refusals, with the needed headers", async (t) => {
    const server = await start(t);
    const answer = await send(server, "GET", "/api/v1/contacts", {
      origin: APP,
      authorization: `Bearer ${server.key}`,
    });
    assert.deepEqual([answer.status, answer.headers["access-control-allow-origin"]], [200, APP]);
    const exposed = String(answer.headers["access-control-expose-headers"]);
    for (const name of ["WWW-Authenticate", "Retry-After", "X-Request-Id", "Mcp-Session-Id"]) {
      assert.ok(exposed.includes(name), name);
    }
    for (const path of ["/api/v1/mcp", "/api/v1/contacts", "/api/v1/nothing"]) {
      const refused = await send(server, "GET", path, { origin: APP });
      assert.equal(refused.status, path.endsWith("nothing") ? 404 : 401);
      assert.equal(refused.headers["access-control-allow-origin"], APP);
    }
  });

  test("can't use the console, which uses cookies", async (t) => {
    const server = await start(t);
    for (const path of ["/console", "/console/api/list_contacts", "/console/authorize"]) {
      const { status, headers } = await send(server, "GET", path, { origin: APP });
      assert.deepEqual([status, headers["access-control-allow-origin"]], [403, undefined], path);
    }
  });
});

test("a page of any other origin is still refused, and so is every page without the setting", async (t) => {
  const [listed, plain] = [await start(t), await startServer(t)];
  for (const [server, origin] of [
    [listed, OTHER],
    [listed, `${APP}.evil.example`],
    [listed, "null"],
    [plain, APP],
  ] as const) {
    for (const method of ["GET", "OPTIONS"]) {
      const { status, headers } = await send(server, method, "/api/v1/contacts", { origin });
      assert.deepEqual([status, headers["access-control-allow-origin"]], [403, undefined], `${method} ${origin}`);
    }
  }
  const own = await send(plain, "GET", "/api/v1/contacts", { origin: "http://localhost:3000" });
  assert.equal(own.headers["access-control-allow-origin"], undefined);
});

test("the setting accepts only origins", () => {
  for (const text of [
    "*",
    "null",
    "https://app.example.com/",
    "https://a.example.com,",
    "app.example.com",
    "ftp://a.b",
  ]) {
    assert.throws(() => readConfig({}, { ROSTRUM_CORS_ORIGINS: text }), BadSetting, text);
  }
  const { corsOrigins } = readConfig({}, { ROSTRUM_CORS_ORIGINS: "https://a.example.com,http://localhost:1" });
  assert.deepEqual(corsOrigins, ["https://a.example.com", "http://localhost:1"]);
  assert.deepEqual(readConfig({}, {}).corsOrigins, []);
});
