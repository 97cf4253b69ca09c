import assert from "node:assert/strict";
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { startServer, type TestServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { holdWriteLock } from "./lock.ts";

const CALLS = [
  ["GET", "/contacts", undefined],
  ["POST", "/contacts", { first_name: "Ada" }],
  ["POST", "/contacts/query", {}],
] as const;

async function health(server: TestServer): Promise<[number, number]> {
  const status = async (path: string) => {
    const response = await fetch(server.listening + path);
    await response.text();
    return response.status;
  };
  return [await status("/healthz"), await status("/readyz")];
}

/** Every surface has a Retry-After. */
async function assertSaysWhen(server: TestServer, all = false): Promise<void> {
  const bearer = { authorization: `Bearer ${server.key}`, "content-type": "application/json" };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const grant = { grant_type: "authorization_code", code: "c", code_verifier: "v", client_id: "i", redirect_uri: "u" };
  const calls: [string, RequestInit][] = [
    ["/readyz", {}],
    ["/api/v1/contacts", { headers: bearer }],
    ["/api/v1/mcp", { method: "POST", headers: bearer, body: "{}" }],
    ["/oauth/token", { method: "POST", headers: form, body: `${new URLSearchParams(grant)}` }],
    ["/console", { headers: { cookie: `rostrum_session_${server.running.port}=${"a".repeat(43)}` } }],
  ];
  for (const [path, init] of calls) {
    const response = await fetch(server.listening + path, { ...init, redirect: "manual" });
    await response.text();
    // Not every error reaches the table of codes, or that of sessions.
    if (!all && response.status !== 503 && /^\/(?:oauth|console)/.test(path)) continue;
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "5"], path);
  }
}

/** Every kind of call is refused as the contract says, without mentioning SQL, files or stacks. */
async function assertUnavailable(server: TestServer): Promise<void> {
  for (const [method, path, body] of CALLS) {
    const reply = await server.rest(method, path, { body });
    assert.deepEqual([reply.status, reply.body.code, reply.body.data], [503, "db_unavailable", null], reply.text);
    assert.doesNotMatch(reply.text, /sqlite|rostrum\.db|api_keys|select|correlationId|\n/i);
  }
  assert.deepEqual(await health(server), [200, 503], "alive, and not ready");
  await assertSaysWhen(server);
}

async function ready(t: TestContext): Promise<{ server: TestServer; file: string }> {
  const server = await startServer(t);
  assert.equal((await server.rest("POST", "/contacts", { body: { first_name: "Kept" } })).status, 201);
  assert.deepEqual(await health(server), [200, 200]);
  return { server, file: databaseFile(server.folder) };
}

const answers = (server: TestServer) => server.rest("GET", "/contacts").then(({ status }) => status);

test("a missing key table is 503 db_unavailable, readyz reports it, and restoring it fixes both", async (t) => {
  const { server, file } = await ready(t);
  const beside = new Database(file);
  t.after(() => beside.close());
  beside.exec("ALTER TABLE api_keys RENAME TO elsewhere");
  await assertUnavailable(server);
  beside.exec("ALTER TABLE elsewhere RENAME TO api_keys");
  assert.equal(await answers(server), 200);
  beside.exec("DROP TABLE api_keys");
  await assertUnavailable(server);
});

test("a replaced database file is 503, and the server does not keep writing to the old one", async (t) => {
  const { server, file } = await ready(t);
  renameSync(file, `${file}.away`);
  writeFileSync(file, "garbage ".repeat(4_096));
  await until(async () => (await answers(server)) === 503);
  await assertUnavailable(server);
  renameSync(`${file}.away`, file);
  await until(async () => (await answers(server)) === 200);
  assert.deepEqual(await health(server), [200, 200]);
});

test("a database file that was overwritten by a restore, or whose -wal was deleted, is 503 too", async (t) => {
  for (const replace of [
    (file: string) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
    (file: string) => rmSync(file),
    (file: string) => rmSync(`${file}-wal`),
  ]) {
    const { server, file } = await ready(t);
    assert.ok(existsSync(`${file}-wal`));
    replace(file);
    await until(async () => (await answers(server)) === 503);
    await assertUnavailable(server);
  }
});

test("what a crash may forget isn't written to a lost file either", async (t) => {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const claim = () =>
    store.outbox.claim({ hosts: [], except: [], admits: () => true, lease: "engines", leaseMs: 1_000, now: 1 });
  assert.deepEqual(await claim(), { claimed: [], delivered: [], dropped: 0 });
  rmSync(file);
  await assert.rejects(claim(), /was replaced/);
});

test("a database file overwritten with garbage in place is 503", async (t) => {
  const { server, file } = await ready(t);
  const beside = new Database(file);
  beside.pragma("wal_checkpoint(TRUNCATE)");
  beside.close();
  // Rows read now stay in the server's cache, and SQLite alone would keep answering from there.
  assert.equal(await answers(server), 200);
  assert.equal((await server.rest("POST", "/contacts", { body: { first_name: "Cached" } })).status, 201);
  assert.equal(await answers(server), 200);
  writeFileSync(file, "garbage ".repeat(4_096));
  await until(async () => (await answers(server)) === 503);
  await assertUnavailable(server);
});

test("a closed store is 503", async (t) => {
  const { server } = await ready(t);
  await server.running.store.close();
  await assertUnavailable(server);
  await assertSaysWhen(server, true);
});

test("while another process holds the write lock, reads are answered, and a write is 503 after the limit", async (t) => {
  const { server, file } = await ready(t);
  const release = await holdWriteLock(t, file);
  const write = server.rest("POST", "/contacts", { body: { first_name: "Late" } });
  let refused = false;
  const refusal = write.then((reply) => {
    refused = true;
    return reply;
  });
  let reads = 0;
  while (!refused) {
    assert.equal(await answers(server), 200);
    reads += 1;
  }
  const { status, body } = await refusal;
  assert.deepEqual([status, body.code], [503, "db_unavailable"]);
  assert.ok(reads > 100, `${reads} reads`);
  await release();
  assert.equal((await server.rest("POST", "/contacts", { body: { first_name: "In time" } })).status, 201);
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 2);
});
