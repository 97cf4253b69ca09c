import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { isLocalOnly, isLocalRequest } from "../../src/http/server.ts";
import { isLoopback } from "../../src/lib/http-client/addresses.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** fetch can't set Host; node:http can. */
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

test("a loopback server answers only to loopback names and its public one", async (t) => {
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
  const refused = await server.rest("GET", "/contacts", { headers: { origin: "https://evil.example" } });
  assert.deepEqual(
    [refused.body.code, refused.body.error],
    [
      "origin_not_allowed",
      "The origin https://evil.example is not allowed. To allow it, the server admin adds it to ROSTRUM_CORS_ORIGINS.",
    ],
  );
});

test("loopback is distinguished from the network", () => {
  for (const host of ["127.0.0.1", "127.8.8.8", "::1", "localhost"]) assert.equal(isLoopback(host), true, host);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.evil.example"]) assert.equal(isLoopback(host), false, host);
});

test("only an unforwarded request to a loopback name, on a loopback server without a public name, is local", () => {
  const stays = (host: string, publicUrl?: string) => isLocalOnly({ host, publicUrl });
  for (const url of [undefined, "http://localhost:8787", "http://127.0.0.1", "http://[::1]:80"])
    assert.equal(stays("127.0.0.1", url), true, url);
  assert.equal(stays("127.0.0.1", "https://rostrum.example"), false);
  assert.equal(stays("0.0.0.0", "http://localhost"), false);
  const made = (headers: Record<string, string>, ip = "127.0.0.1", remoteAddress = "127.0.0.1") =>
    isLocalRequest({ headers: { host: "localhost:8787", ...headers }, ip, socket: { remoteAddress } } as never);
  assert.equal(made({}), true);
  assert.equal(made({ host: "[::1]:8787" }, "::ffff:127.0.0.1", "::1"), true);
  assert.equal(made({ host: "rostrum.example" }), false);
  assert.equal(made({ host: "" }), false);
  assert.equal(made({}, "192.0.2.1"), false);
  assert.equal(made({}, "127.0.0.1", "192.0.2.1"), false);
  for (const name of ["forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-proto"])
    assert.equal(made({ [name]: "127.0.0.1" }), false, name);
});
