import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { connect, Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { Admission, type Overload } from "../../src/http/admission.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const METRICS_TOKEN = "sixteen characters or more";

/** A server that may have one request in flight, and has one: its key is looked up until `release`. */
async function full(t: TestContext) {
  const env = { ROSTRUM_MAX_IN_FLIGHT: "1", ROSTRUM_METRICS_TOKEN: METRICS_TOKEN };
  const server = await startServer(t, { env });
  const { store } = server.running;
  const findKey = store.findKey.bind(store);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const lookups = t.mock.method(store, "findKey", async (hash: Buffer) => {
    await held;
    return findKey(hash as never);
  });
  const first = server.rest("GET", "/contacts");
  await until(() => lookups.mock.callCount() === 1);
  return { server, first, release, lookups };
}

async function ask(server: TestServer, method: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(server.listening + path, { method, headers: { "x-request-id": "trace-7", ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("beyond the requests in flight, each surface refuses in its own form, before any work", async (t) => {
  const { server, first, release, lookups } = await full(t);
  const refusals = {
    "GET /api/v1/contacts": "envelope",
    "POST /api/v1/contacts": "envelope",
    "GET /nowhere": "envelope",
    "POST /console/api/list_contacts": "envelope",
    "POST /api/v1/mcp": "rpc",
    "GET /console/sign-in": "page",
    "GET /unsubscribe/token": "page",
  };
  for (const [line, form] of Object.entries(refusals)) {
    const [method = "", path = ""] = line.split(" ");
    const wrongKey = { authorization: `Bearer ros_live_${"x".repeat(43)}` };
    const { status, headers, text } = await ask(server, method, path, wrongKey);
    assert.equal(status, 503, line);
    assert.equal(headers.get("retry-after"), "1");
    assert.equal(headers.get("x-request-id"), "trace-7");
    assert.equal(headers.get("cache-control"), "no-store");
    if (form === "page") {
      assert.match(headers.get("content-type") ?? "", /^text\/html/);
      assert.match(text, /<h1>/);
    } else if (form === "rpc") {
      const { jsonrpc, id, error } = JSON.parse(text);
      assert.deepEqual([jsonrpc, id, error.code, error.data], ["2.0", null, -32000, { code: "overloaded" }]);
    } else {
      const { data, code, error } = JSON.parse(text);
      assert.deepEqual([data, code, typeof error], [null, "overloaded", "string"], line);
    }
  }
  assert.equal(lookups.mock.callCount(), 1, "no key was looked up");
  for (const path of ["/healthz", "/readyz"]) assert.equal((await ask(server, "GET", path)).status, 200, path);
  const metrics = await ask(server, "GET", "/metrics", { authorization: `Bearer ${METRICS_TOKEN}` });
  assert.match(metrics.text, /^rostrum_overloaded_total\{bound="in_flight"\} 7$/m);

  release();
  assert.equal((await first).status, 200);
  assert.equal((await server.rest("GET", "/contacts")).status, 200);
  const rows = (await server.operator("list_auth_events", {})) as { code: string }[];
  assert.deepEqual(
    rows.filter(({ code }) => code === "invalid_key"),
    [],
    "nothing was logged of the wrong key",
  );
});

test("a client that asks before it sends its body is refused without being told to send it", async (t) => {
  const { server, first, release } = await full(t);
  const socket = connect(server.running.port, "127.0.0.1");
  const head = ["POST /api/v1/contacts HTTP/1.1", "Host: 127.0.0.1", "Expect: 100-continue", "Content-Length: 2"];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.match(answer, /\r\nconnection: close\r\n/i);
  release();
  await first;
});

test("a client that asks before it sends its body is told to, and its connection is kept", async (t) => {
  const server = await startServer(t);
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json", expect: "100-continue" };
  const request = http.request(`${server.base}/contacts`, { method: "POST", agent, headers });
  request.flushHeaders();
  await once(request, "continue");
  request.end('{"first_name":"Ada"}');
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  response.resume();
  assert.deepEqual([response.statusCode, response.headers.connection], [201, "keep-alive"]);
});

test("a body that arrives slowly takes no other request's place", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_MAX_IN_FLIGHT: "1" } });
  const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json", "content-length": 20 };
  const slow = http.request(`${server.base}/contacts`, { method: "POST", headers });
  await new Promise<void>((resolve, reject) => slow.write('{"first_', (error) => (error ? reject(error) : resolve())));
  assert.equal((await server.rest("GET", "/contacts")).status, 200);
  slow.end('name":"Ada"}');
  const [response] = (await once(slow, "response")) as [http.IncomingMessage];
  response.resume();
  assert.equal(response.statusCode, 201);
  assert.equal((await server.rest("GET", "/contacts")).status, 200);
});

/** Requests that arrive at once, and keep the event loop busy for so many milliseconds each. */
async function arriveAtOnce(busyMs: readonly number[]): Promise<{ served: number; refused: Overload[] }> {
  const refused: Overload[] = [];
  const onRefusal = (overload: Overload) => void refused.push(overload);
  const admission = new Admission({ maxInFlight: 1_000, exempt: [], answers: [], onRefusal });
  const block = new Int32Array(new SharedArrayBuffer(4));
  let served = 0;
  for (const ms of busyMs) {
    const request = new http.IncomingMessage(new Socket());
    admission.admit(request, new http.ServerResponse(request), () => {
      Atomics.wait(block, 0, 0, ms);
      served += 1;
    });
  }
  await until(() => served + refused.length === busyMs.length);
  admission.flush();
  return { served, refused };
}

test("once requests have been waiting for a second, those that waited for long are refused", async () => {
  const { served, refused } = await arriveAtOnce(Array.from({ length: 60 }, () => 40));
  assert.ok(served >= 10 && served < 60, `${served} were served`);
  assert.deepEqual([...new Set(refused)], ["wait"]);
});

test("those that wait behind one slow request are served", async () => {
  const { served } = await arriveAtOnce([600, ...Array.from({ length: 20 }, () => 1)]);
  assert.equal(served, 21);
});

test("a connection beyond the most is closed and counted", async (t) => {
  const env = { ROSTRUM_MAX_CONNECTIONS: "2", ROSTRUM_METRICS_TOKEN: METRICS_TOKEN };
  const server = await startServer(t, { env });
  const open = async () => {
    const socket = connect(server.running.port, "127.0.0.1");
    socket.on("error", () => undefined);
    t.after(() => socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  const first = await open();
  await open();
  const third = await open();
  await once(third.resume(), "close");
  first.destroy();
  await until(async () => {
    const metrics = await ask(server, "GET", "/metrics", { authorization: `Bearer ${METRICS_TOKEN}` }).catch(
      () => null,
    );
    return /^rostrum_connections_dropped_total [1-9]/m.test(metrics?.text ?? "");
  });
});
