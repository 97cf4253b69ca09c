import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { unsubscribeToken } from "../../src/domain/outreach/unsubscribe-link.ts";
import { createVault } from "../../src/lib/vault.ts";
import { freshSetupLink } from "../support/http-browser.ts";
import { keptLog } from "../support/log.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

test("with the setting, each request is one line with its id, and without a secret", async (t) => {
  const { log, text } = keptLog();
  const server = await startServer(t, { env: { ROSTRUM_ACCESS_LOG: "on", ROSTRUM_TRUST_PROXY: "1" }, log });
  const lines = () =>
    text()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "request");
  const headers = { "user-agent": "agent/1", "x-forwarded-for": "192.0.2.9" };
  const reply = await server.rest("GET", "/contacts?q=ada@lovelace.example", { headers });
  await until(() => lines().length === 1);
  const { time: _, pid: _pid, hostname: _hostname, level, ms, ...first } = lines()[0];
  assert.deepEqual(first, {
    requestId: reply.headers.get("x-request-id"),
    method: "GET",
    path: "/api/v1/contacts",
    status: 200,
    address: "192.0.2.9",
    userAgent: "agent/1",
    msg: "request",
  });
  assert.ok(level === 30 && ms >= 0 && ms < 60_000);

  const vault = createVault(Buffer.alloc(32, 1));
  const id = "0190aaaa-0000-7000-8000-000000000001";
  const optOut = unsubscribeToken(vault, {
    workspaceId: id,
    contactId: id,
    sendId: id,
    address: "ada@lovelace.example",
  });
  const paths = [
    await freshSetupLink(server),
    `/unsubscribe/${optOut}`,
    `/api/v1/contacts/${server.key}`,
    `/api/v1/contacts/${id}`,
    "/api/v1/contacts/ada@lovelace.example",
    "/api/v1/contacts/ada%40lovelace.example",
  ];
  for (const path of paths) await (await fetch(new URL(path, server.listening))).arrayBuffer();
  await until(() => lines().length === 1 + paths.length);
  const logged = lines()
    .slice(1)
    .map(({ path }) => path as string);
  assert.deepEqual(logged.slice(1), [
    "/unsubscribe/…",
    "/api/v1/contacts/…",
    `/api/v1/contacts/${id}`,
    "/api/v1/contacts/…",
    "/api/v1/contacts/…",
  ]);
  assert.match(logged[0] ?? "", /^\/console\/.*…$/);
  for (const secret of [server.key, optOut, "lovelace", paths[0]?.split("/").at(-1) as string]) {
    assert.ok(!text().includes(secret), secret);
  }
});

test("a request that its client abandons is logged as aborted", async (t) => {
  const { log, text } = keptLog();
  const server = await startServer(t, { env: { ROSTRUM_ACCESS_LOG: "on" }, log });
  const socket = connect(server.running.port, "127.0.0.1");
  const head = ["POST /api/v1/contacts HTTP/1.1", "host: 127.0.0.1", `authorization: Bearer ${server.key}`];
  socket.write([...head, "content-type: application/json", "content-length: 100", "", '{"first'].join("\r\n"));
  setTimeout(() => socket.destroy(), 200);
  await until(() => text().includes('"aborted":true'));
});

test("without the setting, requests are not logged", async (t) => {
  const { log, text } = keptLog();
  const server = await startServer(t, { log });
  await server.rest("GET", "/contacts");
  assert.doesNotMatch(text(), /"request"/);
});
