import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { REDIRECT, register } from "../support/oauth.ts";
import { startServer } from "../support/server.ts";

test("a client registers itself and gets an id, no secret, and one way to sign in", async (t) => {
  const server = await startServer(t);
  const { status, body, headers } = await register(server, {
    redirect_uris: [REDIRECT, "https://client.example/cb"],
    client_name: "  A   Client\n",
    token_endpoint_auth_method: "client_secret_post",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: "contacts.read",
    client_id: "chosen",
    client_secret: "chosen",
  });
  const { client_id, client_id_issued_at, ...rest } = body;
  assert.equal(status, 201);
  assert.match(client_id, /^client_[\w-]{22}$/);
  assert.equal(typeof client_id_issued_at, "number");
  assert.deepEqual(rest, {
    client_name: "A Client",
    redirect_uris: [REDIRECT, "https://client.example/cb"],
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "socialnet.read socialnet.execute",
  });
  assert.equal(headers.get("cache-control"), "no-store");
});

suite("a redirect is refused", () => {
  const refused = {
    "of a script": "javascript:alert(1)",
    "of a script in capitals": "JavaScript:alert(1)",
    "of data": "data:text/html,x",
    "of a file": "file:///etc/passwd",
    "of a blob": "blob:https://a.example/x",
    "of an unknown scheme": "evil:/x",
    "over plain http": "http://client.example/cb",
    "to a name that only looks like loopback": "http://127.0.0.1.evil.example/cb",
    "to a host behind a user name": "http://127.0.0.1@evil.example/cb",
    "to another spelling of loopback over http": "http://127.0.0.2/cb",
    "with a fragment": "https://client.example/cb#x",
    "with an empty fragment": "https://client.example/cb#",
    "with a user name": "https://u@client.example/cb",
    "with a password": "https://:p@client.example/cb",
    "with a line break": "https://client.example/\ncb",
    "with a space": "https://client.example/c b",
    "with a backslash": "https://client.example\\@evil.example/",
    "with a letter that a header cannot carry": "https://client.example/\u2603",
    "with a character that turns the text around": "https://client.example/\u202ecb",
    "with a name in letters beyond ASCII": "https://b\u00fccher.example/cb",
    "with a host that would add to a policy": "https://a;sandbox,b.example/cb",
    "with a wildcard for a host": "https://*/cb",
    "with a host in an encoding": "https://a%2eexample/cb",
    "that is empty": "",
    "that is relative": "/cb",
    "that is no URL": "https://",
    "that is too long": `https://client.example/${"a".repeat(2_000)}`,
  };
  for (const [name, uri] of Object.entries(refused)) {
    test(name, async (t) => {
      const server = await startServer(t);
      for (const redirect_uris of [[uri], [REDIRECT, uri]]) {
        const { status, body } = await register(server, { redirect_uris });
        assert.deepEqual([status, body.error], [400, "invalid_redirect_uri"]);
        assert.match(body.error_description, /^redirect_uris\.\d /);
      }
    });
  }
});

test("unsupported metadata and invalid bodies are refused by name", async (t) => {
  const server = await startServer(t);
  const cases: [unknown, string][] = [
    [{}, "invalid_redirect_uri"],
    [{ redirect_uris: [] }, "invalid_redirect_uri"],
    [{ redirect_uris: REDIRECT }, "invalid_redirect_uri"],
    [{ redirect_uris: [1] }, "invalid_redirect_uri"],
    [{ redirect_uris: Array(11).fill(REDIRECT) }, "invalid_redirect_uri"],
    [{ redirect_uris: [REDIRECT], client_name: 1 }, "invalid_client_metadata"],
    [{ redirect_uris: [REDIRECT], client_name: "x".repeat(201) }, "invalid_client_metadata"],
    [{ redirect_uris: [REDIRECT], grant_types: ["client_credentials"] }, "invalid_client_metadata"],
    [{ redirect_uris: [REDIRECT], response_types: ["token"] }, "invalid_client_metadata"],
    [[], "invalid_client_metadata"],
    [null, "invalid_client_metadata"],
  ];
  for (const [metadata, error] of cases) {
    const { status, body, text } = await register(server, metadata);
    assert.deepEqual([status, body?.error], [400, error], text);
  }
  const post = (body: string, type = "application/json") =>
    fetch(`${server.listening}/oauth/register`, { method: "POST", body, headers: { "content-type": type } });
  assert.equal((await post("{")).status, 400);
  assert.equal((await post("x=1", "application/x-www-form-urlencoded")).status, 400);
  assert.equal((await post(JSON.stringify({ redirect_uris: [REDIRECT], x: "x".repeat(17_000) }))).status, 413);
});

test("a flood of registrations from one address must wait, and fills nothing", async (t) => {
  const server = await startServer(t);
  const statuses: number[] = [];
  for (let i = 0; i < 25; i += 1) statuses.push((await register(server)).status);
  assert.deepEqual(statuses, [...Array(20).fill(201), ...Array(5).fill(429)]);
  const refused = await register(server);
  assert.equal(refused.body.error, "temporarily_unavailable");
  assert.match(refused.headers.get("retry-after") ?? "", /^\d{1,4}$/);
});

test("a forwarded address is trusted only from a trusted proxy", async (t) => {
  const flood = async (env: Record<string, string>) => {
    const server = await startServer(t, { env });
    const statuses = [];
    for (let i = 0; i < 22; i += 1) {
      const headers = { "content-type": "application/json", "x-forwarded-for": `203.0.113.${i}` };
      const body = JSON.stringify({ redirect_uris: [REDIRECT] });
      statuses.push((await fetch(`${server.listening}/oauth/register`, { method: "POST", headers, body })).status);
    }
    return statuses.filter((status) => status === 429).length;
  };
  assert.equal(await flood({}), 2);
  assert.equal(await flood({ ROSTRUM_TRUST_PROXY: "loopback" }), 0);
});

test("one address can make sixty token and revocation requests a minute", async (t) => {
  const server = await startServer(t);
  const ask = async (path: string) => (await fetch(server.listening + path, { method: "POST" })).status;
  for (let i = 0; i < 60; i += 1) assert.equal(await ask(i % 2 ? "/oauth/token" : "/oauth/revoke"), 400);
  assert.deepEqual([await ask("/oauth/token"), await ask("/oauth/revoke")], [429, 429]);
});

test("the endpoints accept only POST, and a page of another site can't call them", async (t) => {
  const server = await startServer(t);
  for (const path of ["/oauth/token", "/oauth/register", "/oauth/revoke"]) {
    const got = await fetch(server.listening + path);
    assert.deepEqual([got.status, got.headers.get("allow")], [405, "POST"]);
    const foreign = await fetch(server.listening + path, {
      method: "POST",
      headers: { origin: "https://evil.example" },
    });
    assert.equal(foreign.status, 403);
  }
});
