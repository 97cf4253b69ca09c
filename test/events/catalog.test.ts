import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { personOperation } from "../../src/core/operation.ts";
import { EVENT_NAMES, type EventName } from "../../src/events/catalog.ts";
import { newAccount, RECONNECT, startLocal, subscribe } from "../support/events.ts";
import { ERAS, post } from "../support/mcp.ts";
import { rowsOf } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";
import { startServer, type TestServer } from "../support/server.ts";

const UUID = "0190aaaa-0000-7000-8000-00000000abcd";
const about = { account_id: UUID, account_label: "Ada's account" };
const decided = { item_id: "OT-01", decision: "approved", decided_at: "2026-11-20T09:30:00.000Z" };
const FITTING: Record<EventName, Record<string, unknown>> = {
  "socialnet.work.available": { ...about, claimable: 3 },
  "socialnet.schedule.changed": { ...about, changed: ["windows", "limits"] },
  "socialnet.reconnect.requested": { ...about, request_id: UUID },
  "socialnet.change.requested": { ...about, action_id: UUID },
  "checklist.card.decided": { card_id: UUID, ...decided },
  "checklist.post.decided": { post_id: UUID, ...decided },
};

/** Values that no event can have, in each field and as extra fields. */
const WRONG: Record<string, readonly unknown[]> = {
  account_id: ["nonsense", "", 7, null],
  account_label: [7, null, "x".repeat(201), { text: "Ada" }],
  claimable: [0, -1, 1.5, "3", null],
  changed: [[], ["copy"], "windows", null],
  request_id: ["nonsense", 7, null],
  action_id: ["nonsense", 7, null],
  card_id: ["nonsense", 7, null],
  post_id: ["nonsense", 7, null],
  item_id: [7, null],
  decision: ["approve", "", null],
  decided_at: ["today", 7, null],
};
const STRANGERS = [
  { name: "Ada Lovelace" },
  { profile_url: "https://socialnet.example/in/ada" },
  { copy: "Dear Ada" },
  { type: "event" },
];

/** Writes an account, and then an unvalidated event. */
const emits = (name: EventName, payload: unknown) =>
  personOperation({
    name: "emit_anything",
    area: "events",
    title: "Emit",
    description: "Emits.",
    effect: "write",
    access: { permission: "administer" },
    gates: [],
    errors: [],
    input: z.object({}),
    output: z.object({ id: z.string() }),
    async handler(ctx) {
      const id = ctx.newId();
      const limits = {
        dailyConnectionRequests: 1,
        ownerMemberId: null,
        dailyMessages: 1,
        windows: [],
        timeZone: "UTC",
      };
      const times = { createdAt: ctx.now, updatedAt: ctx.now };
      const profile = { label: "new", profileUrl: "https://socialnet.example/in/x", automationMode: "off" as const };
      await ctx.store.socialnetAccounts.insert({ id, ...profile, ...limits, ...times });
      await ctx.emit(name, payload as never);
      return { data: { id } };
    },
  });

function emit({ running, workspaceId }: TestServer, name: EventName, payload: unknown) {
  const caller = { kind: "local_operator", id: "o", name: "o", workspaceId } as const;
  return running.invoke(emits(name, payload), { caller, surface: "cli", requestId: "r", input: () => ({}) });
}

const written = (server: TestServer) =>
  rowsOf(
    server,
    `SELECT (SELECT count(*) FROM deliveries) AS outbox, (SELECT count(*) FROM socialnet_accounts) AS records,
       (SELECT count(*) FROM operation_log WHERE operation = 'emit_anything') AS log`,
  )[0];

/** A server with a subscriber to everything. */
async function withListener(t: Parameters<typeof startServer>[0]) {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  await server.operator("create_webhook", { url: receiver.url, events: EVENT_NAMES });
  return { server, receiver };
}

for (const name of EVENT_NAMES) {
  test(`${name} has exactly its own fields; a write with any other field is rolled back`, async (t) => {
    const { server, receiver } = await withListener(t);
    const fitting = FITTING[name];
    const fields = Object.keys(fitting);
    const without = (field: string) => Object.fromEntries(Object.entries(fitting).filter(([key]) => key !== field));
    const wrong = [
      ...STRANGERS.map((stranger) => ({ ...fitting, ...stranger })),
      ...fields.map(without),
      ...fields.flatMap((field) => (WRONG[field] ?? []).map((value) => ({ ...fitting, [field]: value }))),
      null,
      [],
    ];
    assert.ok(wrong.length >= STRANGERS.length + 3 * 4, "every field has its wrong values");
    for (const payload of wrong) {
      const { status, refusal } = await emit(server, name, payload);
      assert.deepEqual([status, refusal?.code], [500, "internal_error"], JSON.stringify(payload));
    }
    assert.deepEqual(written(server), { outbox: 0, records: 0, log: 0 });
    assert.equal((await emit(server, name, fitting)).status, 200);
    assert.deepEqual(written(server), { outbox: 1, records: 1, log: 1 });
    assert.deepEqual((await receiver.waitFor(1))[0]?.body.data, fitting);
  });
}

test("a body of 262,144 bytes is delivered; one more byte refuses the write that caused it", async (t) => {
  const { server, receiver } = await withListener(t);
  const sized = (entries: number, label: number) =>
    emit(server, "socialnet.schedule.changed", {
      account_id: UUID,
      account_label: "x".repeat(label),
      changed: Array.from({ length: entries }, () => "mode"),
    });
  await sized(1, 1);
  const least = Buffer.byteLength((await receiver.waitFor(1))[0]?.text ?? "");
  const entries = Math.floor((262_144 - least) / ',"mode"'.length);
  const label = 1 + ((262_144 - least) % ',"mode"'.length);
  assert.equal((await sized(1 + entries, label + 1)).status, 500);
  assert.deepEqual(written(server), { outbox: 1, records: 1, log: 1 });
  assert.equal((await sized(1 + entries, label)).status, 200);
  assert.equal(Buffer.byteLength((await receiver.waitFor(2))[1]?.text ?? ""), 262_144);
});

test("an event without subscribers is not stored, and still matches its schema", async (t) => {
  const server = await startServer(t);
  assert.equal((await emit(server, RECONNECT, FITTING[RECONNECT])).status, 200);
  assert.deepEqual(written(server), { outbox: 0, records: 1, log: 1 });
  assert.equal((await emit(server, RECONNECT, { ...FITTING[RECONNECT], name: "Ada" })).status, 500);
  assert.deepEqual(written(server), { outbox: 0, records: 1, log: 1 });
});

for (const era of ERAS) {
  test(`events/list of the ${era} era: one page, both schemas strict objects, every payload field required`, async (t) => {
    const server = await startServer(t);
    for (const cursor of [undefined, "", "from long ago"]) {
      const { result } = (await post(server, era, "events/list", { ...(cursor === undefined ? {} : { cursor }) })).body;
      assert.equal(result.resultType, "complete");
      assert.equal("nextCursor" in result, false);
      assert.deepEqual(
        result.events.map((event: { name: string }) => event.name),
        EVENT_NAMES,
      );
      for (const { name, description, delivery, inputSchema, payloadSchema, ...more } of result.events) {
        assert.ok(description.length > 20);
        assert.deepEqual([delivery, more], [["webhook"], {}]);
        for (const schema of [inputSchema, payloadSchema]) {
          assert.deepEqual([schema.type, schema.additionalProperties], ["object", false], name);
        }
        assert.deepEqual(Object.keys(inputSchema.properties), name.startsWith("socialnet.") ? ["account_id"] : []);
        assert.deepEqual(inputSchema.required ?? [], []);
        assert.deepEqual(payloadSchema.required, Object.keys(payloadSchema.properties));
        assert.deepEqual(Object.keys(payloadSchema.properties), Object.keys(FITTING[name as EventName]));
      }
    }
  });

  test(`a key of the ${era} era without socialnet.read sees no event and can subscribe to none`, async (t) => {
    const server = await startLocal(t);
    const receiver = await Receiver.start(t);
    await newAccount(server);
    const key = await server.mint(["contacts.read", "socialnet.execute"]);
    const { result } = (await post(server, era, "events/list", {}, { key })).body;
    assert.deepEqual(result.events, []);
    for (const method of ["events/subscribe", "events/unsubscribe"]) {
      const delivery = { mode: "webhook", url: receiver.url, secret: receiver.secret };
      const headers = { "mcp-name": undefined };
      const { status, body } = await post(server, era, method, { name: RECONNECT, delivery }, { key, headers });
      assert.deepEqual([status, body.error.code, body.error.data], [200, -32012, { reason: "insufficient_scope" }]);
    }
    assert.deepEqual(receiver.challenges, []);
    const reader = await subscribe(server, receiver, { era, key: await server.mint(["socialnet.read"]) });
    assert.ok(reader.result.id, "the one scope is enough");
  });
}
