import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { suite, type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openClient } from "../http-client/support.ts";
import { Application, approve } from "../support/application.ts";
import { asApprover, keyOf, REDIRECT, SignIn, setup } from "../support/oauth.ts";
import { FakeClock, startServer } from "../support/server.ts";

const NAME = "hooks.example";
const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8");
const [cert, key] = [fixture(`${NAME}.crt`), fixture(`${NAME}.key`)];
const redirect_uri = "https://client.example/cb";

type Respond = (response: ServerResponse, id: string) => void;

const json = (response: ServerResponse, body: string, type = "application/json") =>
  response.writeHead(200, { "content-type": type }).end(body);
const document = (id: string, changes: object = {}) =>
  JSON.stringify({ client_id: id, client_name: "Documented", redirect_uris: [redirect_uri], ...changes });

/** A client's own site, on loopback under a name that represents a public one. */
async function site(t: TestContext) {
  const state = { requests: 0, address: "127.0.0.1", respond: ((r, id) => json(r, document(id))) as Respond, id: "" };
  const server = createServer({ cert, key }, (request, response) => {
    state.requests += 1;
    assert.equal(request.headers.authorization ?? request.headers.cookie, undefined);
    response.setHeader("connection", "close");
    state.respond(response, state.id);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  state.id = `https://${NAME}:${(server.address() as AddressInfo).port}/client.json`;
  return state;
}

async function ready(t: TestContext) {
  const at = await site(t);
  const clock = new FakeClock();
  const lookup = async () => [{ address: at.address }];
  const server = await startServer(t, { clock, documents: openClient(t, { lookup, ca: cert }) });
  return { at, clock, server, browser: await asApprover(server), signIn: new SignIn(server, at.id, { redirect_uri }) };
}

test("a client whose id is its document's URL signs in with it, and its host vouches for its name", async (t) => {
  const { at, server, browser, signIn } = await ready(t);
  const page = await signIn.open(browser);
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, /Documented/);
  assert.match(page.text, new RegExp(`Name provided by ${NAME}`));
  const { body } = await signIn.redeem(await signIn.code(browser));
  assert.equal((await setup(server, body.access_token)).status, 200);
  assert.equal((await keyOf(server, body.access_token)).connector_name, "Documented");
  assert.equal(at.requests, 1, "and it was asked for once");
});

test("the official client signs in with its document, and registers nothing", async (t) => {
  const { at, server, browser } = await ready(t);
  at.respond = (response, id) => json(response, document(id, { redirect_uris: [REDIRECT] }));
  const application = new Application(at.id);
  const dial = () => new StreamableHTTPClientTransport(server.mcpUrl, { authProvider: application as any });
  const transport = dial();
  await assert.rejects(new Client({ name: "probe", version: "1" }).connect(transport), /Unauthorized/i);
  assert.equal(application.address?.searchParams.get("client_id"), at.id);
  await transport.finishAuth(await approve(browser, application.address as URL));
  const client = new Client({ name: "probe", version: "1" });
  await client.connect(dial());
  t.after(() => client.close());
  const call = { name: "socialnet_command", arguments: { command: "setup" } };
  assert.ok(!(await client.callTool(call)).isError);
});

test("a document is cached for ten minutes, and a refusal is not cached", async (t) => {
  const { at, clock, browser, signIn } = await ready(t);
  at.respond = (response) => response.writeHead(500).end();
  assert.equal((await signIn.open(browser)).status, 404);
  at.respond = (response, id) => json(response, document(id));
  assert.equal((await signIn.open(browser)).status, 200);
  at.respond = (response, id) => json(response, document(id, { redirect_uris: ["https://moved.example/cb"] }));
  clock.advance(599_999);
  assert.equal((await signIn.open(browser)).status, 200);
  clock.advance(1);
  const page = await signIn.open(browser);
  assert.deepEqual([page.status, page.location, at.requests], [400, null, 3]);
});

suite("a server with client documents turned off", () => {
  const OFF = { ROSTRUM_OAUTH_CLIENT_DOCUMENTS: "off" };

  test("does not advertise them, and the official client registers", async (t) => {
    const at = await site(t);
    const documents = openClient(t, { lookup: async () => [{ address: at.address }], ca: cert });
    const server = await startServer(t, { env: OFF, documents });
    const metadata = await fetch(`${server.listening}/.well-known/oauth-authorization-server`);
    assert.ok(!("client_id_metadata_document_supported" in ((await metadata.json()) as object)));
    const application = new Application(at.id);
    const transport = new StreamableHTTPClientTransport(server.mcpUrl, { authProvider: application as any });
    await assert.rejects(new Client({ name: "probe", version: "1" }).connect(transport), /Unauthorized/i);
    assert.match(application.address?.searchParams.get("client_id") ?? "", /^client_/);
    await transport.finishAuth(await approve(await asApprover(server), application.address as URL));
    assert.equal(at.requests, 0);
  });

  test("refuses a document's URL, and says what to do", async (t) => {
    const at = await site(t);
    const documents = openClient(t, { lookup: async () => [{ address: at.address }], ca: cert });
    const server = await startServer(t, { env: OFF, documents });
    const page = await new SignIn(server, at.id, { redirect_uri }).open(await asApprover(server));
    assert.deepEqual([page.status, page.location, at.requests], [404, null, 0]);
    assert.match(
      page.text,
      /is a client metadata document, which this server doesn(?:'|&#39;|&#x27;)t read\. Remove the client/,
    );
  });
});

test("no document is fetched before the visitor signs in", async (t) => {
  const { at, server, signIn } = await ready(t);
  const response = await fetch(server.listening + signIn.path, { redirect: "manual" });
  assert.match(response.headers.get("location") ?? "", /^\/console\/sign-in\?next=/);
  assert.equal(at.requests, 0);
});

test("a person can cause ten document requests a minute, whatever the response", async (t) => {
  const { at, browser, signIn } = await ready(t);
  at.respond = (response) => response.writeHead(404).end();
  const statuses = [];
  for (let i = 0; i < 12; i += 1) statuses.push((await signIn.open(browser)).status);
  assert.deepEqual(statuses, [...Array(10).fill(404), 429, 429]);
  assert.equal(at.requests, 10);
});

suite("a document is refused", () => {
  const cases: [string, Respond, RegExp][] = [
    ["that redirects", (r) => r.writeHead(302, { location: "/other.json" }).end(), /responded with 302/],
    ["that is longer than 10 KiB", (r, id) => json(r, document(id, { x: "x".repeat(10_240) })), /longer than 10 KiB/],
    ["that never ends", (r) => endless(r), /longer than 10 KiB/],
    ["of another type", (r, id) => json(r, document(id), "text/html"), /application\/json/],
    ["that is no JSON", (r) => json(r, "<html>"), /not valid JSON/],
    ["that is no object", (r) => json(r, "null"), /client_id is not this address/],
    ["of another client", (r, id) => json(r, document(`${id}2`)), /client_id is not this address/],
    ["that gives a name twice", (r, id) => json(r, `{"client_id":"x",${document(id).slice(1)}`), /not valid JSON/],
    [
      "with a secret",
      (r, id) => json(r, document(id, { client_secret: "x" })),
      /token_endpoint_auth_method must be none/,
    ],
    [
      "with a key",
      (r, id) => json(r, document(id, { token_endpoint_auth_method: "private_key_jwt" })),
      /token_endpoint_auth_method must be none/,
    ],
    [
      "with a script as redirect",
      (r, id) => json(r, document(id, { redirect_uris: ["javascript:1"] })),
      /redirect_uris/,
    ],
    ["without a redirect", (r, id) => json(r, document(id, { redirect_uris: [] })), /redirect_uris/],
    ["with HTML where it says why", (r) => r.writeHead(418, "<img src=x>").end("<img src=x>"), /responded with 418/],
  ];
  for (const [name, respond, says] of cases) {
    test(name, async (t) => {
      const { at, browser, signIn } = await ready(t);
      at.respond = respond;
      const page = await signIn.open(browser);
      assert.deepEqual([page.status, page.location], [404, null]);
      assert.match(page.text, says);
      assert.doesNotMatch(page.text, /<img/);
      const forced = await browser.post(signIn.path, { consent: "x", decision: "approve" });
      assert.equal(forced.status, 404);
    });
  }
});

function endless(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const more = () => {
    while (!response.destroyed && response.write(" ".repeat(1_024)));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

suite("a URL is not fetched", () => {
  const refused = {
    "over http": "http://client.example/client.json",
    "without a path": "https://client.example/",
    "in another spelling": "https://CLIENT.example/client.json",
    "with a port that goes without saying": "https://client.example:443/client.json",
    "with a dot segment": "https://client.example/a/../client.json",
    "with a fragment": "https://client.example/client.json#x",
    "with a user name": "https://u@client.example/client.json",
    "on loopback": "https://127.0.0.1/client.json",
    "on loopback in one number": "https://2130706433/client.json",
    "on a private address": "https://10.0.0.1/client.json",
    "where clouds keep secrets": "https://169.254.169.254/client.json",
    "on loopback in IPv6": "https://[::1]/client.json",
    "that is none": "client",
    "that is too long": `https://client.example/${"a".repeat(500)}`,
  };
  test("whatever callbacks are allowed", async (t) => {
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return [];
    };
    const server = await startServer(t, { lookup, env: { ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1" } });
    const browser = await asApprover(server);
    for (const [name, id] of Object.entries(refused)) {
      const page = await new SignIn(server, id, { redirect_uri }).open(browser);
      assert.deepEqual([page.status, page.location], [404, null], name);
    }
    assert.deepEqual(asked, []);
  });

  test("if the name resolves to a private address, even if it was public before", async (t) => {
    const at = await site(t);
    const addresses = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1"];
    for (const address of addresses) {
      const lookup = async () => [{ address }];
      const server = await startServer(t, { lookup, env: { ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1" } });
      const page = await new SignIn(server, at.id, { redirect_uri }).open(await asApprover(server));
      assert.equal(page.status, 404, address);
      assert.match(page.text, /connection_refused/, "no word of what the name resolved to");
    }
    assert.equal(at.requests, 0);

    const { at: moving, clock, browser, signIn } = await ready(t);
    assert.equal((await signIn.open(browser)).status, 200);
    moving.address = "169.254.169.254";
    clock.advance(600_000);
    assert.equal((await signIn.open(browser)).status, 404);
    assert.equal(moving.requests, 1);
  });
});
