import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newAccount, startLocal, subscribe } from "../support/events.ts";
import { deliveriesOf, requestReconnect } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";

const UUID = "0190aaaa-0000-7000-8000-00000000abcd";

/** Two accounts, and a key that is bound to the first. */
async function prepare(t: TestContext) {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const [own, other] = [await newAccount(server, "own"), await newAccount(server, "other")];
  const binding = { name: "bound", scopes: ["socialnet.read"], socialnet_account_id: own.id };
  const { key } = await server.operator("create_key", binding);
  return { server, receiver, own, other, key };
}

/** The accounts in the subscriber's deliveries, one per delivery. */
async function heard({ server, receiver }: Pick<Awaited<ReturnType<typeof prepare>>, "server" | "receiver">) {
  await receiver.waitFor((await deliveriesOf(server)).length);
  return receiver.deliveries.map(({ body }) => body.data.account_label);
}

for (const given of ["its own account", "no account"] as const) {
  test(`a bound key that names ${given} receives only events of its own account`, async (t) => {
    const { server, receiver, own, other, key } = await prepare(t);
    const about = given === "no account" ? {} : { arguments: { account_id: own.id } };
    assert.ok((await subscribe(server, receiver, { key, ...about })).result);
    await requestReconnect(server, other);
    await requestReconnect(server, own);
    await requestReconnect(server, other);
    assert.deepEqual(await heard({ server, receiver }), ["own"]);
  });
}

test("a bound key that requests any other account is forbidden, whether it exists or not", async (t) => {
  const { server, receiver, other, key } = await prepare(t);
  for (const account_id of [other.id, UUID]) {
    const { error } = await subscribe(server, receiver, { key, arguments: { account_id } });
    assert.deepEqual([error.code, error.data], [-32012, { reason: "account_not_bound" }]);
  }
  assert.deepEqual(receiver.challenges, []);
});

test("a key without an account receives events of all accounts, or of the one it requests", async (t) => {
  const { server, receiver, own, other } = await prepare(t);
  const one = await Receiver.start(t);
  await subscribe(server, receiver);
  await subscribe(server, one, { arguments: { account_id: other.id.toUpperCase() } });
  await requestReconnect(server, own);
  await requestReconnect(server, other);
  await receiver.waitFor(2);
  await one.waitFor(1);
  assert.equal((await deliveriesOf(server)).length, 3);
  assert.deepEqual(receiver.deliveries.map(({ body }) => body.data.account_label).sort(), ["other", "own"]);
  assert.deepEqual(
    one.deliveries.map(({ body }) => body.data.account_label),
    ["other"],
  );
  const ids = [...receiver.deliveries, ...one.deliveries].map(({ body }) => body.eventId);
  assert.equal(new Set(ids).size, 2, "one event has one id, whoever hears of it");
});

test("keys and webhooks of another workspace receive nothing, at any URL", async (t) => {
  const { server, receiver, own } = await prepare(t);
  const neighbour = await server.neighbour();
  await subscribe(server, receiver, { key: neighbour.key });
  const events = ["socialnet.reconnect.requested"];
  await server.operator("create_webhook", { url: receiver.url, events }, neighbour.workspaceId);
  await requestReconnect(server, own);
  const all = (workspaceId: string) => server.operator("list_deliveries", {}, workspaceId);
  assert.deepEqual([await all(server.workspaceId), await all(neighbour.workspaceId)], [[], []]);
  await subscribe(server, receiver);
  await requestReconnect(server, own);
  assert.deepEqual(await heard({ server, receiver }), ["own"]);
  assert.deepEqual(await all(neighbour.workspaceId), []);
});
