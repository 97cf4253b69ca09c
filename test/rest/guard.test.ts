import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { isLoopback } from "../../src/net/loopback.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** fetch sets Host and refuses to be told another; node:http does as it is told. */
function statusFor(server: TestServer, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${server.key}`;
    const call = request(
      `${server.listening}/api/v1/contacts`,
      { headers: { authorization, ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    call.on("error", reject).end();
  });
}

test("a loopback server answers to loopback names and its public one alone", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_PUBLIC_URL: "https://rostrum.example" } });
  for (const host of ["127.0.0.1:1", "localhost", "[::1]:80", "rostrum.example"]) {
    assert.equal(await statusFor(server, { host }), 200, host);
  }
  for (const host of ["evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "a b"]) {
    assert.equal(await statusFor(server, { host }), 403, host);
  }
});

test("a page of another site is refused by its origin", async (t) => {
  const server = await startServer(t);
  assert.equal(await statusFor(server, { origin: "http://localhost:3000" }), 200);
  for (const origin of ["https://evil.example", "null", "http://127.0.0.1.evil.example"]) {
    assert.equal(await statusFor(server, { origin }), 403, origin);
  }
});

test("loopback is told from the network", () => {
  for (const host of ["127.0.0.1", "127.8.8.8", "::1", "localhost"]) assert.equal(isLoopback(host), true, host);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.evil.example"]) assert.equal(isLoopback(host), false, host);
});
