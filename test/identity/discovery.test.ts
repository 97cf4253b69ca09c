import assert from "node:assert/strict";
import { test } from "node:test";
import { discoverAuthorizationServerMetadata, discoverOAuthServerInfo } from "@modelcontextprotocol/client";
import { startServer } from "../support/server.ts";

const PUBLIC = { ROSTRUM_PUBLIC_URL: "https://rostrum.example" };
const SCOPES = ["socialnet.read", "socialnet.execute"];

test("the resource metadata is served at its own path and at the root, and names the authorization server", async (t) => {
  const server = await startServer(t, { env: PUBLIC });
  for (const path of ["", "/api/v1/mcp"]) {
    const found = await fetch(`${server.listening}/.well-known/oauth-protected-resource${path}`);
    assert.deepEqual([found.status, found.headers.get("content-type")], [200, "application/json; charset=utf-8"]);
    assert.deepEqual(await found.json(), {
      resource: "https://rostrum.example/api/v1/mcp",
      resource_name: "Rostrum",
      authorization_servers: ["https://rostrum.example"],
      scopes_supported: SCOPES,
      bearer_methods_supported: ["header"],
    });
  }
});

test("the server metadata (RFC 8414) matches what is supported, under an issuer without a trailing slash", async (t) => {
  const server = await startServer(t, { env: PUBLIC });
  const found = await fetch(`${server.listening}/.well-known/oauth-authorization-server`);
  assert.deepEqual(await found.json(), {
    issuer: "https://rostrum.example",
    authorization_endpoint: "https://rostrum.example/console/authorize",
    token_endpoint: "https://rostrum.example/oauth/token",
    registration_endpoint: "https://rostrum.example/oauth/register",
    revocation_endpoint: "https://rostrum.example/oauth/revoke",
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});

test("every other location that clients probe is 404, so that they keep looking", async (t) => {
  const server = await startServer(t);
  for (const path of [
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/api/v1/mcp",
    "/api/v1/mcp/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server/api/v1/mcp",
    "/.well-known/oauth-protected-resource/other",
    "/.well-known/oauth-protected-resource/",
    "/authorize",
    "/token",
    "/register",
    "/oauth/authorize",
  ]) {
    assert.equal((await fetch(server.listening + path)).status, 404, path);
  }
});

test("the official client discovers all of it from the endpoint's URL", async (t) => {
  const server = await startServer(t);
  const info = await discoverOAuthServerInfo(server.mcpUrl);
  assert.equal(info.authorizationServerUrl, server.listening);
  const metadata = await discoverAuthorizationServerMetadata(server.listening);
  assert.equal(metadata?.issuer, server.listening);
  assert.deepEqual(info.authorizationServerMetadata, metadata);
});
