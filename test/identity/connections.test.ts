import assert from "node:assert/strict";
import { request } from "node:http";
import { suite, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ConnectionLog, KEPT_AGENTS, KEPT_ATTEMPTS } from "../../src/identity/connection-log.ts";
import { mintKey } from "../../src/lib/secrets.ts";
import { Application, approve } from "../support/application.ts";
import { CLIENTS, connect } from "../support/mcp.ts";
import { asApprover, postForm, register, registered, SignIn } from "../support/oauth.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const connections = (server: TestServer) => server.operator("list_client_connections", { limit: 100 });

const post = (server: TestServer, headers: Record<string, string>, body = "{}") =>
  fetch(server.mcpUrl, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

test("a client that signs in counts as one attempt, from its first 401 to its first call", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const browser = await asApprover(server);
  const application = new Application();
  const dial = () => new StreamableHTTPClientTransport(server.mcpUrl, { authProvider: application as any });
  const stage = async () => {
    const [attempt, ...others] = await connections(server);
    assert.deepEqual(others, []);
    assert.equal(attempt.error, null);
    return attempt.stage;
  };

  const transport = dial();
  await assert.rejects(new Client({ name: "probe", version: "1" }).connect(transport), /Unauthorized/i);
  assert.equal(await stage(), "registration");
  await browser.get(`${application.address?.pathname}${application.address?.search}`);
  assert.equal(await stage(), "consent");
  await transport.finishAuth(await approve(browser, application.address as URL));
  assert.equal(await stage(), "key");
  const client = new Client({ name: "probe", version: "1" });
  await client.connect(dial());
  t.after(() => client.close());
  await client.listTools();
  assert.equal(await stage(), "first_list");
  await client.callTool({ name: "socialnet_command", arguments: { command: "setup" } });
  const [attempt] = await connections(server);
  assert.equal(attempt.stage, "first_call");
  assert.equal(attempt.client, "probe 1");
  assert.equal(attempt.network, "127.0.0.0/24");
  assert.equal(attempt.next_step, "Nothing to do. The client works.");
  assert.match(attempt.key_prefix, /^ros_live_.{5}$/);
});

suite("a client with a key", () => {
  for (const client of CLIENTS) {
    test(`is recognized by its name: ${client.label}`, async (t) => {
      const server = await startServer(t);
      const agent = await connect(t, client, server);
      await agent.listTools();
      await agent.callTool({ name: "list_checklist_items", arguments: {} });
      const [attempt, ...others] = await connections(server);
      assert.deepEqual(others, []);
      assert.deepEqual([attempt.stage, attempt.error, attempt.key_name], ["first_call", null, "all"]);
      assert.match(attempt.client, /^test 1$/);
    });
  }

  test("shows why it was interrupted, and continues once the cause is fixed", async (t) => {
    const server = await startServer(t);
    const headers = { "user-agent": "probe/1" };
    const authorization = `Bearer ${server.key.slice(0, -2)}`;
    assert.equal((await post(server, { ...headers, authorization })).status, 401);
    const [broken] = await connections(server);
    assert.deepEqual([broken.user_agent, broken.stage, broken.error.code], ["probe/1", "unauthorized", "invalid_key"]);
    assert.match(broken.error.message, /^The key is truncated/);
    assert.match(broken.next_step, /^Copy the key into the client again/);
    assert.equal(JSON.stringify(broken).includes(server.key.slice(0, 20)), false);
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const accept = "application/json, text/event-stream";
    assert.equal((await post(server, { ...headers, accept, authorization: `Bearer ${server.key}` }, list)).status, 200);
    const [fixed, ...others] = await connections(server);
    assert.deepEqual([fixed.id, fixed.stage, fixed.error, others], [broken.id, "first_list", null, []]);
  });

  test("gets an error if it opens an old stream, but not if it tries a stream later", async (t) => {
    const server = await startServer(t);
    const headers = { authorization: `Bearer ${server.key}`, "user-agent": "old/1" };
    await fetch(server.mcpUrl, { headers });
    const [attempt] = await connections(server);
    assert.deepEqual([attempt.stage, attempt.error.code], ["key", "method_not_allowed"]);
    assert.match(attempt.next_step, /Streamable HTTP/);
    const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "new", version: "2" } };
    const accept = "application/json, text/event-stream";
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
    assert.equal((await post(server, { ...headers, accept }, body)).status, 200);
    await fetch(server.mcpUrl, { headers });
    const [later] = await connections(server);
    assert.deepEqual([later.client, later.error], ["new 2", null]);
  });
});

suite("problems", () => {
  test("at registration, on the sign-in page and at the exchange are reported with the next step", async (t) => {
    const server = await startServer(t);
    await register(server, { redirect_uris: ["javascript:1"] });
    const [unregistered] = await connections(server);
    assert.equal(unregistered.error.code, "invalid_redirect_uri");

    const browser = await asApprover(server);
    const id = await registered(server);
    const signIn = new SignIn(server, id);
    await signIn.decide(browser, { decision: "deny" });
    const declined = (await connections(server)).find(({ error }: any) => error?.code === "access_denied");
    assert.equal(declined.stage, "consent");
    assert.match(declined.next_step, /^A teammate rejected the request/);

    assert.equal((await signIn.redeem("no such code")).body.error, "invalid_grant");
    const refused = (await connections(server)).find((one: any) => one.id === declined.id);
    assert.deepEqual([refused.stage, refused.error.code], ["consent", "invalid_grant"]);

    await new SignIn(server, "https://client.example/none.json").open(browser);
    assert.ok((await connections(server)).some(({ error }: any) => error?.code === "client_not_found"));
    await postForm(server, "/oauth/token", "grant_type=password");
    assert.ok((await connections(server)).some(({ error }: any) => error?.code === "unsupported_grant_type"));
  });

  test("before that, such as another origin's page, are reported too; requests elsewhere are not", async (t) => {
    const server = await startServer(t);
    const from = (path: string) =>
      new Promise<void>((resolve) => {
        const headers = { origin: "https://app.example.com", "user-agent": "page/1" };
        request(`${server.listening}${path}`, { method: "POST", headers }, (response) => {
          response.resume().on("end", resolve);
        }).end();
      });
    await from("/api/v1/contacts");
    assert.deepEqual(await connections(server), []);
    await from("/api/v1/mcp");
    const [attempt] = await connections(server);
    assert.equal(attempt.error.code, "origin_not_allowed");
    assert.match(attempt.next_step, /ROSTRUM_CORS_ORIGINS/);
  });
});

suite("the log", () => {
  const key = (n: number) => ({ id: `key-${n}`, name: `Key ${n}`, prefix: mintKey().prefix });
  const from = (n: number) => ({ userAgent: `agent/${n}`, address: `10.0.${n % 250}.1` });

  test("keeps the latest 500, and unknown clients evict no connected one", () => {
    const log = new ConnectionLog(new FakeClock());
    log.used("first_call", key(0), from(0), "kept");
    for (let n = 1; n < 2 * KEPT_ATTEMPTS; n += 1) log.reached("unauthorized", from(n));
    assert.equal(log.list().length, KEPT_ATTEMPTS);
    assert.equal(log.list().filter(({ client }) => client === "kept").length, 1);
    for (let n = 1; n < 2 * KEPT_ATTEMPTS; n += 1) log.used("first_list", key(n), from(n));
    assert.equal(log.list().length, KEPT_ATTEMPTS);
    assert.ok(log.list().every(({ keyPrefix }) => keyPrefix !== null));
    assert.equal(log.isKnown("key-0", "agent/0"), false, "and what is gone is forgotten whole");
  });

  test("evicts only a client's own entries if it keeps changing its name", () => {
    const log = new ConnectionLog(new FakeClock());
    log.used("first_call", key(0), from(0), "kept");
    const renamed = key(1);
    for (let n = 1; n < 2 * KEPT_ATTEMPTS; n += 1) log.used("first_call", renamed, from(n));
    assert.equal(log.list().length, 1 + KEPT_AGENTS);
    assert.ok(log.isKnown("key-0", "agent/0"));
    assert.ok(log.isKnown("key-1", `agent/${2 * KEPT_ATTEMPTS - 1}`), "the latest is kept");
    assert.ok(!log.isKnown("key-1", "agent/1"));
  });

  test("records nothing more of a working client, and shortens long texts", () => {
    const clock = new FakeClock();
    const log = new ConnectionLog(clock);
    const at = { userAgent: "x".repeat(16_000), address: "2001:db8:1:2:3:4:5:6" };
    log.used("first_call", key(1), at, "y".repeat(16_000));
    const before = JSON.stringify(log.list());
    assert.ok(before.length < 1_000);
    assert.match(before, /"2001:db8:1:2::\/64"/);
    clock.advance(1_000);
    assert.ok(log.isKnown("key-1", at.userAgent));
    log.refusedKey({ code: "rate_limited", message: "" }, key(1), at);
    assert.equal(JSON.stringify(log.list()), before);
  });

  test("waits a minute before it reports a client as stopped, and counts a later one as another", async (t) => {
    const clock = new FakeClock();
    const server = await startServer(t, { clock });
    await post(server, { "user-agent": "probe/1" });
    assert.equal((await connections(server))[0].next_step, null);
    clock.advance(60_000);
    assert.match((await connections(server))[0].next_step, /^Give the client a key/);
    clock.advance(3_600_000);
    await post(server, { "user-agent": "probe/1" });
    assert.equal((await connections(server)).length, 2);
  });
});
