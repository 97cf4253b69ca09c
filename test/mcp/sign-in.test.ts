import assert from "node:assert/strict";
import { request } from "node:http";
import { suite, test } from "node:test";
import { discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { ERAS, post } from "../support/mcp.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const METHODS = ["GET", "POST", "DELETE", "PUT", "OPTIONS"];
const DAY = 86_400_000;

/** The status and body of a request with headers that fetch would not send. */
function send(server: TestServer, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${server.key}`;
    const call = request(server.mcpUrl, { method: "POST", headers: { authorization, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on("error", reject).end();
  });
}

test("without a key every method is 401, so that a client learns how to sign in", async (t) => {
  const server = await startServer(t);
  for (const method of METHODS) {
    const refused = await server.rest(method, "/mcp", { key: "" });
    assert.deepEqual([refused.status, refused.body.code], [401, "missing_key"], method);
    const challenge = refused.headers.get("www-authenticate") ?? "";
    assert.match(
      challenge,
      /^Bearer realm="rostrum", resource_metadata="[^"]+", scope="socialnet.read socialnet.execute"$/,
    );
    assert.doesNotMatch(challenge, /error=/, "RFC 6750: no error where no token was sent");
  }
});

test("the challenge points to the RFC 9728 metadata, which names the endpoint", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_PUBLIC_URL: "https://rostrum.example" } });
  const challenge = (await server.rest("POST", "/mcp", { key: "" })).headers.get("www-authenticate") ?? "";
  const metadata = new URL(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "");
  assert.equal(metadata.origin, "https://rostrum.example");
  const found = await fetch(server.listening + metadata.pathname);
  assert.equal(found.status, 200);
  assert.match(found.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(((await found.json()) as { resource: string }).resource, "https://rostrum.example/api/v1/mcp");
});

test("the official client finds the metadata from the challenge", async (t) => {
  const server = await startServer(t);
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(await fetch(server.mcpUrl, { method: "POST" }));
  assert.ok(resourceMetadataUrl);
  const metadata = await discoverOAuthProtectedResourceMetadata(server.mcpUrl, { resourceMetadataUrl });
  assert.equal(metadata.resource, server.mcpUrl.href);
});

test("an invalid key is 401 with its own code, and the challenge says why", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const revoked = await server.operator("create_key", { name: "r", scopes: ["contacts.read"] });
  await server.operator("revoke_key", { key_id: revoked.id });
  const expired = await server.operator("create_key", { name: "e", scopes: ["contacts.read"], expires_in_days: 1 });
  clock.advance(DAY);
  for (const [key, code] of [
    ["not-a-key", "missing_key"],
    [`ros_live_${"a".repeat(43)}`, "invalid_key"],
    [revoked.key, "revoked_key"],
    [expired.key, "expired_key"],
  ] as const) {
    for (const era of ERAS) {
      const refused = await post(server, era, "tools/list", {}, { key });
      assert.deepEqual([refused.status, refused.body.code], [401, code], `${era} ${code}`);
      const challenge = refused.headers.get("www-authenticate") ?? "";
      assert.match(challenge, /resource_metadata="http/);
      assert.equal(challenge.includes(`error="invalid_token", error_description="${code}"`), code !== "missing_key");
      assert.ok(!refused.text.includes(key), "the key is never echoed");
    }
  }
});

test("with a key, every method but POST is 405 and says what to use", async (t) => {
  const server = await startServer(t);
  for (const method of METHODS.filter((name) => name !== "POST")) {
    const refused = await fetch(server.mcpUrl, { method, headers: { authorization: `Bearer ${server.key}` } });
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "POST"], method);
    const { error, id } = (await refused.json()) as { error: { code: number }; id: unknown };
    assert.deepEqual([error.code, id], [-32000, null]);
  }
});

suite("a page of another site cannot reach the endpoint", () => {
  test("by its Origin", async (t) => {
    const server = await startServer(t);
    for (const era of ERAS) {
      for (const origin of ["https://evil.example", "null", "http://127.0.0.1.evil.example"]) {
        const refused = await post(server, era, "tools/list", {}, { headers: { origin } });
        assert.deepEqual([refused.status, refused.body.code], [403, "origin_not_allowed"], origin);
      }
      const own = await post(server, era, "tools/list", {}, { headers: { origin: server.listening } });
      assert.equal(own.status, 200);
    }
  });

  test("by a host name that points to this machine", async (t) => {
    const server = await startServer(t);
    assert.equal(await send(server, { host: "evil.example" }), 403);
    assert.equal(await send(server, { host: "evil.example", origin: "http://evil.example" }), 403);
    assert.equal(await send(server, { host: "localhost" }), 415, "the next thing that is looked at");
  });
});
