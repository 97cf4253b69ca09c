import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { document, rostrum } from "../cli/process.ts";
import { deadPort, receiveHttp } from "../http-client/receiver.ts";
import { addEndpoints, addEvents, groundOf } from "../support/endpoints.ts";
import { onTheWay } from "../support/engine.ts";
import { startLocal } from "../support/events.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { fill, smallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";

/** Metrics and `rostrum doctor` name each fault, as the table in docs/monitoring.md says. */

const METRICS = { ROSTRUM_METRICS_PORT: "0" };

async function metric(server: TestServer, name: string): Promise<number> {
  const text = await (await fetch(server.running.metricsUrl as string)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

async function faultsOf(args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const { data } = document(await rostrum(["doctor", "--json", ...args], { env }));
  return data.findings.filter(({ ok }: { ok: boolean }) => !ok).map(({ check }: { check: string }) => check);
}

const contact = (server: TestServer) =>
  server.rest("POST", "/contacts", { body: { first_name: "Ada".repeat(100) } }).then(({ status }) => status);

test("a full disk: free bytes, failed commits, and doctor's disk", async (t: TestContext) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip("this user can't mount a small disk");
  const folder = join(disk, "data");
  mkdirSync(folder, { mode: 0o700 });
  const server = await startServer(t, { env: METRICS, folder });
  const free = fill(disk);
  await until(async () => (await contact(server)) === 503);
  assert.ok((await metric(server, "rostrum_disk_free_bytes")) < 1024 ** 2);
  assert.ok((await metric(server, "rostrum_commit_failures_total")) > 0);
  assert.equal(await metric(server, "rostrum_mail_server_backing_off"), 0);
  assert.ok((await faultsOf(["--data", folder])).includes("disk"));
  free();
  await until(async () => (await contact(server)) === 201);
});

test("a dead mail server: the server backs off, refusals grow, and doctor's smtp", async (t) => {
  const SMTP_URL = `smtp://127.0.0.1:${await deadPort()}`;
  const mail = { SMTP_URL, MAIL_FROM: "Ada <ada@acme.example>" };
  const server = await startServer(t, { env: { ...METRICS, ...mail, ROSTRUM_OUTBOUND_GATE: "open" } });
  await onTheWay(server, [{ type: "email", subject: "Hello", body: "Hi", delay_days: 0 }]);
  await until(async () => (await metric(server, "rostrum_mail_server_backing_off")) === 1, 30_000);
  assert.ok((await metric(server, "rostrum_mail_server_refusals_total")) > 0);
  await until(async () => (await metric(server, "rostrum_steps_due")) === 1);
  assert.equal(await metric(server, "rostrum_commit_failures_total"), 0);
  assert.deepEqual(await faultsOf(["--data", server.folder, "--mail"], mail), ["smtp"]);
});

test("a webhook endpoint that fails: its delivery grows old, attempts are counted by outcome, and doctor is fine", async (t) => {
  const receiver = await receiveHttp(t, (_request, response) => response.writeHead(500).end());
  const server = await startLocal(t, { env: METRICS });
  const ground = await groundOf(server);
  await addEvents(ground, await addEndpoints(ground, [receiver.url.href]), 1);
  await until(async () => (await metric(server, "rostrum_delivery_attempts_total")) > 0, 30_000);
  await until(async () => (await metric(server, "rostrum_oldest_pending_delivery_seconds")) > 1, 30_000);
  const text = await (await fetch(server.running.metricsUrl as string)).text();
  assert.match(text, /^rostrum_delivery_attempts_total\{outcome="5xx"\} \d+$/m);
  assert.match(text, /^rostrum_job_up\{worker="deliver_events"\} 1$/m);
  assert.deepEqual(await faultsOf(["--data", server.folder]), []);
});
