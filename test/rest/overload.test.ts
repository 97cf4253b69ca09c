import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { connect, Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Admission, type Overload } from "../../src/http/admission.ts";
import { readBytes } from "../../src/http/json.ts";
import { createWebApp, listen } from "../../src/http/server.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const METRICS_TOKEN = "sixteen characters or more";

/** A server with a limit of one request in flight, which is taken: its key lookup lasts until `release`. */
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

/** Sends lines as they are, and reads until the server closes the connection. */
async function talk(server: TestServer, first: string, more: readonly string[], body = ""): Promise<string> {
  const socket = connect(server.running.port, "127.0.0.1");
  socket.write(`${[first, "Host: 127.0.0.1", ...more].join("\r\n")}\r\n\r\n${body}`);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer;
}

test("above the limit of requests in flight, each surface refuses in its own format, before any work", async (t) => {
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
  for (const path of ["/healthz", "/readyz", "/readyz?probe=1"]) {
    assert.equal((await ask(server, "GET", path)).status, 200, path);
  }
  assert.match(await talk(server, "GET http://127.0.0.1/readyz HTTP/1.1", ["Connection: close"]), /^HTTP\/1\.1 200 /);
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

test("a client that sends Expect: 100-continue is refused without being told to send its body", async (t) => {
  const { server, first, release } = await full(t);
  const headers = ["Expect: 100-continue", "Content-Length: 2"];
  const answer = await talk(server, "POST /api/v1/contacts HTTP/1.1", headers);
  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.match(answer, /\r\nconnection: close\r\n/i);
  release();
  await first;
});

test("a client that sends Expect: 100-continue is told to continue, and its connection is kept", async (t) => {
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

test("a slow body does not take another request's slot", async (t) => {
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

test("a client that sends Expect: 100-continue may close its connection", { timeout: 10_000 }, async (t) => {
  const server = await startServer(t);
  const headers = ["Expect: 100-continue", "Content-Length: 2", "Connection: close"];
  const answer = await talk(server, "POST /api/v1/contacts HTTP/1.1", headers, "{}");
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
  assert.match(answer, /\r\nconnection: close\r\n/i);
});

test("an unread body does not hide a request in flight", { timeout: 10_000 }, async (t) => {
  const { server, first, release, lookups } = await full(t);
  release();
  await first;
  let letGo = () => {};
  lookups.mock.mockImplementation(async () => {
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return undefined;
  });
  const key = `Authorization: Bearer ros_live_${"x".repeat(43)}`;
  const answer = talk(server, "GET /api/v1/contacts HTTP/1.1", [key, "Content-Length: 2", "Connection: close"], "{}");
  await until(() => lookups.mock.callCount() === 2);
  assert.equal((await server.rest("GET", "/contacts")).status, 503);
  letGo();
  assert.match(await answer, /^HTTP\/1\.1 401 /);
});

test("a client that disconnects frees its slot, whether its request was complete or not", async (t) => {
  const { server, first, release, lookups } = await full(t);
  release();
  await first;
  const held: (() => void)[] = [];
  lookups.mock.mockImplementation(async () => {
    await new Promise<void>((resolve) => held.push(resolve));
    return undefined;
  });
  const key = `Authorization: Bearer ros_live_${"x".repeat(43)}`;
  const get = ["GET /api/v1/contacts HTTP/1.1", "Host: 127.0.0.1", key, "", ""].join("\r\n");
  const head = ["POST /api/v1/contacts HTTP/1.1", "Host: 127.0.0.1", key, "Content-Type: application/json"];
  const upload = [...head, "Content-Length: 9", "", "{"].join("\r\n");
  for (const text of [get, upload, `${upload.replace("9", "1")}${get}`]) {
    const seen = held.length;
    const socket = connect(server.running.port, "127.0.0.1");
    socket.write(text);
    await until(() => held.length > seen);
    socket.destroy();
  }
  for (const letGo of held) letGo();
  lookups.mock.restore();
  await until(async () => (await server.rest("GET", "/contacts")).status === 200);
});

test("the next request on a connection is read right after a refused upload", async (t) => {
  const { server, first, release } = await full(t);
  const body = "GET /nowhere HTTP/1.1\r\n\r\n".repeat(20_000);
  const socket = connect(server.running.port, "127.0.0.1");
  const post = ["POST /api/v1/contacts HTTP/1.1", "Host: 127.0.0.1", `Content-Length: ${body.length}`];
  socket.write(`${post.join("\r\n")}\r\n\r\n`);
  let answers = "";
  socket.on("data", (chunk) => {
    answers += chunk;
  });
  await until(() => answers.includes("HTTP/1.1 503"));
  await new Promise((resolve) => socket.write(body, resolve));
  socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  await once(socket, "close");
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 503", "HTTP/1.1 200"]);
  release();
  await first;
});

test("a client that keeps sending without waiting for its refusals is cut off, and no other is", {
  timeout: 10_000,
}, async (t) => {
  const { server, first, release } = await full(t);
  const socket = connect(server.running.port, "127.0.0.1");
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume().write("GET /api/v1/contacts HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(200));
  await closed;
  assert.equal((await server.rest("GET", "/contacts")).status, 503);
  release();
  await first;
});

test("a stream uses no slot once it has started", async (t) => {
  const admission = new Admission({ maxInFlight: 1, exempt: [], answers: [], onRefusal: () => undefined });
  const web = createWebApp({ admission });
  web.app.get("/stream", (_request, response) => void response.writeHead(200).write("begun"));
  web.app.get("/", (_request, response) => void response.end());
  const url = `http://127.0.0.1:${await listen(web.server, 0, "127.0.0.1")}`;
  t.after(() => web.stop());
  const stream = http.get(`${url}/stream`);
  t.after(() => stream.destroy());
  stream.on("error", () => undefined);
  await once(stream, "response");
  assert.equal((await fetch(url)).status, 200);
});

for (const [how, pause] of [
  ["together with its headers", false],
  ["after its headers", true],
] as const) {
  test(`a request whose body came ${how} takes a slot until it is answered`, async (t) => {
    const admission = new Admission({ maxInFlight: 1, exempt: [], answers: [], onRefusal: () => undefined });
    const web = createWebApp({ admission });
    const reached = { handler: 0, read: 0 };
    let answer = () => {};
    web.app.post("/", async (request, response) => {
      reached.handler += 1;
      answer = () => void response.end(body);
      // As where the key is looked up first.
      await undefined;
      const body = await readBytes(request);
      reached.read += 1;
    });
    web.app.get("/", (_request, response) => void response.end());
    const port = await listen(web.server, 0, "127.0.0.1");
    t.after(() => web.stop());
    const socket = connect(port, "127.0.0.1").setNoDelay();
    t.after(() => socket.destroy());
    const head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\n";
    socket.write(pause ? head : `${head}body`);
    await until(() => reached.handler === 1);
    if (pause) socket.write("body");
    await until(() => reached.read === 1);
    const status = async () => (await fetch(`http://127.0.0.1:${port}`)).status;
    assert.equal(await status(), 503);
    answer();
    const [text] = await once(socket, "data");
    assert.match(String(text), /^HTTP\/1\.1 200 .*\r\nbody$/s);
    assert.equal(await status(), 200);
  });
}

/** A request on its own connection. */
function arriving(method = "GET", headers: http.IncomingHttpHeaders = {}): http.IncomingMessage {
  return Object.assign(new http.IncomingMessage(new Socket()), { method, url: "/", headers });
}

test("while a refusal waits to be sent, none of the request's body is kept, and a disconnected client gets none", async () => {
  const refusals: Overload[] = [];
  const admission = new Admission({
    maxInFlight: 0,
    exempt: [],
    answers: [],
    onRefusal: (overload) => void refusals.push(overload),
  });
  const uploads = Array.from({ length: 30 }, () => arriving("POST", { "content-length": "60000" }));
  const responses = uploads.map((request) => new http.ServerResponse(request));
  for (const [i, request] of uploads.entries()) {
    admission.admit(request, responses[i] as http.ServerResponse, () => assert.fail("it was served"));
    request.push(Buffer.alloc(60_000));
  }
  assert.equal(responses.filter(({ headersSent }) => headersSent).length, 1, "the others wait");
  // No longer than discarding them takes: a refusal is due every millisecond.
  while (uploads.some(({ readableLength }) => readableLength > 0)) await nextTurn();
  uploads.at(-1)?.socket.destroy();
  admission.flush();
  assert.equal(responses.filter(({ headersSent }) => headersSent).length, 29);
  assert.equal(refusals.length, 30);
});

test("a time slice includes the work that requests do in promises", async () => {
  const admission = new Admission({ maxInFlight: 1_000, exempt: [], answers: [], onRefusal: () => undefined });
  const block = new Int32Array(new SharedArrayBuffer(4));
  let served = 0;
  const inTurn: number[] = [];
  for (let i = 0; i < 30; i++) {
    const request = arriving();
    admission.admit(request, new http.ServerResponse(request), async () => {
      for (let step = 0; step < 5; step++) await undefined;
      Atomics.wait(block, 0, 0, 6);
      served += 1;
    });
    // As happens between reading two connections.
    await undefined;
  }
  while (served < 30) {
    const before = served;
    await new Promise((resolve) => setImmediate(resolve));
    inTurn.push(served - before);
  }
  assert.ok(Math.max(...inTurn) <= 3, `served in each turn: ${inTurn.join(", ")}`);
});

/** Requests that arrive at once, and block the event loop for this many milliseconds each. */
async function arriveAtOnce(busyMs: readonly number[]): Promise<{ served: number; refused: Overload[] }> {
  const refused: Overload[] = [];
  const onRefusal = (overload: Overload) => void refused.push(overload);
  const admission = new Admission({ maxInFlight: 1_000, exempt: [], answers: [], onRefusal });
  const block = new Int32Array(new SharedArrayBuffer(4));
  let served = 0;
  for (const ms of busyMs) {
    const request = arriving();
    admission.admit(request, new http.ServerResponse(request), () => {
      Atomics.wait(block, 0, 0, ms);
      served += 1;
    });
  }
  await until(() => served + refused.length === busyMs.length);
  admission.flush();
  return { served, refused };
}

test("once requests have been queued for a second, the longest waiting ones are refused", async () => {
  const { served, refused } = await arriveAtOnce(Array.from({ length: 60 }, () => 40));
  assert.ok(served >= 10 && served < 60, `${served} were served`);
  assert.deepEqual([...new Set(refused)], ["wait"]);
});

test("after a queue of more than a second, one slow request alone is not an overload", async () => {
  const { served, refused } = await arriveAtOnce([...Array.from({ length: 8 }, () => 20), 1_500, 600, 1, 1, 1]);
  assert.deepEqual([served, refused], [13, []]);
});

test("requests queued behind one slow request are served", async () => {
  const { served } = await arriveAtOnce([600, ...Array.from({ length: 20 }, () => 1)]);
  assert.equal(served, 21);
});

test("a connection above the maximum is closed and counted", async (t) => {
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
