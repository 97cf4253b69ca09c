import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberActor } from "../../src/core/actor.ts";
import { ROLES, type Role } from "../../src/domain/access/roles.ts";
import { newAccount, RECONNECT, startLocal, subscribe } from "../support/events.ts";
import { attempted, deliveriesOf, requestReconnect, rowsOf, signersOf } from "../support/outbox.ts";
import { type Received, Receiver } from "../support/receiver.ts";
import { withWebhook } from "../support/webhooks.ts";

const WORK = "socialnet.work.available";
const UNKNOWN = "0190aaaa-0000-7000-8000-00000000abcd";
const DAY = 86_400_000;

test("a webhook is verified, shows its secret once, and receives its events signed with it", async (t) => {
  const { server, receiver, account, webhook, clock } = await withWebhook(t);
  const { secret, id, ...shown } = webhook;
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const never = { suspended_at: null, suspended_reason: null };
  const created_at = new Date(clock.now()).toISOString();
  assert.deepEqual(
    { ...shown, created_by: "" },
    { url: receiver.url, events: [RECONNECT], created_by: "", created_at, ...never },
  );
  const [challenge] = receiver.challenges;
  assert.deepEqual(signersOf(challenge as Received, { secret }), ["secret"]);
  assert.deepEqual(await server.operator("list_webhooks", {}), [{ id, ...shown }]);
  await requestReconnect(server, account);
  const [delivery] = await receiver.waitFor(1);
  assert.deepEqual(signersOf(delivery as Received, { secret }), ["secret"]);
  assert.equal(delivery?.headers["x-mcp-subscription-id"], challenge?.headers["x-mcp-subscription-id"]);
  assert.equal(delivery?.body.data.account_id, account.id);
});

test("no webhook is created if the URL is refused or does not answer the challenge", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  receiver.challengeAnswer = (_, response) => response.writeHead(200).end("{}");
  const create = (url: string, events: unknown = [RECONNECT]) => server.operator("create_webhook", { url, events });
  await assert.rejects(create(receiver.url), { code: "callback_failed", extra: { reason: "challenge_failed" } });
  for (const url of ["http://hooks.example/", "https://a:b@hooks.example/", "https://169.254.169.254/", "nonsense"]) {
    await assert.rejects(create(url), { code: "validation_failed", message: /^url / }, url);
  }
  for (const events of [[], ["no.such.event"], RECONNECT]) {
    await assert.rejects(create(receiver.url, events), { code: "validation_failed", message: /^events/ });
  }
  assert.equal(receiver.challenges.length, 1);
  assert.deepEqual(await server.operator("list_webhooks", {}), []);
  assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
});

test("creating a webhook again for its URL verifies the same one, with new events and a new secret", async (t) => {
  const { server, receiver, account, create, webhook } = await withWebhook(t);
  const again = await create([WORK, WORK, "socialnet.schedule.changed"]);
  assert.equal(again.id, webhook.id);
  assert.notEqual(again.secret, webhook.secret);
  assert.deepEqual(again.events, [WORK, "socialnet.schedule.changed"]);
  assert.equal(receiver.challenges.length, 2);
  assert.equal((await server.operator("list_webhooks", {})).length, 1);
  await requestReconnect(server, account);
  assert.deepEqual(await deliveriesOf(server), [], "no longer asked for");
  await create();
  await requestReconnect(server, account);
  assert.equal((await receiver.waitFor(1)).length, 1);
});

test("a suspended webhook says why, receives nothing, and resumes when it is created again", async (t) => {
  const { clock, server, receiver, account, create, resend } = await withWebhook(t);
  receiver.respond = (_, response) => response.writeHead(503).end();
  await requestReconnect(server, account);
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await attempted(server, attempt);
    clock.advance(DAY / 4);
  }
  const [suspended] = await server.operator("list_webhooks", {});
  assert.ok(Date.parse(suspended.suspended_at) > 0);
  assert.match(suspended.suspended_reason, /http_5xx/);
  await requestReconnect(server, account);
  const [dead, ...none] = await deliveriesOf(server);
  assert.deepEqual([dead.status, none], ["dead", []]);
  await assert.rejects(resend(dead.id), { code: "delivery_not_resendable" });
  receiver.respond = (_, response) => response.writeHead(204).end();
  const { suspended_at, suspended_reason } = await create();
  assert.deepEqual([suspended_at, suspended_reason], [null, null]);
  await resend(dead.id);
  assert.equal((await receiver.waitFor(7))[6]?.body.eventId, dead.event_id);
});

test("deleting a webhook drops pending deliveries, and past ones stay listed", async (t) => {
  const { server, receiver, account, webhook, resend } = await withWebhook(t);
  await requestReconnect(server, account);
  await attempted(server, 1);
  receiver.respond = (_, response) => response.writeHead(500).end();
  await requestReconnect(server, account);
  await attempted(server, 2);
  const { secret: _, ...shown } = webhook;
  assert.deepEqual(await server.operator("delete_webhook", { webhook_id: webhook.id }), shown);
  assert.deepEqual(await server.operator("list_webhooks", {}), []);
  await requestReconnect(server, account);
  const all = await deliveriesOf(server);
  assert.deepEqual(
    all.map(({ status }) => status),
    ["dropped", "delivered"],
  );
  for (const { id } of all) await assert.rejects(resend(id), { code: "delivery_not_resendable" });
  await assert.rejects(server.operator("delete_webhook", { webhook_id: webhook.id }), { code: "webhook_not_found" });
});

test("changes in settings are audited, before and after, without a secret", async (t) => {
  const { server, account, create, webhook, resend, receiver } = await withWebhook(t);
  const again = await create([RECONNECT, WORK]);
  await requestReconnect(server, account);
  await receiver.waitFor(1);
  await attempted(server, 1);
  const [delivery] = await deliveriesOf(server);
  await resend(delivery.id);
  await server.operator("delete_webhook", { webhook_id: webhook.id });
  const rows = await server.operator("list_audit", { limit: 4 + 1 });
  const audited = rows.filter(({ action }: { action: string }) => /webhook|resend/.test(action)).reverse();
  const strip = ({ secret: _, ...shown }: Record<string, unknown>) => shown;
  assert.deepEqual(
    audited.map(({ action, record_id, before, after }: Record<string, unknown>) => [action, record_id, before, after]),
    [
      ["create_webhook", webhook.id, null, strip(webhook)],
      ["create_webhook", webhook.id, strip(webhook), strip(again)],
      ["resend_delivery", delivery.id, { status: "delivered" }, { status: "pending" }],
      ["delete_webhook", webhook.id, strip(again), null],
    ],
  );
  assert.doesNotMatch(JSON.stringify(rows), /whsec_/);
});

test("only administrators manage webhooks and deliveries; a rep can request a reconnect, a viewer can't", async (t) => {
  let role: Role = "owner";
  let workspaceId = "";
  const signIn = async (): Promise<MemberActor> => ({
    kind: "member",
    id: "m",
    name: "Grace",
    workspaceId,
    role,
    approveOutbound: true,
  });
  const server = await startLocal(t, { signIn });
  workspaceId = server.workspaceId;
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  const call = async (operation: string, input: object) => {
    const headers = { "content-type": "application/json", origin: server.listening };
    const url = `${server.listening}/console/api/${operation}`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(input) });
    return { status: response.status, body: (await response.json()) as { code?: string; data: any } };
  };
  for (role of ROLES) {
    const administers = role !== "rep" && role !== "viewer";
    for (const [operation, input, allowed, done] of [
      ["create_webhook", { url: receiver.url, events: [RECONNECT] }, administers, 200],
      ["list_webhooks", {}, administers, 200],
      ["list_deliveries", {}, administers, 200],
      ["resend_delivery", { delivery_id: UNKNOWN }, administers, 404],
      ["delete_webhook", { webhook_id: UNKNOWN }, administers, 404],
      ["request_reconnect", { account_id: account.id }, role !== "viewer", 200],
    ] as const) {
      const { status, body } = await call(operation, input);
      assert.equal(status, allowed ? done : 403, `${role} ${operation}`);
      if (!allowed) assert.equal(body.code, "insufficient_scope");
    }
  }
  const byKey = await server.rest("POST", "/webhooks", { body: { url: receiver.url, events: [RECONNECT] } });
  assert.equal(byKey.status, 404, "no key opens the person door");
});

test("ids of another workspace are treated like ids that do not exist", async (t) => {
  const { server, receiver, account, webhook } = await withWebhook(t);
  await requestReconnect(server, account);
  await attempted(server, 1);
  const [delivery] = await deliveriesOf(server);
  const { workspaceId } = await server.neighbour();
  const refusal = (operation: string, input: object) =>
    server.operator(operation, input, workspaceId).then(
      () => assert.fail(operation),
      ({ code, message, extra }) => JSON.stringify({ code, message, extra }),
    );
  for (const [operation, field, id, code] of [
    ["delete_webhook", "webhook_id", webhook.id, "webhook_not_found"],
    ["resend_delivery", "delivery_id", delivery.id, "delivery_not_found"],
    ["request_reconnect", "account_id", account.id, "socialnet_account_not_found"],
  ] as const) {
    const foreign = await refusal(operation, { [field]: id });
    assert.equal(foreign, await refusal(operation, { [field]: UNKNOWN }));
    assert.equal(JSON.parse(foreign).code, code);
  }
  assert.deepEqual(await server.operator("list_webhooks", {}, workspaceId), []);
  assert.deepEqual(await server.operator("list_deliveries", {}, workspaceId), []);
  assert.equal((await server.operator("list_webhooks", {})).length, 1);
  const theirs = await server.operator("create_webhook", { url: receiver.url, events: [WORK] }, workspaceId);
  assert.notEqual(theirs.id, webhook.id, "the same address is another webhook there");
  assert.deepEqual((await server.operator("list_webhooks", {}))[0].events, [RECONNECT]);
});

test("a webhook and a key at one URL are separate subscribers, and ending one keeps the other", async (t) => {
  const { server, receiver, account, webhook } = await withWebhook(t);
  const { result } = await subscribe(server, receiver);
  assert.equal(receiver.challenges.length, 2, "neither answers for the other");
  await requestReconnect(server, account);
  const both = await receiver.waitFor(2);
  assert.equal(new Set(both.map(({ headers }) => headers["x-mcp-subscription-id"])).size, 2);
  await server.operator("delete_webhook", { webhook_id: webhook.id });
  await requestReconnect(server, account);
  assert.equal((await receiver.waitFor(3))[2]?.headers["x-mcp-subscription-id"], result.id);
  assert.equal((await deliveriesOf(server)).length, 3);
});
