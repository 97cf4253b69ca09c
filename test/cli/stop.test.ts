import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { HealthThread } from "../../src/http/health-listener.ts";
import { packageFile } from "../../src/lib/package.ts";
import { askUntilGone } from "../support/clients.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { serve, spawnRostrum } from "./process.ts";

async function ask(url: string): Promise<[status: number, text: string]> {
  const response = await fetch(url);
  return [response.status, await response.text()];
}

test("SIGTERM drains: readiness is 503, requests are answered, no client is cut off, and the exit is 0", async (t) => {
  const cwd = temporaryFolder(t);
  const healthPort = await freePort();
  const env = { ROSTRUM_DRAIN_SECONDS: "1", ROSTRUM_HEALTH_PORT: String(healthPort) };
  const server = await serve(t, [], { cwd, env });
  const made = await spawnRostrum(["key", "create", "--name", "test", "--scopes", "all", "--json"], { cwd });
  const { key } = JSON.parse(made.stdout).data;
  const health = `http://127.0.0.1:${healthPort}`;
  assert.deepEqual(await ask(`${health}/healthz`), [200, "ok\n"]);
  assert.deepEqual(await ask(`${health}/readyz`), [200, "ready\n"]);
  const clients = askUntilGone(`${server.ready.base_url}/contacts`, key, 30);
  await sleep(200);
  const stopped = server.stop("SIGTERM");
  for (const ready of [`${health}/readyz`, `${server.ready.url}/readyz`]) {
    await until(async () => (await ask(ready))[0] === 503);
    assert.deepEqual(await ask(ready), [503, "stopping\n"]);
  }
  assert.deepEqual(await ask(`${health}/healthz`), [200, "ok\n"]);
  const { succeeded, closed, failed } = await clients;
  assert.deepEqual(failed, {});
  assert.ok(
    succeeded > closed && closed >= 30,
    `${succeeded} were answered, ${closed} with the end of their connection`,
  );
  const { status, ms } = await stopped;
  assert.equal(status, 0, server.output().stderr);
  assert.ok(ms >= 1_000, `it drained: ${ms} ms`);
});

test("SIGINT does not drain, and a second signal ends a drain at once", async (t) => {
  const env = { ROSTRUM_DRAIN_SECONDS: "60" };
  const interrupted = await serve(t, [], { cwd: temporaryFolder(t), env });
  assert.equal((await interrupted.stop("SIGINT")).status, 0);
  const server = await serve(t, [], { cwd: temporaryFolder(t), env });
  server.child.kill("SIGTERM");
  await until(async () => (await ask(`${server.ready.url}/readyz`))[0] === 503);
  // npm forwards a signal that the terminal has sent to every process.
  server.child.kill("SIGINT");
  await sleep(600);
  assert.equal(server.child.exitCode, null, "a signal that comes twice at once is one");
  const { status, ms } = await server.stop("SIGTERM");
  assert.equal(status, 143);
  assert.ok(ms < 5_000, `${ms} ms`);
});

test("while the event loop is stuck, the health port reports it", async (t) => {
  const healthPort = await freePort();
  const block = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000)";
  const server = await serve(t, [], {
    cwd: temporaryFolder(t),
    env: { ROSTRUM_HEALTH_PORT: String(healthPort) },
    preload: `data:text/javascript,process.on("SIGUSR2", () => ${block})`,
  });
  const health = `http://127.0.0.1:${healthPort}`;
  server.child.kill("SIGUSR2");
  await until(async () => (await ask(`${health}/readyz`))[0] === 503);
  assert.match((await ask(`${health}/readyz`))[1], /^busy for \d\.\d s\n$/);
  const [status, text] = await ask(`${health}/healthz`);
  assert.equal(status, 200, "not yet for so long that it should be restarted");
  assert.match(text, /^ok\nbusy for/);
  await until(async () => (await ask(`${health}/readyz`))[0] === 200);
});

test("after 30 seconds of silence the server counts as dead; other paths and methods are 404 and 405", async (t) => {
  const memory = new SharedArrayBuffer(8);
  const workerData: HealthThread = {
    memory,
    host: "127.0.0.1",
    port: 0,
    notReadyMs: 1_000,
    stuckMs: 30_000,
    retryAfter: 5,
    validId: /^\w+$/,
    readiness: { status: 503, text: "starting" },
  };
  const thread = new Worker(packageFile("src/http/health-thread.js"), { workerData, execArgv: [] });
  t.after(() => thread.terminate());
  const [{ port }] = (await once(thread, "message")) as [{ port: number }];
  const silentFor = (ms: number) =>
    Atomics.store(new BigInt64Array(memory), 0, process.hrtime.bigint() - BigInt(ms) * 1_000_000n);
  const statuses = async () => {
    const url = `http://127.0.0.1:${port}`;
    return [(await ask(`${url}/healthz`))[0], (await ask(`${url}/readyz`))[0]];
  };
  silentFor(0);
  assert.deepEqual(await statuses(), [200, 503], "starting");
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).headers.get("retry-after"), "5");
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).headers.get("retry-after"), null);
  thread.postMessage({ status: 200, text: "ready" });
  await until(async () => {
    silentFor(0);
    return (await statuses())[1] === 200;
  });
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz?probe=1`)).status, 200);
  silentFor(5_000);
  assert.deepEqual(await statuses(), [200, 503]);
  silentFor(31_000);
  assert.deepEqual(await statuses(), [503, 503]);
  const identified = async (given: string) => {
    const { headers } = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { "x-request-id": given } });
    return headers.get("x-request-id") ?? "";
  };
  assert.equal(await identified("trace_7"), "trace_7");
  assert.match(await identified("a b"), /^[0-9a-f-]{36}$/, "an id that is not valid is replaced");
  assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 404);
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`, { method: "POST" })).status, 405);
});

test("a health port in use stops the start, and is named", async (t) => {
  const taken = net.createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as net.AddressInfo;
  const env = { ROSTRUM_HEALTH_PORT: String(port) };
  const { status, stderr } = await spawnRostrum(["start", "--port", "0"], { cwd: temporaryFolder(t), env });
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`^127\\.0\\.0\\.1:${port} is already in use\\. .* with ROSTRUM_HEALTH_PORT\\.\\n$`));
});
