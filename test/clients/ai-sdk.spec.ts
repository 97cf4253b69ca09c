import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { entryOf } from "../../scripts/on-demand.ts";
import { EVENT_NAMES } from "../../src/events/catalog.ts";
import { newAccount, RECONNECT, startLocal } from "../support/events.ts";
import { attempted, newSecret, requestReconnect, rowsOf, signersOf } from "../support/outbox.ts";
import type { Received } from "../support/receiver.ts";
import { FakeClock, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** The parts of the library that these tests use. It is installed on demand, so it has no types here. */
interface Subscription {
  key: string;
  id: string;
  status: string;
  refreshBefore?: string;
  delivery: { secret: string };
}

interface Store {
  get(key: string): Promise<Subscription | undefined>;
  getById(id: string): Promise<Subscription | undefined>;
  set(subscription: Subscription): Promise<void>;
  update(key: string, patch: object): Promise<void>;
  delete(key: string): Promise<void>;
}

interface OnEvent {
  subscription: Subscription;
  event: { data: unknown };
}

interface Events {
  list(): Promise<{ events: { name: string }[] }>;
  subscribe(input: object): Promise<Subscription>;
  refresh(which: { id: string } | { key: string }): Promise<Subscription>;
  unsubscribe(which: { key: string }): Promise<void>;
}

interface Library {
  createMCPClient(options: object): Promise<{ experimental_events: Events; close(): Promise<void> }>;
  experimental_createMCPEventWebhook(options: {
    store: Store;
    validatePayload(input: { definition: { payloadSchema: object }; data: object }): void;
    onEvent(input: OnEvent): Promise<void>;
    onTerminated(input: { termination: unknown }): Promise<void>;
    onError(error: unknown): void;
  }): (request: Request) => Promise<Response>;
}

const library: Library = await import(pathToFileURL(entryOf("@ai-sdk/mcp")).href);

/** What its guide requires of an application: a store of subscriptions, kept in memory here. */
function createStore() {
  const kept = new Map<string, Subscription>();
  const store: Store = {
    get: async (key) => kept.get(key),
    getById: async (id) => [...kept.values()].find((subscription) => subscription.id === id),
    set: async (subscription) => void kept.set(subscription.key, subscription),
    update: async (key, patch) => {
      const before = kept.get(key);
      if (before !== undefined) kept.set(key, { ...before, ...patch });
    },
    delete: async (key) => void kept.delete(key),
  };
  return { kept, store };
}

/** Its webhook handler on this machine. */
async function mount(t: TestContext, store: Store) {
  const events: OnEvent[] = [];
  const ended: unknown[] = [];
  const errors: unknown[] = [];
  const received: (Pick<Received, "headers" | "text"> & { status: number })[] = [];
  const handle = library.experimental_createMCPEventWebhook({
    store,
    validatePayload({ definition, data }) {
      const { required } = definition.payloadSchema as { required: string[] };
      assert.deepEqual(Object.keys(data).toSorted(), required.toSorted());
    },
    onEvent: async (event) => void events.push(event),
    onTerminated: async ({ termination }) => void ended.push(termination),
    onError: (error) => void errors.push(error),
  });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = `http://${request.headers.host}${request.url}`;
    const headers = Object.entries(request.headers) as [string, string][];
    const answer = await handle(new Request(url, { method: "POST", headers, body }));
    received.push({ headers: request.headers, text: body.toString("utf8"), status: answer.status });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  return { url, events, ended, errors, received };
}

async function connect(t: TestContext, server: TestServer, key: string, store: Store, modern: boolean) {
  const client = await library.createMCPClient({
    transport: { type: "http", url: server.mcpUrl.href, headers: { authorization: `Bearer ${key}` } },
    protocolVersionDiscovery: modern,
    experimental_events: { store },
  });
  t.after(() => client.close());
  return client.experimental_events;
}

for (const { era, modern } of [
  { era: "2026-07-28", modern: true },
  { era: "2025-11-25", modern: false },
]) {
  test(`the AI SDK lists, subscribes, receives, refreshes, rotates and unsubscribes in the ${era} era`, async (t) => {
    const server = await startLocal(t);
    const account = await newAccount(server);
    const { store, kept } = createStore();
    const hook = await mount(t, store);
    const events = await connect(t, server, server.key, store, modern);
    const listed = await events.list();
    assert.deepEqual(listed.events.map(({ name }) => name).toSorted(), EVENT_NAMES.toSorted());

    const subscribed = await events.subscribe({
      name: RECONNECT,
      arguments: { account_id: account.id },
      delivery: { mode: "webhook", url: hook.url, allowInsecureLocalhost: true },
      ttlMs: 3_600_000,
    });
    assert.deepEqual([hook.received.length, hook.received[0]?.status], [1, 200], "the challenge");
    const [own] = kept.values();
    assert.deepEqual([own?.id, own?.status], [subscribed.id, "active"]);

    const { id: requestId } = await requestReconnect(server, account);
    await until(() => hook.events.length === 1);
    const [woken] = hook.events;
    assert.equal(woken?.subscription.id, subscribed.id);
    assert.deepEqual(woken?.event.data, {
      account_id: account.id,
      account_label: "Ada's account",
      request_id: requestId,
    });

    const refreshed = await events.refresh({ id: subscribed.id });
    assert.equal(refreshed.id, subscribed.id);
    assert.ok(Date.parse(refreshed.refreshBefore ?? "") >= Date.parse(subscribed.refreshBefore ?? ""));
    assert.equal(hook.received.length, 2, "no second challenge");

    const first = own?.delivery.secret as string;
    const second = newSecret();
    const { key, delivery } = own as Subscription;
    await store.update(key, { delivery: { ...delivery, secret: second } });
    await events.refresh({ key });
    await requestReconnect(server, account);
    await until(() => hook.events.length === 2);
    const last = hook.received.at(-1) as unknown as Received;
    assert.deepEqual(signersOf(last, { first, second }), ["second", "first"]);

    await events.unsubscribe({ key });
    assert.deepEqual([kept.size, rowsOf(server, "SELECT 1 FROM subscriptions").length], [0, 0]);
    await requestReconnect(server, account);
    assert.equal(rowsOf(server, "SELECT 1 FROM deliveries").length, 2, "nobody is told any more");
    assert.deepEqual([hook.errors, hook.ended], [[], []]);
  });
}

test("the AI SDK is told that its key was revoked, and forgets the subscription", async (t) => {
  const server = await startLocal(t);
  const { id, key } = await server.operator("create_key", { name: "ai-sdk", scopes: ["socialnet.read"] });
  const { store, kept } = createStore();
  const hook = await mount(t, store);
  const events = await connect(t, server, key, store, true);
  const delivery = { mode: "webhook", url: hook.url, allowInsecureLocalhost: true } as const;
  await events.subscribe({ name: RECONNECT, delivery });
  await server.operator("revoke_key", { key_id: id });
  await until(() => hook.ended.length === 1);
  const error = { code: -32012, message: "Forbidden", data: { reason: "revoked_key" } };
  assert.deepEqual(hook.ended, [{ type: "terminated", error }]);
  await until(() => kept.size === 0);
  await assert.rejects(events.list(), "the key opens nothing any more");
});

test("the AI SDK misses no event if the first request, before it has stored the subscription, gets a 503", async (t) => {
  // It compares timestamps with the real clock.
  const clock = new FakeClock(Date.now());
  const server = await startLocal(t, { clock });
  const account = await newAccount(server);
  const { store, kept } = createStore();
  const hook = await mount(t, store);
  const events = await connect(t, server, server.key, store, true);
  const delivery = { mode: "webhook", url: hook.url, allowInsecureLocalhost: true } as const;
  await events.subscribe({ name: RECONNECT, delivery });
  const [{ key } = { key: "" }] = kept.values();
  await store.update(key, { status: "pending" });
  await requestReconnect(server, account);
  await until(() => hook.received.some(({ status }) => status === 503));
  await attempted(server, 1);
  await store.update(key, { status: "active" });
  clock.advance(6_000);
  await until(() => hook.events.length === 1);
});
