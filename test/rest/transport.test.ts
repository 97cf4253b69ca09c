import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createWebApp, holdRequests, listen } from "../../src/http/server.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const UUID = /^[0-9a-f-]{36}$/;

interface Answer {
  status: number;
  headers: Headers;
  body: { data: null; error: string; code: string };
}

/** Sends bytes as they are, and reads until the server closes the connection. */
function talk(port: number, text: string, then?: (socket: Socket) => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(text);
      then?.(socket);
    });
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      const [first = "", ...lines] = head.split("\r\n");
      const pairs = lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(":")),
        line.slice(line.indexOf(":") + 1),
      ]);
      try {
        resolve({ status: Number(first.split(" ")[1]), headers: new Headers(pairs), body: JSON.parse(body) });
      } catch (error) {
        reject(new Error(`no envelope: ${answer}`, { cause: error }));
      }
    });
  });
}

function isRefusal({ status, headers, body }: Answer, expected: number, code: string, message?: string): void {
  assert.deepEqual([status, body.code, body.data], [expected, code, null], message);
  assert.equal(typeof body.error, "string");
  assert.deepEqual(Object.keys(body), ["data", "error", "code"]);
  assert.match(headers.get("x-request-id") ?? "", UUID, message);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(headers.get("connection"), "close");
}

test("input that is not HTTP gets the envelope and a request id", async (t) => {
  const { running } = await startServer(t);
  const host = "Host: 127.0.0.1\r\n";
  const cases: [text: string, status: number, code: string][] = [
    ["nonsense\r\n\r\n", 400, "bad_request"],
    [`GET /api/v1/contacts HTTP/1.1\r\n${host}Bad Header: x\r\n\r\n`, 400, "bad_request"],
    [
      `POST /api/v1/contacts HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      400,
      "bad_request",
    ],
    [`GET /api/v1/contacts HTTP/1.1\r\n${host}X-Long: ${"x".repeat(20_000)}\r\n\r\n`, 431, "headers_too_large"],
    ["GET /api/v1/contacts HTTP/1.1\r\n\r\n", 400, "bad_request"],
    [`GET /api/v1/contacts HTTP/1.1\r\n${host}${host}\r\n`, 400, "bad_request"],
    [`GET /api/v1/contacts HTTP/1.1\r\n${host}hOST: evil.example\r\n\r\n`, 400, "bad_request"],
    [`GET /console HTTP/1.1\r\n${host}${host}\r\n`, 400, "bad_request"],
    [
      `POST /api/v1/contacts HTTP/1.1\r\n${host}Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`,
      417,
      "expectation_failed",
    ],
    ["CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", 405, "method_not_allowed"],
  ];
  for (const [text, status, code] of cases) isRefusal(await talk(running.port, text), status, code, text.slice(0, 90));
});

test("a request that does not arrive in time is 408, with its own id once its headers are known", async (t) => {
  const { app, server } = createWebApp();
  app.use((request, response) => {
    request.resume().on("end", () => response.end("{}"));
  });
  const port = await listen(server, 0, "127.0.0.1");
  t.after(() => server.close());
  const late = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  server.once("connection", (socket) => setTimeout(() => server.emit("clientError", late, socket), 50));
  isRefusal(await talk(port, "GET / HTTP/1.1\r\n"), 408, "request_timeout");
  server.once("connection", (socket) => setTimeout(() => server.emit("clientError", late, socket), 50));
  const head = "POST / HTTP/1.1\r\nHost: x\r\nX-Request-Id: trace-7\r\nContent-Length: 10\r\n\r\n{";
  const slow = await talk(port, head);
  assert.deepEqual(
    [slow.status, slow.body.code, slow.headers.get("x-request-id")],
    [408, "request_timeout", "trace-7"],
  );
});

const BROKEN: [name: string, text: string, status: number, code: string][] = [
  ["garbage", "nonsense\r\n\r\n", 400, "bad_request"],
  ["a TLS greeting", "\x16\x03\x01\x02", 400, "bad_request"],
  ["a bad header", "GET / HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n", 400, "bad_request"],
  ["a bad chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "bad_request"],
  ["a long header", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "headers_too_large"],
  ["CONNECT", "CONNECT x.example:1 HTTP/1.1\r\nHost: x.example:1\r\n\r\n", 405, "method_not_allowed"],
];

/** A server that answers each request with its path, at once or when told to. */
async function startEcho(t: TestContext) {
  const { app, server } = createWebApp();
  const waiting: (() => void)[] = [];
  app.use((request, response) => {
    const answer = () => response.json(request.path);
    request.resume().on("end", () => (request.path.startsWith("/slow") ? waiting.push(answer) : answer()));
  });
  const port = await listen(server, 0, "127.0.0.1");
  t.after(() => server.close());
  return { port, server, waiting };
}

/** Sends each text once `ready` allows it, and returns the status and body of every answer on the connection. */
async function answersTo(port: number, steps: readonly [text: string, ready: (received: string) => boolean][]) {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    received += chunk;
  });
  const closed = once(socket, "close");
  for (const [text, ready] of steps) {
    await until(() => ready(received));
    socket.write(text);
  }
  await closed;
  return received
    .split(/(?=HTTP\/1\.1 )/)
    .map((answer): [number, any] => [
      Number(answer.split(" ")[1]),
      JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))),
    ]);
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

for (const [name, text, status, code] of BROKEN) {
  test(`${name} after an answer on the same connection is refused and closes it`, async (t) => {
    const { port } = await startEcho(t);
    const answers = await answersTo(port, [
      [get("/first"), () => true],
      [text, (received) => received.includes("/first")],
    ]);
    assert.deepEqual(
      answers.map(([is, body]) => [is, body.code ?? body]),
      [
        [200, "/first"],
        [status, code],
      ],
    );
  });

  test(`${name} is refused after the pending answers`, async (t) => {
    const { port, waiting } = await startEcho(t);
    const all = answersTo(port, [
      [get("/slow/1") + get("/slow/2") + text, () => true],
      ["more nonsense", () => waiting.length === 2],
    ]);
    await until(() => waiting.length === 2);
    for (const answer of waiting.reverse()) answer();
    assert.deepEqual(
      (await all).map(([is, body]) => [is, body.code ?? body]),
      [
        [200, "/slow/1"],
        [200, "/slow/2"],
        [status, code],
      ],
    );
  });
}

test("a connection that is reset after CONNECT does not end the process", async (t) => {
  const { port, server } = await startEcho(t);
  const CONNECT = "CONNECT x.example:1 HTTP/1.1\r\nHost: x.example:1\r\n\r\n";
  for (let i = 0; i < 20; i++) {
    const accepted = once(server, "connection");
    const socket = connect(port, "127.0.0.1", () => socket.write(CONNECT, () => socket.resetAndDestroy()));
    const [served] = await accepted;
    await until(() => served.destroyed);
  }
  const [[status]] = (await answersTo(port, [
    [get("/alive").replace("\r\n", "\r\nConnection: close\r\n"), () => true],
  ])) as [[number, any]];
  assert.equal(status, 200);
});

test("a stop waits five seconds for a request that does not end, whether draining or not", async () => {
  const { app, server, drain, stop } = createWebApp();
  app.use(() => undefined);
  const port = await listen(server, 0, "127.0.0.1");
  const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(server, "request");
  await drain(1);
  const began = performance.now();
  await stop();
  const ms = performance.now() - began;
  assert.ok(ms > 4_900 && ms < 5_900, `${ms} ms`);
  await closed;
});

test("requests that are held are answered once the server is ready, also those that ask before they send", async (t) => {
  const { app, server } = createWebApp();
  let ready = false;
  app.post("/", (_request, response) => void response.status(ready ? 200 : 503).end());
  const serve = holdRequests(server);
  const port = await listen(server, 0, "127.0.0.1");
  t.after(() => server.close().closeAllConnections());
  const post = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ port, host: "127.0.0.1", method: "POST", headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      asked.on("error", reject).on("continue", () => asked.end("x"));
      if (headers.expect === undefined) asked.end("x");
      else asked.flushHeaders();
    });
  const answers: (number | undefined)[] = [];
  const asked = [{}, { expect: "100-continue" }].map((headers) => post(headers).then((status) => answers.push(status)));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(answers, []);
  ready = true;
  serve();
  await Promise.all(asked);
  assert.deepEqual([...answers, await post({})], [200, 200, 200]);
});

test("a request that is answered keeps its answer, whatever follows in the same packet", async (t) => {
  const { running } = await startServer(t);
  const head =
    "POST /nope HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
  const { status, body } = await talk(running.port, `${head}\r\nZZZ\r\n`);
  assert.deepEqual([status, body.code], [404, "route_not_found"]);
});

test("clients that close their half of the connection are answered", async (t) => {
  const { running } = await startServer(t);
  const get = "GET /nope HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const answers = Array.from({ length: 20 }, () => talk(running.port, get, (socket) => socket.end()));
  const statuses = new Set((await Promise.all(answers)).map(({ status }) => status));
  assert.deepEqual([...statuses], [404]);
});
