import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FakeClock, startServer } from "../support/server.ts";

test("unknown routes, wrong methods and malformed ids each have their own code", async (t) => {
  const server = await startServer(t);
  const cases: [string, string, number, string][] = [
    ["GET", "/nothing", 404, "route_not_found"],
    ["GET", "/contacts/", 404, "route_not_found"],
    ["GET", "/Contacts", 404, "route_not_found"],
    ["DELETE", "/contacts", 405, "method_not_allowed"],
    ["PUT", "/contacts", 405, "method_not_allowed"],
    ["GET", "/contacts/assert", 405, "method_not_allowed"],
    ["GET", "/contacts/query", 405, "method_not_allowed"],
    ["OPTIONS", "/contacts", 405, "method_not_allowed"],
    ["GET", "/contacts/7", 400, "invalid_id"],
    ["GET", "/contacts/%00", 400, "invalid_id"],
    ["GET", "/contacts?limit=%00&other=%00", 200, ""],
    ["GET", "/contacts/%E0%A4%A", 400, "invalid_id"],
    ["PATCH", "/contacts/not-an-id", 400, "invalid_id"],
    ["POST", "/contacts/0190aaaa-0000-7000-8000-00000000abc/tags", 400, "invalid_id"],
  ];
  for (const [method, path, status, code] of cases) {
    const body = method === "GET" || method === "OPTIONS" ? undefined : { first_name: "x", tag: "x" };
    const reply = await server.rest(method, path, { body });
    assert.deepEqual([reply.status, reply.body.code ?? ""], [status, code], `${method} ${path}`);
    if (code !== "") assert.equal(reply.body.data, null);
    if (status === 405) assert.ok(reply.headers.get("allow"));
  }
  assert.equal((await server.rest("DELETE", "/contacts")).headers.get("allow"), "GET, HEAD, POST");
});

test("an unknown caller is refused before its body is read or its id checked", async (t) => {
  const server = await startServer(t);
  const reply = await server.rest("PATCH", "/contacts/7", {
    key: "",
    raw: "{",
    headers: { "content-type": "text/plain" },
  });
  assert.deepEqual([reply.status, reply.body.code], [401, "missing_key"]);
});

test("a body that is not UTF-8 JSON is refused with its code", async (t) => {
  const server = await startServer(t);
  const cases: [string | Uint8Array, Record<string, string>, number, string][] = [
    ["{", {}, 400, "invalid_json"],
    ["", {}, 400, "invalid_json"],
    ["\uFEFF{}", {}, 400, "invalid_json"],
    [new Uint8Array([0x7b, 0xff, 0x7d]), {}, 400, "invalid_json"],
    ['{"first_name":"a","first_name":"b"}', {}, 400, "invalid_json"],
    ['{"first_name":"a","first\\u005fname":"b"}', {}, 400, "invalid_json"],
    [`${"[".repeat(10_000)}${"]".repeat(10_000)}`, {}, 400, "invalid_json"],
    [`${'{"email":'.repeat(10_000)}1${"}".repeat(10_000)}`, {}, 400, "invalid_json"],
    ["[]", {}, 400, "validation_failed"],
    ["null", {}, 400, "validation_failed"],
    ['"text"', {}, 400, "validation_failed"],
    ['{"first_name":"a\\u0000b"}', {}, 400, "validation_failed"],
    ['{"first_name":"\\ud800"}', {}, 400, "validation_failed"],
    [`{"first_name":"${"x".repeat(256 * 1024)}"}`, {}, 413, "payload_too_large"],
    ["{}", { "content-type": "text/plain" }, 415, "unsupported_media_type"],
    ["{}", { "content-type": "application/json; charset=latin1" }, 415, "unsupported_media_type"],
    ["{}", { "content-encoding": "gzip" }, 415, "unsupported_media_type"],
  ];
  for (const [raw, headers, status, code] of cases) {
    const reply = await server.rest("POST", "/contacts", { raw, headers });
    assert.deepEqual([reply.status, reply.body.code], [status, code], `${raw.slice(0, 40)} ${reply.text}`);
  }
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 0);
  const ignored = `{"first_name":"a","a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
  assert.equal((await server.rest("POST", "/contacts", { raw: ignored })).status, 201, "a field that is ignored");
  const twice = await server.rest("POST", "/contacts", { raw: '{"email":{"b":1,"b":2}}' });
  assert.match(twice.body.error ?? "", /^b appears twice in one object/);
  const fine = await server.rest("POST", "/contacts", {
    raw: '{"first_name":"a:\\"{","last_name":"a:\\"{","x":[{"a":1},{"a":2}]}',
    headers: { "content-type": "Application/JSON; charset=UTF-8" },
  });
  assert.equal(fine.status, 201, fine.text);
});

test("a streamed body over the limit is refused without being stored", async (t) => {
  const server = await startServer(t);
  const url = new URL(`${server.base}/contacts`);
  const { status, body } = await new Promise<{ status?: number; body: string }>((resolve, reject) => {
    const request = httpRequest(
      url,
      { method: "POST", headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ ...(response.statusCode ? { status: response.statusCode } : {}), body: text }),
        );
      },
    );
    request.on("error", reject);
    for (let i = 0; i < 5; i += 1) request.write("x".repeat(64 * 1024));
    request.end("x");
  });
  assert.equal(status, 413);
  assert.match(body, /payload_too_large/);
});

test("a body over the limit is refused while it still arrives", async (t) => {
  const server = await startServer(t);
  const lines = ["POST /api/v1/contacts HTTP/1.1", "Host: 127.0.0.1", `Authorization: Bearer ${server.key}`];
  const json = "Content-Type: application/json";
  for (const framing of ["Content-Length: 400000", "Transfer-Encoding: chunked"]) {
    const socket = connect(server.running.port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket.write(`${[...lines, json, framing].join("\r\n")}\r\n\r\n`);
    const chunk = "x".repeat(300 * 1024);
    socket.write(framing.startsWith("Content") ? chunk : `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    const [answer] = await once(socket, "data", { signal: AbortSignal.timeout(2_000) });
    assert.match(String(answer), /^HTTP\/1\.1 413 /);
  }
});

for (const [how, parts] of Object.entries({
  "with its headers": ['{"first_name":"Ada"}'],
  "half of it with its headers": ['{"first_', 'name":"Ada"}'],
  "after its headers": ["", '{"first_name":"Ada"}'],
  "in small pieces": ["", ...'{"first_name":"Ada"}'],
})) {
  test(`a body is read that arrives ${how}`, async (t) => {
    const server = await startServer(t);
    const socket = connect(server.running.port, "127.0.0.1").setNoDelay();
    t.after(() => socket.destroy());
    const [first, ...later] = parts;
    const head = `POST /api/v1/contacts HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.key}`;
    const request = `${head}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n${first}`;
    for (let round = 0; round < 2; round++) {
      const answered = once(socket, "data", { signal: AbortSignal.timeout(5_000) });
      for (const part of [request, ...later]) {
        socket.write(part);
        await sleep(5);
      }
      const [answer] = await answered;
      assert.match(String(answer), /^HTTP\/1\.1 201 .*"first_name":"Ada"/s);
    }
  });
}

test("every response has the caller's request id if valid, otherwise a new one", async (t) => {
  const server = await startServer(t);
  for (const path of ["/contacts", "/nothing", "/contacts/7"]) {
    const own = await server.rest("GET", path, { headers: { "x-request-id": "trace-1.a:b_C" } });
    assert.equal(own.headers.get("x-request-id"), "trace-1.a:b_C");
    const made = await server.rest("GET", path, { headers: { "x-request-id": "a b<script>" } });
    assert.match(made.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
  }
});

test("no response has rate-limit headers or the server's name", async (t) => {
  const server = await startServer(t);
  const { headers } = await server.rest("GET", "/contacts");
  assert.deepEqual(
    [...headers.keys()].filter((name) => /ratelimit|powered|^server$/i.test(name)),
    [],
  );
  assert.equal(headers.get("cache-control"), "no-store");
});

test("HEAD returns what GET does, without the body", async (t) => {
  const server = await startServer(t);
  const response = await fetch(`${server.base}/contacts`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${server.key}` },
  });
  assert.equal(response.status, 200);
  assert.equal(await response.text(), "");
});

test("an unexpected error returns only a correlation id", async (t) => {
  const server = await startServer(t, {
    limits: {
      spend: async () => {
        throw new Error("secret detail of the inside");
      },
    },
  });
  const reply = await server.rest("POST", "/contacts", { body: { first_name: "x" } });
  assert.deepEqual([reply.status, reply.body.code], [500, "internal_error"]);
  assert.match(reply.body.correlationId ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(reply.text.includes("secret"), false);
});

test("a request line can contain an absolute URL", async (t) => {
  const server = await startServer(t);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(server.listening);
    const path = `${server.base}/contacts?limit=1`;
    const headers = { authorization: `Bearer ${server.key}` };
    const call = httpRequest({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on("error", reject).end();
  });
  assert.equal(status, 200);
});

test("an update that was sent slowly does not get an older time than one that overtook it", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "a" } })).body.data;
  let overtaker = "";
  const slow = new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json" };
    const call = httpRequest(`${server.base}/contacts/${id}`, { method: "PATCH", headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk;
      });
      response.on("end", () => resolve(JSON.parse(text).data.updated_at));
    });
    call.on("error", reject);
    call.write('{"last_name":');
    server
      .rest("GET", `/contacts/${id}`)
      .then(() => clock.advance(1_000))
      .then(() => server.rest("PATCH", `/contacts/${id}`, { body: { first_name: "b" } }))
      .then(({ body }) => {
        overtaker = body.data.updated_at;
        call.end('"c"}');
      })
      .catch(reject);
  });
  assert.equal(await slow, overtaker);
});

test("a number is stored with all its digits, or refused", async (t) => {
  const server = await startServer(t);
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data;
  const send = (value: string) =>
    server.rest("POST", "/deals", { raw: `{"contact_id": "${id}", "title": "Engine", "value": ${value}}` });
  const kept = [
    "0.1",
    "0.30000000000000004",
    "0.10000000000000001",
    "9007199254740992",
    "1e300",
    "5e-324",
    "12.50",
    "100.10000000000000",
    "100.100000000000000000000000000000000000000",
    "9007199254740992000.000",
    "1.0E+2",
    "-17000.50000000000000000",
    "0e5",
  ];
  for (const value of kept) {
    const reply = await send(value);
    assert.deepEqual([reply.status, reply.body.data?.value], [201, Number(value)], value);
  }
  for (const value of ["9007199254740993", "123456789.123456789", "99999999999999999.99", "1e-400"]) {
    const reply = await send(value);
    assert.deepEqual([reply.status, reply.body.code], [400, "invalid_json"], value);
    assert.match(reply.body.error ?? "", /has too many digits/);
  }
  const raw = '{"type": "note_added", "body": "x", "metadata": {"a": [1E400]}}';
  const reply = await server.rest("POST", `/contacts/${id}/activities`, { raw });
  assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"]);
  assert.match(reply.body.error ?? "", /^metadata\.a\.0 is too large a number/);
});
