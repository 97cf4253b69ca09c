import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { newAccount, RECONNECT, startLocal, subscribe } from "../support/events.ts";
import { ERAS, post } from "../support/mcp.ts";
import { deliveriesOf, newSecret, requestReconnect, rowsOf, unsubscribe } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

const WORK = "socialnet.work.available";

/** As documented: over principal, url, name and canonical arguments. */
const idOf = (...key: [principal: string, url: string, name: string, given: object]) =>
  `sub_${createHash("sha256").update(JSON.stringify(key)).digest("hex").slice(0, 32)}`;

for (const era of ERAS) {
  test(`an event reaches a subscriber of the ${era} era, signed, with the recorded bytes`, async (t) => {
    const server = await startLocal(t);
    const receiver = await Receiver.start(t);
    const account = await newAccount(server);
    const { result } = await subscribe(server, receiver, { era });
    const { refreshBefore, _meta, ...told } = result;
    assert.deepEqual(told, { resultType: "complete", id: told.id, cursor: null, truncated: false });
    assert.match(refreshBefore, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const request = await requestReconnect(server, account);
    const [delivery] = await receiver.waitFor(1);
    const { eventId, timestamp, ...body } = delivery?.body ?? {};
    const data = { account_id: account.id, account_label: "Ada's account", request_id: request.id };
    assert.deepEqual(body, { name: RECONNECT, data, cursor: null });
    assert.match(eventId, /^[\x21-\x2d\x2f-\x7e]+$/, "visible ASCII, no dot");
    assert.equal(timestamp, new Date(Date.parse(timestamp)).toISOString());
    const headers = delivery?.headers ?? {};
    assert.deepEqual([headers["webhook-id"], headers["x-mcp-subscription-id"]], [eventId, result.id]);
    assert.match(headers["content-type"] ?? "", /^application\/json/);
    assert.equal(delivery?.path, "/hook?team=a%20b");
    assert.equal(delivery?.text, rowsOf(server, "SELECT body FROM deliveries")[0].body);
    assert.deepEqual(receiver.forged, []);
    assert.equal((await unsubscribe(server, receiver, { era })).result.resultType, "complete");
    await requestReconnect(server, account);
    assert.equal((await deliveriesOf(server)).length, 1, "nobody hears of it any more");
  });

  test(`the ${era} era finds the capability by either name, and accepts message id 0 or text`, async (t) => {
    const server = await startLocal(t);
    const receiver = await Receiver.start(t);
    const hello = { protocolVersion: era, capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const method = era === "2026-07-28" ? "server/discover" : "initialize";
    const { capabilities } = (await post(server, era, method, method === "initialize" ? hello : {})).body.result;
    assert.deepEqual(capabilities.events, {});
    assert.deepEqual(capabilities.extensions, { "io.modelcontextprotocol/events": {} });
    const delivery = { mode: "webhook", url: receiver.url, secret: receiver.secret };
    const headers = { "mcp-name": undefined };
    for (const id of [0, "", "zero", -1]) {
      for (const name of ["events/list", "events/subscribe", "events/unsubscribe"]) {
        const { status, body } = await post(server, era, name, { name: RECONNECT, delivery }, { id, headers });
        assert.deepEqual([status, body.id, body.result?.resultType], [200, id, "complete"], `${name} ${id}`);
        const { body: refused } = await post(server, era, name, { cursor: 7, name: 7 }, { id, headers });
        assert.deepEqual([refused.id, refused.error.code], [id, -32602]);
      }
    }
  });
}

test("a request without a key gets 401 with where to get one, by GET and by POST", async (t) => {
  const server = await startServer(t);
  const asked = [
    await server.rest("GET", "/mcp", { key: "" }),
    (await post(server, "2026-07-28", "events/list", {}, { key: "" })) as never,
    await post(server, "2025-11-25", "events/subscribe", { name: RECONNECT }, { key: "" }),
  ];
  for (const { status, headers } of asked) {
    assert.equal(status, 401);
    assert.match(headers.get("www-authenticate") ?? "", /^Bearer .*resource_metadata="http/);
  }
});

test("the id is derived from key, url, event and arguments, and not from any id that a caller sends", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  const mine = await server.operator("create_key", { name: "mine", scopes: ["socialnet.read"] });
  const { key } = mine;
  const made = async (options: object) => (await subscribe(server, receiver, { key, ...options })).result.id;
  const { url } = receiver;
  assert.equal(await made({}), idOf(mine.id, url, RECONNECT, {}));
  assert.equal(await made({ name: WORK }), idOf(mine.id, url, WORK, {}));
  const about = { arguments: { account_id: account.id } };
  assert.equal(await made(about), idOf(mine.id, url, RECONNECT, { account_id: account.id }));
  assert.equal(await made({ delivery: { url: `${url}&x` } }), idOf(mine.id, `${url}&x`, RECONNECT, {}));
  assert.equal(rowsOf(server, "SELECT id FROM subscriptions").length, 4);

  const other = await server.operator("create_key", { name: "other", scopes: ["socialnet.read"] });
  assert.equal(await made({ key: other.key }), idOf(other.id, url, RECONNECT, {}));

  const chosen = `sub_${"0".repeat(32)}`;
  const forced = { id: chosen, subscriptionId: chosen, delivery: { id: chosen, subscriptionId: chosen } };
  assert.equal(await made(forced), idOf(mine.id, url, RECONNECT, {}));
  assert.equal(rowsOf(server, "SELECT id FROM subscriptions").length, 5);
});

test("the id is the same for any spelling of url and arguments, and for any secret", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  const { result } = await subscribe(server, receiver, { arguments: { account_id: account.id } });
  for (const again of [
    { arguments: { account_id: account.id.toUpperCase() } },
    { delivery: { url: receiver.url.replace("/hook", "/elsewhere/../hook").replace("http:", "HTTP:") } },
    { delivery: { secret: newSecret() } },
  ]) {
    const repeated = await subscribe(server, receiver, { arguments: { account_id: account.id }, ...again });
    assert.equal(repeated.result.id, result.id);
  }
  assert.equal(rowsOf(server, "SELECT id FROM subscriptions").length, 1);
  await unsubscribe(server, receiver, { arguments: { account_id: account.id.toUpperCase() } });
  assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
});

test("a subscription survives a restart: the same id on refresh, and its secret still signs", async (t) => {
  const folder = temporaryFolder(t);
  const receiver = await Receiver.start(t);
  const before = await startLocal(t, { folder });
  const account = await newAccount(before);
  const { result } = await subscribe(before, receiver);
  await before.running.close();
  const after = await startLocal(t, { folder });
  await requestReconnect(after, account);
  const [delivery] = await receiver.waitFor(1);
  assert.equal(delivery?.headers["x-mcp-subscription-id"], result.id);
  assert.deepEqual(receiver.forged, []);
  const again = await subscribe(after, receiver, { key: before.key });
  assert.equal(again.result.id, result.id);
  assert.equal(receiver.challenges.length, 1, "the address is known still");
});

test("a cursor and an age are accepted and ignored, since these events have no replay", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  await requestReconnect(server, account);
  for (const more of [{ cursor: "stale" }, { cursor: null }, { maxAgeMs: 3_600_000 }, { cursor: "x", maxAgeMs: 0 }]) {
    const { result } = await subscribe(server, receiver, more);
    assert.deepEqual([result.cursor, result.truncated], [null, false], JSON.stringify(more));
  }
  assert.deepEqual(await deliveriesOf(server), [], "what was before is not sent");
});

test("unsubscribing ends only your own subscription and drops pending deliveries; an unknown one is no error", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  receiver.respond = (_, response) => response.writeHead(500).end();
  const account = await newAccount(server);
  const other = await server.mint();
  const mine = (await subscribe(server, receiver)).result.id;
  const theirs = (await subscribe(server, receiver, { key: other })).result.id;
  await requestReconnect(server, account);
  await receiver.waitFor(2);
  for (const nobodys of [
    { arguments: { account_id: account.id } },
    { name: WORK },
    { name: "no.such.event" },
    { delivery: { url: `${receiver.url}&x` } },
    { delivery: { url: "nonsense" } },
    { key: (await server.neighbour()).key },
    { id: theirs },
    {},
    {},
  ]) {
    const { _meta, ...said } = (await unsubscribe(server, receiver, nobodys)).result;
    assert.deepEqual(said, { resultType: "complete" }, JSON.stringify(nobodys));
  }
  assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), [{ id: theirs }]);
  const standing = rowsOf(
    server,
    "SELECT s.id, d.status FROM deliveries d LEFT JOIN subscriptions s ON s.seq = d.subscription_seq ORDER BY d.seq",
  );
  assert.deepEqual(standing, [
    { id: null, status: "dropped" },
    { id: theirs, status: "pending" },
  ]);
  assert.notEqual(mine, theirs);
});
