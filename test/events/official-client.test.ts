import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { EVENT_NAMES } from "../../src/events/catalog.ts";
import { newAccount, RECONNECT, startLocal } from "../support/events.ts";
import { newSecret, requestReconnect, rowsOf, signersOf } from "../support/outbox.ts";
import { type Received, Receiver } from "../support/receiver.ts";
import type { TestServer } from "../support/server.ts";

const Listed = z.looseObject({ events: z.array(z.looseObject({ name: z.string(), delivery: z.array(z.string()) })) });
const Subscribed = z.looseObject({
  id: z.string(),
  refreshBefore: z.iso.datetime(),
  cursor: z.null(),
  truncated: z.literal(false),
});
const Done = z.looseObject({});

const MODES = [
  { era: "2026-07-28", mode: { pin: "2026-07-28" } },
  { era: "2025-11-25", mode: "legacy" },
] as const;

async function connect(t: TestContext, server: TestServer, mode: (typeof MODES)[number]["mode"]) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
  await client.connect(new StreamableHTTPClientTransport(server.mcpUrl, { requestInit }));
  t.after(() => client.close());
  return client;
}

for (const { era, mode } of MODES) {
  test(`the official client lists, subscribes, receives, refreshes, rotates and unsubscribes in the ${era} era`, async (t) => {
    const server = await startLocal(t);
    const receiver = await Receiver.start(t);
    const account = await newAccount(server);
    const client = await connect(t, server, mode);
    assert.equal(client.getNegotiatedProtocolVersion(), era);
    assert.deepEqual(client.getServerCapabilities()?.extensions, { "io.modelcontextprotocol/events": {} });

    const { events } = await client.request({ method: "events/list", params: {} }, Listed);
    assert.deepEqual(events.map(({ name }) => name).toSorted(), EVENT_NAMES.toSorted());

    const about = { name: RECONNECT, arguments: { account_id: account.id } };
    const subscribe = (secret: string) => {
      const delivery = { mode: "webhook", url: receiver.url, secret };
      return client.request({ method: "events/subscribe", params: { ...about, delivery } }, Subscribed);
    };
    const first = receiver.secret;
    const { id } = await subscribe(first);
    assert.equal(receiver.challenges.length, 1);
    await requestReconnect(server, account);
    const [woken] = await receiver.waitFor(1);
    assert.deepEqual([woken?.body.name, woken?.body.data.account_id], [RECONNECT, account.id]);
    assert.deepEqual(receiver.forged, []);

    const second = newSecret();
    const rotated = await subscribe(second);
    assert.equal(rotated.id, id);
    assert.equal(receiver.challenges.length, 1, "no second challenge");
    await requestReconnect(server, account);
    await receiver.waitFor(2);
    assert.deepEqual(signersOf(receiver.deliveries[1] as Received, { first, second }), ["second", "first"]);

    const over = { ...about, delivery: { url: receiver.url } };
    await client.request({ method: "events/unsubscribe", params: over }, Done);
    assert.deepEqual(rowsOf(server, "SELECT 1 FROM subscriptions"), []);
    await client.request({ method: "events/unsubscribe", params: over }, Done);
  });

  test(`the official client gets a code and a reason for what is not allowed in the ${era} era`, async (t) => {
    const server = await startLocal(t);
    const client = await connect(t, server, mode);
    const delivery = { mode: "webhook", url: "http://127.0.0.1:9/nobody", secret: newSecret() };
    const refused = async (params: Record<string, unknown>) => {
      try {
        await client.request(
          { method: "events/subscribe", params: { name: RECONNECT, delivery, ...params } },
          Subscribed,
        );
      } catch (error) {
        const { code, data } = error as { code: number; data: unknown };
        return [code, data];
      }
      return undefined;
    };
    assert.deepEqual(await refused({ name: "nothing" }), [-32011, { kind: "event" }]);
    assert.deepEqual(await refused({}), [-32015, { reason: "connection_refused" }]);
    const polling = { ...delivery, mode: "poll" };
    assert.deepEqual(await refused({ delivery: polling }), [-32014, { feature: "deliveryMode", value: "poll" }]);
    assert.equal((await refused({ delivery: { ...delivery, secret: "whsec_short" } }))?.[0], -32602);
  });
}
