import assert from "node:assert/strict";
import { statSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { isPostgres, takeAway } from "../support/engine-under-test.ts";
import { FakeClock, startServer } from "../support/server.ts";

const TOKEN = "sixteen characters or more";

interface Got {
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** A plain request: fetch would not let the Host header be set. */
function get(url: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, headers: response.headers, text });
      })
      .once("error", reject);
  });
}

async function busy(t: TestContext, env: Record<string, string>) {
  const server = await startServer(t, { env });
  await server.rest("POST", "/contacts", { body: { email: "ada@lovelace.example" } });
  await server.rest("POST", "/contacts", { body: {} });
  return server;
}

test("/metrics is off without a token or its own port", async (t) => {
  const server = await startServer(t);
  assert.equal((await get(`${server.listening}/metrics`)).status, 404);
  assert.equal(server.running.metricsUrl, undefined);
});

test("with a token, /metrics needs it as the bearer, and names no tenant", async (t) => {
  const server = await busy(t, { ROSTRUM_METRICS_TOKEN: TOKEN });
  const url = `${server.listening}/metrics`;
  for (const authorization of [undefined, "Bearer ", `Bearer ${TOKEN}x`, TOKEN, `Bearer ${server.key}`]) {
    const refused = await get(url, authorization === undefined ? {} : { authorization });
    assert.equal(refused.status, 401, authorization);
    assert.equal(refused.headers["www-authenticate"], "Bearer");
    assert.doesNotMatch(refused.text, /rostrum_/);
  }
  const { status, text, headers } = await get(url, { authorization: `Bearer ${TOKEN}` });
  assert.equal(status, 200);
  assert.match(headers["content-type"] ?? "", /^text\/plain/);
  assert.match(text, /^rostrum_operation_seconds_count\{operation="create_contact",surface="rest"\} 2$/m);
  assert.match(text, /^rostrum_refusals_total\{operation="create_contact",code="validation_failed"\} 1$/m);
  assert.match(text, /^rostrum_writer_queue_depth 0$/m);
  for (const tenant of [server.workspaceId, server.key, "ada@", "lovelace"]) assert.ok(!text.includes(tenant));
});

test("on its own port, /metrics needs no token, and answers only this machine's names", async (t) => {
  const server = await busy(t, { ROSTRUM_METRICS_PORT: "0" });
  const url = server.running.metricsUrl ?? "";
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  assert.match((await get(url)).text, /^rostrum_operation_seconds_count/m);
  assert.equal((await get(url, { host: "rebound.example" })).status, 403);
  assert.equal((await get(url, { origin: "https://elsewhere.example" })).status, 403);
  assert.equal((await get(`${server.listening}/metrics`)).status, 404, "the main port has none");
});

test("metrics report disk sizes, queues and suppressed log lines, and omit values that can't be read", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock, env: { ROSTRUM_METRICS_PORT: "0" } });
  const { metricsUrl = "", store } = server.running;
  const values = async (): Promise<Map<string, number>> => {
    const { text } = await get(metricsUrl);
    return new Map([...text.matchAll(/^(rostrum_\w+) (\S+)$/gm)].map(([, name = "", value]) => [name, Number(value)]));
  };
  for (let i = 0; i < 30; i += 1) await server.rest("GET", "/contacts", { key: "" });
  clock.advance(60_000);
  await server.running.authLog.flush(store);
  const measured = await values();
  const size = measured.get("rostrum_database_bytes");
  if (isPostgres) {
    const db = openBeside(server.folder);
    assert.equal(size, db.prepare("SELECT pg_database_size(current_database()) AS size").get().size);
    db.close();
    for (const name of ["database_wal_bytes", "disk_free_bytes"])
      assert.ok(Number.isNaN(measured.get(`rostrum_${name}`)), "PostgreSQL's disk is not this server's to measure");
  } else {
    const sizeOf = (name: string) => statSync(join(server.folder, name)).size;
    assert.equal(size, sizeOf("rostrum.db"));
    assert.equal(measured.get("rostrum_database_wal_bytes"), sizeOf("rostrum.db-wal"));
    assert.ok((measured.get("rostrum_disk_free_bytes") ?? 0) > 1_000_000);
  }
  const waiting = ["oldest_pending_delivery_seconds", "dead_deliveries", "steps_due", "sends_unconfirmed"];
  for (const name of waiting) assert.equal(measured.get(`rostrum_${name}`), 0, name);
  assert.deepEqual(
    [measured.get("rostrum_auth_events_merged_total"), measured.get("rostrum_auth_events_dropped")],
    [9, 0],
  );
  assert.equal(measured.get("rostrum_commit_failures_total"), 0);
  const giveBack = await takeAway(server.folder);
  for (let i = 0; i < 3; i += 1) await assert.rejects(store.recordUse(new Map([["k", 1]]), []));
  const away = await values();
  assert.equal(away.get("rostrum_commit_failures_total"), 3);
  assert.ok(Number.isNaN(away.get("rostrum_database_bytes")), "not the last value");
  assert.ok(away.has("rostrum_writer_queue_depth"), "the others are still told");
  await giveBack();
});

test("healthz reports that the process is alive, readyz that the store answers, and neither is cached", async (t) => {
  const server = await startServer(t);
  for (const path of ["/healthz", "/readyz"]) {
    const { status, headers, text } = await get(server.listening + path);
    assert.equal(status, 200);
    assert.equal(headers["cache-control"], "no-store");
    assert.doesNotMatch(text, /sqlite|version/i);
  }
});
