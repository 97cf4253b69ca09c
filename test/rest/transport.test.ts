import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { createWebApp, listen } from "../../src/http/server.ts";
import { startServer } from "../support/server.ts";

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

test("what is not HTTP is answered with the envelope and a request id", async (t) => {
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

test("a request that does not arrive in time is 408, with the id it came with once its headers are known", async (t) => {
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
