import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { CallError } from "../../src/lib/http-client/errors.ts";
import { until } from "../support/until.ts";
import { deadPort, receiveHttp, receiveTcp } from "./receiver.ts";
import { BODY, failureOf, openClient, READ } from "./support.ts";

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** Never answers. */
const hang = () => undefined;
const ok = (_request: IncomingMessage, response: ServerResponse) => response.end("ok");

test("a POST arrives with its query string, headers and body, byte for byte", async (t) => {
  const seen: unknown[] = [];
  const receiver = await receiveHttp(t, async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, host: headers.host, id: headers["webhook-id"], type: headers["content-type"] });
    seen.push(await bodyOf(request));
    response.writeHead(202, { "content-type": "application/json" }).end('{"challenge":"x"}');
  });
  const url = new URL("/in?token=a%20b&token=ü", receiver.url);
  const headers = { "content-type": "application/json", "webhook-id": "evt_1", host: "elsewhere.example" };
  const answer = await openClient(t).post(url, { headers, body: '{"name":"ö"}', read: 65_536 });
  const host = `127.0.0.1:${receiver.port}`;
  const sent = { method: "POST", url: "/in?token=a%20b&token=%C3%BC", host, id: "evt_1", type: "application/json" };
  assert.deepEqual(seen, [sent, '{"name":"ö"}']);
  assert.equal(answer.status, 202);
  assert.deepEqual(answer.headers, { retryAfter: undefined, contentType: "application/json" });
  assert.equal(answer.body.toString(), '{"challenge":"x"}');
});

test("a GET sends no body and reads the response", async (t) => {
  const { url } = await receiveHttp(t, (request, response) => {
    assert.equal(request.headers["content-length"], undefined);
    response.end(request.method);
  });
  assert.equal((await openClient(t).get(url, { read: 100 })).body.toString(), "GET");
});

test("every status is a response, with the first Retry-After that was sent", async (t) => {
  const { url } = await receiveHttp(t, (request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, [
      ["Retry-After", "120"],
      ["Retry-After", "1"],
    ] as any);
    response.end();
  });
  const client = openClient(t);
  for (const status of [200, 204, 400, 404, 410, 413, 429, 500, 503]) {
    const answer = await client.post(new URL(`/${status}`, url), BODY);
    assert.deepEqual([answer.status, answer.headers.retryAfter], [status, "120"]);
  }
});

test("redirects are responses and are not followed", async (t) => {
  let visits = 0;
  const inside = await receiveHttp(t, (_request, response) => {
    visits++;
    response.end();
  });
  const { url } = await receiveHttp(t, (request, response) => {
    response.writeHead(Number(request.url?.slice(1)), { location: inside.url.href }).end();
  });
  const client = openClient(t);
  for (const status of [301, 302, 303, 307, 308]) {
    assert.equal((await client.post(new URL(`/${status}`, url), BODY)).status, status);
    assert.equal((await client.get(new URL(`/${status}`, url), { read: 0 })).status, status);
  }
  assert.equal(visits, 0);
});

test("early hints are not taken for the response", async (t) => {
  const { url } = await receiveHttp(t, (_request, response) => {
    response.writeEarlyHints({ link: "</a.css>; rel=preload" });
    response.writeHead(503).end("later");
  });
  const answer = await openClient(t).post(url, READ);
  assert.deepEqual([answer.status, answer.body.toString()], [503, "later"]);
});

test("no compression is requested or decoded", async (t) => {
  const zipped = gzipSync("x".repeat(10_000));
  const { url } = await receiveHttp(t, (request, response) => {
    assert.equal(request.headers["accept-encoding"], "identity");
    response.writeHead(200, { "content-encoding": "gzip" }).end(zipped);
  });
  assert.deepEqual((await openClient(t).post(url, READ)).body, zipped);
});

test("a server that never responds is dropped at the deadline", async (t) => {
  const receiver = await receiveHttp(t, hang);
  const client = openClient(t);
  const began = performance.now();
  await failureOf(client.post(receiver.url, { ...BODY, deadlineMs: 150 }), { reason: "timeout", beforeSent: false });
  assert.ok(performance.now() - began < 2_000);
  await until(() => receiver.open() === 0);
});

test("calls aborted while waiting for a response open no further connections", async (t) => {
  let requests = 0;
  const receiver = await receiveHttp(t, () => {
    requests++;
  });
  const client = openClient(t);
  const stop = new AbortController();
  const calls = Array.from({ length: 10 }, () => client.post(receiver.url, { ...BODY, signal: stop.signal }));
  const outcomes = Promise.allSettled(calls);
  await until(() => requests === 10);
  stop.abort();
  await outcomes;
  await until(() => receiver.open() === 0);
  // Long enough for a new connection on loopback to arrive.
  await pause(100);
  assert.equal(receiver.connections.length, 10);
});

test("a slow response is dropped at the deadline, whether it is kept or discarded", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => {
    const timer = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(timer));
  });
  const client = openClient(t, { deadlineMs: 200 });
  for (const options of [BODY, READ]) {
    await failureOf(client.post(receiver.url, options), { reason: "timeout", beforeSent: false });
  }
  await until(() => receiver.open() === 0);
});

test("slow headers are dropped at the deadline", async (t) => {
  const receiver = await receiveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write("x: y\r\n"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const client = openClient(t, { deadlineMs: 200 });
  await failureOf(client.post(receiver.url, BODY), { reason: "timeout", beforeSent: false });
  await until(() => receiver.open() === 0);
});

test("of 64 MiB, only the limit and data already in transit are read", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => {
    const chunk = Buffer.alloc(65_536, "x");
    let left = 1_024;
    const pour = () => {
      while (left-- > 0) if (!response.write(chunk)) return response.once("drain", pour);
      return response.end();
    };
    pour();
  });
  const client = openClient(t);
  assert.equal((await client.post(receiver.url, BODY)).body.length, 0);
  const read = await client.post(receiver.url, { body: "{}", read: 1_000 });
  assert.equal(read.body.toString(), "x".repeat(1_000));
  await until(() => receiver.open() === 0);
  for (const socket of receiver.connections) assert.ok(socket.bytesWritten < 16 * 1_048_576, `${socket.bytesWritten}`);
});

test("a body as long as the limit is read fully, and its connection is kept", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => response.end("x".repeat(1_000)));
  const client = openClient(t);
  for (let n = 0; n < 3; n++)
    assert.equal((await client.post(receiver.url, { body: "", read: 1_000 })).body.length, 1_000);
  assert.equal(receiver.connections.length, 1);
  assert.equal((await client.post(receiver.url, { body: "", read: 999 })).body.length, 999);
  await until(() => receiver.open() === 0);
});

test("a body of single-byte chunks is assembled", async (t) => {
  const { url } = await receiveTcp(t, (socket) => {
    const chunks = [...Array(2_000).keys()].map((n) => `1\r\n${n % 10}\r\n`).join("");
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`));
  });
  assert.equal((await openClient(t).post(url, READ)).body.toString(), "0123456789".repeat(200));
});

test("endless headers abort the call", async (t) => {
  const receiver = await receiveTcp(t, (socket) => {
    const line = `x-filler: ${"y".repeat(4_096)}\r\n`;
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\n${line.repeat(256)}`));
  });
  const call = openClient(t).post(receiver.url, BODY);
  await failureOf(call, { reason: "connection_refused", beforeSent: false });
  await until(() => receiver.open() === 0);
});

for (const [what, answer] of [
  ["no HTTP", "220 mail.example ESMTP\r\n"],
  ["an upgrade that nobody asked for", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
  ["less than it promised", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nxx"],
] as const) {
  test(`a server that answers ${what} aborts the call`, async (t) => {
    const { url } = await receiveTcp(t, (socket) => socket.once("data", () => socket.end(answer)));
    await failureOf(openClient(t).post(url, READ), { reason: "connection_refused", beforeSent: false });
  });
}

test("a request that was sent is not resent when the connection is reset", async (t) => {
  let requests = 0;
  const { url } = await receiveHttp(t, (request) => {
    requests++;
    request.socket.resetAndDestroy();
  });
  const client = openClient(t);
  await failureOf(client.post(url, BODY), { reason: "connection_refused", beforeSent: false });
  assert.equal(requests, 1);
});

test("a closed port refuses the connection, and nothing is sent", async (t) => {
  const url = new URL(`http://127.0.0.1:${await deadPort()}/`);
  const error = await failureOf(openClient(t).post(url, BODY), { reason: "connection_refused", beforeSent: true });
  assert.equal(error.code, "ECONNREFUSED");
  assert.doesNotMatch(error.message, /127\.0\.0\.1/);
});

test("the deadline also ends the pause before a retry", async (t) => {
  const url = new URL(`http://127.0.0.1:${await deadPort()}/`);
  const call = openClient(t).post(url, { ...BODY, deadlineMs: 150 });
  // Started at the same time: timers fire in order, however slow the machine is.
  const bothPauses = pause(380, "both pauses", { ref: false });
  await failureOf(Promise.race([call, bothPauses]), { reason: "timeout", beforeSent: true });
});

test("connections are reused", async (t) => {
  const receiver = await receiveHttp(t, ok);
  const client = openClient(t);
  for (let n = 0; n < 5; n++) await client.post(receiver.url, n % 2 === 0 ? BODY : READ);
  assert.equal(receiver.connections.length, 1);
});

test("100 simultaneous POSTs to one host all arrive, on no more connections than allowed", async (t) => {
  const held: ServerResponse[] = [];
  let arrived = 0;
  const receiver = await receiveHttp(t, (_request, response) => {
    held.push(response);
    arrived++;
    assert.ok(held.length <= 8);
    if (held.length === 8 || arrived > 96) for (const one of held.splice(0)) one.end();
  });
  const client = openClient(t, { connections: 8 });
  const answers = await Promise.all(Array.from({ length: 100 }, () => client.post(receiver.url, BODY)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 100);
  assert.equal(receiver.most(), 8);
  assert.equal(receiver.connections.length, 8);
});

test("a host that hangs delays no other, and works again when it responds", async (t) => {
  let hanging = true;
  const ill = await receiveHttp(t, (_request, response) => {
    if (!hanging) response.end();
  });
  const well = await receiveHttp(t, ok);
  const client = openClient(t, { connections: 2 });
  const stuck = Array.from({ length: 20 }, () => client.post(ill.url, { ...BODY, deadlineMs: 300 }));
  const outcomes = Promise.allSettled(stuck);
  assert.equal((await client.post(well.url, { ...BODY, deadlineMs: 250 })).status, 200);
  for (const outcome of await outcomes) {
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof CallError);
    assert.equal(outcome.reason.reason, "timeout");
  }
  hanging = false;
  assert.equal((await client.post(ill.url, BODY)).status, 200);
});

test("waiting for a connection counts toward the deadline, and nothing is sent before then", async (t) => {
  const held: ServerResponse[] = [];
  const { url } = await receiveHttp(t, (_request, response) => held.push(response));
  const client = openClient(t, { connections: 1 });
  const running = client.post(url, BODY);
  await failureOf(client.post(url, { ...BODY, deadlineMs: 100 }), { reason: "timeout", beforeSent: true });
  assert.equal(held.length, 1);
  held[0]?.end();
  assert.equal((await running).status, 200);
  const next = client.post(url, BODY);
  await until(() => held.length === 2);
  held[1]?.end();
  assert.equal((await next).status, 200);
});

test("an aborting caller gets its own reason, and the connection closes", async (t) => {
  const receiver = await receiveHttp(t, hang);
  const client = openClient(t, { connections: 1 });
  const stop = new AbortController();
  const sent = client.post(receiver.url, { ...BODY, signal: stop.signal });
  const waiting = client.post(receiver.url, { ...BODY, signal: stop.signal });
  const outcomes = Promise.allSettled([sent, waiting]);
  await until(() => receiver.open() === 1);
  const reason = "shutting down";
  stop.abort(reason);
  for (const outcome of await outcomes) assert.equal((outcome as PromiseRejectedResult).reason, reason);
  await until(() => receiver.open() === 0);
  const late = client.post(receiver.url, { ...BODY, signal: stop.signal });
  assert.equal(await late.catch((thrown) => thrown), reason);
  assert.equal(receiver.connections.length, 1);
});

test("one signal for many calls causes no warning and keeps no reference", async (t) => {
  const receiver = await receiveHttp(t, ok);
  const client = openClient(t);
  const { signal } = new AbortController();
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  await Promise.all(Array.from({ length: 20 }, () => client.post(receiver.url, { ...BODY, signal })));
  process.off("warning", note);
  assert.deepEqual(warnings, []);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("closing finishes calls in progress, refuses new ones, and leaves no connection", async (t) => {
  const held: ServerResponse[] = [];
  const receiver = await receiveHttp(t, (_request, response) => held.push(response));
  const client = openClient(t, { connections: 1 });
  const running = client.post(receiver.url, BODY);
  const waiting = client.post(receiver.url, BODY);
  await until(() => held.length === 1);
  const closed = Promise.all([client.close(), client.close()]);
  await failureOf(client.post(receiver.url, BODY), { reason: "connection_refused", beforeSent: true });
  held[0]?.end();
  assert.equal((await running).status, 200);
  await until(() => held.length === 2);
  held[1]?.end();
  assert.equal((await waiting).status, 200);
  await closed;
  await until(() => receiver.open() === 0);
});

test("a header that can't be sent is the caller's error, not a failed call", async (t) => {
  const { url } = await receiveHttp(t, ok);
  const call = openClient(t).post(url, { ...BODY, headers: { "x-a": "b\r\nx-c: d" } });
  await assert.rejects(call, (error) => error instanceof Error && !(error instanceof CallError));
});
