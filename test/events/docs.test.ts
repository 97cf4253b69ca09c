import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { EVENT_NAMES, EVENTS } from "../../src/events/catalog.ts";
import { rpcError } from "../../src/events/protocol.ts";
import { newAccount, RECONNECT, startLocal } from "../support/events.ts";
import { freePort } from "../support/free-port.ts";
import { post } from "../support/mcp.ts";
import { attempted, deliveriesOf, newSecret, requestReconnect } from "../support/outbox.ts";
import { ROOT } from "../support/program.ts";
import { until } from "../support/until.ts";

const page = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");

/** The text between the marker's fences. */
function block(marker: string): string {
  const [, code] = new RegExp(`<!-- ${marker} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\\n\`\`\``).exec(page) ?? [];
  assert.ok(code, `docs/events.md has a block marked ${marker}`);
  return code;
}

/** Runs the page's receiver as a reader would, and follows what it prints. */
async function runReceiver(t: TestContext, env: Record<string, string>) {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, ["--input-type=module", "-"], {
    cwd: ROOT,
    env: { ...env, PORT: String(port) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  child.stdin?.end(block("receiver"));
  const lines: string[] = [];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
  await until(() => lines[0] === "ready");
  return { url: `http://127.0.0.1:${port}/events`, printed: () => lines.slice(1) };
}

test("the page's request subscribes its receiver, which verifies, handles each event once and gets the final notification", async (t) => {
  const secret = newSecret();
  const { url, printed } = await runReceiver(t, { WEBHOOK_SECRET: secret });
  const server = await startLocal(t);
  const account = await newAccount(server);
  const { id, key } = await server.operator("create_key", { name: "reader", scopes: ["socialnet.read"] });
  const { method, params } = JSON.parse(block("subscribe"));
  const delivery = { ...params.delivery, url, secret };
  const { body } = await post(server, "2025-11-25", method, { ...params, delivery }, { key });
  assert.equal(body.result?.resultType, "complete", JSON.stringify(body));

  const { id: requestId } = await requestReconnect(server, account);
  await attempted(server, 1);
  const data = { account_id: account.id, account_label: "Ada's account", request_id: requestId };
  assert.deepEqual(printed(), [`${RECONNECT} ${JSON.stringify(data)}`]);
  const [sent] = await deliveriesOf(server);
  await server.operator("resend_delivery", { delivery_id: sent.id });
  await attempted(server, 2);
  assert.equal(printed().length, 1, "the same event is handled once");
  assert.deepEqual(
    (await deliveriesOf(server))[0].attempts.map(({ outcome }: { outcome: string }) => outcome),
    ["2xx", "2xx"],
  );

  const forged = await fetch(url, { method: "POST", body: JSON.stringify({ eventId: "evt_1", name: "x", data: {} }) });
  assert.equal(forged.status, 401);
  await server.operator("revoke_key", { key_id: id });
  await until(() => printed().length === 2);
  assert.equal(printed()[1], "over: revoked_key");
});

test("the page's receiver answers a webhook's first challenge before it has the secret", async (t) => {
  const { url } = await runReceiver(t, {});
  const server = await startLocal(t);
  const webhook = await server.operator("create_webhook", { url, events: [RECONNECT] });
  assert.match(webhook.secret, /^whsec_/);
  await requestReconnect(server, await newAccount(server));
  await attempted(server, 1);
  assert.equal((await deliveriesOf(server))[0].attempts[0].outcome, "4xx", "events wait until it has");
});

test("the page lists every event with its content, and every error by its code", () => {
  for (const name of EVENT_NAMES) {
    const [row] = page.split("\n").filter((line) => line.startsWith(`| \`${name}\``));
    const own = Object.keys(EVENTS[name].payload.shape).filter((field) => !field.startsWith("account_"));
    for (const field of own) assert.ok(row?.includes(`\`${field}\``), `${name}: ${field}`);
  }
  const [, table = ""] = page.split("<!-- errors -->");
  const named = [...table.matchAll(/^\| (-\d+) \|/gm)].map(([, code]) => Number(code));
  const codes = [
    ...(["validation_failed", "event_not_found", "subscription_forbidden", "insufficient_scope"] as const),
    ...(["subscription_limit", "challenge_limit", "delivery_mode_unsupported", "callback_failed"] as const),
  ].map((code) => rpcError(code, {}).code);
  assert.deepEqual(named.toSorted(), [...new Set(codes)].toSorted());
});
