import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { ALL_SCOPES, type Scope } from "../../src/domain/access/roles.ts";
import { mintKey } from "../../src/lib/secrets.ts";
import { operations } from "../../src/tools/index.ts";
import { openBeside } from "../support/beside.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const DAY_MS = 86_400_000;

test("every rejection of a key has its own status, code and challenge", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const revoked = await server.operator("create_key", { name: "r", scopes: ALL_SCOPES });
  await server.operator("revoke_key", { key_id: revoked.id });
  const expiring = await server.operator("create_key", { name: "e", scopes: ALL_SCOPES, expires_in_days: 1 });
  const headers: [Record<string, string>, string][] = [
    [{}, "missing_key"],
    [{ authorization: `Basic ${server.key}` }, "missing_key"],
    [{ authorization: server.key }, "missing_key"],
    [{ authorization: "Bearer" }, "missing_key"],
    [{ authorization: "Bearer sk_live_123" }, "missing_key"],
    [{ authorization: `Bearer ${server.key.toUpperCase()}` }, "missing_key"],
    [{ authorization: "Bearer ros_live_short" }, "invalid_key"],
    [{ authorization: `Bearer ${server.key}x` }, "invalid_key"],
    [{ authorization: `Bearer ${server.key.slice(0, -1)}` }, "invalid_key"],
    [{ authorization: `Bearer ${server.key} ${server.key}` }, "missing_key"],
    [{ authorization: `Bearer ${mintKey().key}` }, "invalid_key"],
    [{ authorization: `Bearer ${revoked.key}` }, "revoked_key"],
  ];
  for (const [sent, code] of headers) {
    const reply = await server.rest("GET", "/contacts", { key: "", headers: sent });
    assert.deepEqual([reply.status, reply.body.code], [401, code]);
    assert.equal(reply.body.data, null);
    const challenge = reply.headers.get("www-authenticate") ?? "";
    assert.match(challenge, /^Bearer /);
    assert.equal(challenge.includes('error="invalid_token"'), code !== "missing_key");
    const holdsOther = code === "missing_key" && sent.authorization !== undefined;
    assert.equal(/A key begins with ros_live_/.test(reply.body.error ?? ""), holdsOther, reply.text);
    assert.equal(reply.text.includes("ros_live_short"), false);
  }
  assert.equal((await server.rest("GET", "/contacts", { key: expiring.key })).status, 200);
  clock.advance(DAY_MS);
  const late = await server.rest("GET", "/contacts", { key: expiring.key });
  assert.deepEqual([late.status, late.body.code], [401, "expired_key"]);
});

test("a truncated or altered key is reported as such, and not repeated", async (t) => {
  const server = await startServer(t);
  const { key } = server;
  const cases: [string, RegExp][] = [
    ["ros_live_", /^The key is truncated: expected 52 characters, got 9\. Copy all of it again\.$/],
    [key.slice(0, -1), /^The key is truncated: expected 52 characters, got 51\./],
    [`${key}x`, /^The key is too long: expected 52 characters, got 53\./],
    [`${key.slice(0, -1)}!`, /^The key contains characters that no API key has\. Copy it again\.$/],
    [`${key.slice(0, -3)}***`, /^The key contains characters that no API key has/],
    [mintKey().key, /^This API key does not exist/],
  ];
  for (const [given, says] of cases) {
    const reply = await server.rest("GET", "/contacts", { key: given });
    assert.deepEqual([reply.status, reply.body.code], [401, "invalid_key"]);
    assert.match(reply.body.error ?? "", says);
    assert.match(reply.headers.get("www-authenticate") ?? "", /error="invalid_token", error_description="invalid_key"/);
    assert.ok(given === "ros_live_" || !reply.text.includes(given.slice(0, 20)), reply.text);
    const overMcp = await fetch(server.mcpUrl, { method: "POST", headers: { authorization: `Bearer ${given}` } });
    assert.match(((await overMcp.json()) as { error: string }).error, says);
  }
});

test("the scheme's name matches ignoring case", async (t) => {
  const server = await startServer(t);
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const headers = { authorization: `${scheme} ${server.key}` };
    assert.equal((await server.rest("GET", "/contacts", { key: "", headers })).status, 200);
  }
});

test("every agent operation refuses a key without its scope, and no scope implies another", async (t) => {
  const server = await startServer(t);
  for (const operation of operations) {
    if (!("http" in operation) || !("scope" in operation.access)) continue;
    const scope = operation.access.scope as Scope;
    const key = await server.mint(ALL_SCOPES.filter((other) => other !== scope));
    const path = operation.http.path.replace("{id}", "0190aaaa-0000-7000-8000-00000000abcd");
    const body = operation.http.method === "GET" ? undefined : {};
    const reply = await server.rest(operation.http.method, path, { key, body });
    assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"], operation.name);
    assert.ok(reply.body.error?.includes(scope));
  }
});

test("a key is stored as a hash and a prefix, and is in no table, answer or audit row", async (t) => {
  const server = await startServer(t);
  const minted = await server.operator("create_key", {
    name: "k",
    scopes: ["contacts.read", "nonsense", "contacts.read"],
  });
  assert.match(minted.key, /^ros_live_[A-Za-z0-9_-]{43}$/);
  assert.equal(minted.prefix, minted.key.slice(0, 14));
  assert.deepEqual(minted.scopes, ["contacts.read"]);
  const db = openBeside(server.folder, { readonly: true });
  t.after(() => db.close());
  const row = db.prepare("SELECT hash FROM api_keys WHERE id = ?").get(minted.id) as { hash: Buffer };
  assert.deepEqual(row.hash, createHash("sha256").update(minted.key).digest());
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  for (const table of tables) {
    const content = JSON.stringify(db.prepare(`SELECT * FROM "${table}"`).all());
    assert.equal(content.includes(minted.key), false, table);
  }
  const listed = await server.operator("list_keys", {});
  assert.equal(JSON.stringify(listed).includes(minted.key), false);
});

test("a key without a recognized scope is refused", async (t) => {
  const server = await startServer(t);
  for (const input of [
    { name: "k", scopes: ["nope"] },
    { name: "k", scopes: [] },
    { name: " ", scopes: ["contacts.read"] },
  ]) {
    await assert.rejects(server.operator("create_key", input), { code: "validation_failed" });
  }
});

test("creating and revoking a key is audited, with before and after", async (t) => {
  const server = await startServer(t);
  const { id } = await server.operator("create_key", { name: "k", scopes: ["contacts.read"] });
  await server.operator("revoke_key", { key_id: id });
  await server.operator("revoke_key", { key_id: id });
  const rows = (await server.operator("list_audit", {})).filter((row: { record_id: string }) => row.record_id === id);
  assert.deepEqual(
    rows.map((row: { action: string }) => row.action),
    ["revoke_key", "create_key"],
  );
  assert.equal(rows[0].before.revoked_at, null);
  assert.notEqual(rows[0].after.revoked_at, null);
  assert.equal(rows[1].before, null);
});

test("refused sign-ins and denied scopes are listed, and a key's last use is recorded", async (t) => {
  const server = await startServer(t);
  const narrow = await server.operator("create_key", { name: "narrow", scopes: ["contacts.read"] });
  await server.rest("GET", "/contacts", { key: narrow.key });
  await server.rest("POST", "/contacts", { key: narrow.key, body: {} });
  await server.rest("GET", "/contacts", { key: "" });
  await server.operator("revoke_key", { key_id: narrow.id });
  await server.rest("GET", "/contacts", { key: narrow.key });
  const codes = new Set<string>();
  let lastUsed: string | null = null;
  while (codes.size < 3 || lastUsed === null) {
    for (const { code, key_prefix, address, route } of await server.operator("list_auth_events", {})) {
      codes.add(code);
      assert.equal(address, "127.0.0.1");
      assert.match(route, /\/contacts$/);
      if (code === "revoked_key") assert.equal(key_prefix, narrow.prefix);
    }
    lastUsed = (await server.operator("list_keys", {})).find(
      (row: { id: string }) => row.id === narrow.id,
    ).last_used_at;
    await new Promise((next) => setImmediate(next));
  }
  assert.deepEqual([...codes].sort(), ["missing_key", "revoked_key", "scope_denied"]);
});

/** Sends the headers and the beginning of a body; `finish` sends the rest. */
function slowPost(server: TestServer, key: string, path: string, extra: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...extra };
  const call = httpRequest(server.base + path, { method: "POST", headers });
  const answered = new Promise<{ status: number; body: { code?: string } }>((resolve, reject) => {
    call.on("error", reject).on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
  });
  call.write("{");
  return {
    finish: (rest: string) => {
      call.end(rest);
      return answered;
    },
  };
}

/** Waits until the headers of a slow call were read: its key was used, or its budget was spent. */
const settle = () => new Promise((next) => setTimeout(next, 100));

test("a request whose body arrives after its key was revoked or expired writes nothing", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const revoked = await server.operator("create_key", { name: "r", scopes: ALL_SCOPES });
  const expiring = await server.operator("create_key", { name: "e", scopes: ALL_SCOPES, expires_in_days: 1 });
  const calls = [
    slowPost(server, revoked.key, "/contacts"),
    slowPost(server, revoked.key, "/contacts", { "idempotency-key": "late" }),
    slowPost(server, expiring.key, "/suppression"),
  ] as const;
  await settle();
  await server.operator("revoke_key", { key_id: revoked.id });
  clock.advance(DAY_MS);
  const answers = [
    await calls[0].finish('"first_name":"late"}'),
    await calls[1].finish('"first_name":"late"}'),
    await calls[2].finish('"email":"late@x.example"}'),
  ];
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code]),
    [
      [401, "revoked_key"],
      [401, "revoked_key"],
      [401, "expired_key"],
    ],
  );
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 0);
  assert.deepEqual(await server.operator("list_suppressions", {}), []);
});

test("only an allowed use updates a key's last use, over REST and MCP", async (t) => {
  const server = await startServer(t);
  const keys = await Promise.all(
    ["denied", "reads", "denied tool", "lists tools"].map((name) =>
      server.operator("create_key", { name, scopes: name === "denied tool" ? ["deals.write"] : ["contacts.read"] }),
    ),
  );
  const [denied, reads, deniedTool, lists] = keys;
  const mcp = (key: string, method: string, params: object) =>
    server.rest("POST", "/mcp", {
      key,
      body: { jsonrpc: "2.0", id: 1, method, params },
      headers: { accept: "application/json, text/event-stream" },
    });
  assert.equal((await server.rest("POST", "/contacts", { key: denied.key, body: { first_name: "x" } })).status, 403);
  assert.equal((await server.rest("GET", "/contacts", { key: reads.key })).status, 200);
  await mcp(deniedTool.key, "tools/call", { name: "list_contacts", arguments: {} });
  await mcp(lists.key, "tools/list", {});
  await server.running.authLog.flush(server.running.store);
  const used = new Map<string, string | null>();
  for (const { id, last_used_at } of await server.operator("list_keys", {})) used.set(id, last_used_at);
  const stamped = keys.map(({ id }) => used.get(id) !== null);
  assert.deepEqual(stamped, [false, true, false, true]);
});
