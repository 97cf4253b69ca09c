import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberActor } from "../../src/core/actor.ts";
import { ROLES, type Role } from "../../src/domain/access/roles.ts";
import { rpcError } from "../../src/events/protocol.ts";
import { newAccount, RECONNECT, startLocal, subscribe } from "../support/events.ts";
import { ERAS, post } from "../support/mcp.ts";
import { newSecret, unsubscribe } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";

const INVALID_PARAMS = -32602;
const UUID = "0190aaaa-0000-7000-8000-00000000abcd";
const base64 = (bytes: number) => Buffer.alloc(bytes, 0xfb).toString("base64");

for (const era of ERAS) {
  test(`an unknown event and an unsupported mode have their own codes and data in the ${era} era`, async (t) => {
    const server = await startLocal(t);
    const receiver = await Receiver.start(t);
    for (const name of ["no.such.event", "", "__proto__", "toString", RECONNECT.toUpperCase()]) {
      const { error } = await subscribe(server, receiver, { era, name });
      assert.deepEqual([error.code, error.data], [-32011, { kind: "event" }], name);
    }
    const headers = { "mcp-name": undefined };
    for (const value of ["poll", "stream", "", "WEBHOOK"]) {
      const unsupported = [-32014, { feature: "deliveryMode", value }];
      const { error } = await subscribe(server, receiver, { era, delivery: { mode: value } });
      assert.deepEqual([error.code, error.data], unsupported, value);
      const bare = await post(
        server,
        era,
        "events/subscribe",
        { name: RECONNECT, delivery: { mode: value } },
        { headers },
      );
      assert.deepEqual([bare.status, bare.body.error.code, bare.body.error.data], [200, ...unsupported], "alone");
    }
    assert.deepEqual(receiver.challenges, []);
  });
}

test("arguments that the event does not take are -32602, and the error names them", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  for (const [given, path] of [
    [{ account_id: "nonsense" }, /^arguments\.account_id /],
    [{ account_id: 7 }, /^arguments\.account_id /],
    [{ account_id: null }, /^arguments\.account_id /],
    [{ account: UUID }, /^arguments\.?/],
    [[], /^arguments /],
    ["x", /^arguments /],
    [null, /^arguments /],
  ] as const) {
    const { error } = await subscribe(server, receiver, { arguments: given as never });
    assert.equal(error.code, INVALID_PARAMS, JSON.stringify(given));
    assert.match(error.message, path);
  }
  assert.deepEqual(receiver.challenges, []);
});

test("a secret is whsec_ and the base64 of 24 to 64 bytes, padded or not; any other is -32602", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const wrong = [
    undefined,
    null,
    7,
    "",
    "whsec_",
    base64(32),
    `WHSEC_${base64(32)}`,
    `whsk_${base64(32)}`,
    `whsec_${base64(23)}`,
    `whsec_${base64(65)}`,
    `whsec_${base64(24)}=`,
    `whsec_${base64(24)}====`,
    `whsec_${base64(32)}=`,
    `whsec_${base64(32)} `,
    ` whsec_${base64(32)}`,
    `whsec_${base64(32).slice(0, 20)}\n${base64(32).slice(20)}`,
    `whsec_${Buffer.alloc(32, 0xfb).toString("base64url")}`,
    `whsec_${"a secret that is no base64, though long".repeat(2)}`,
    `whsec_${"é".repeat(43)}=`,
  ];
  for (const secret of wrong) {
    const { error } = await subscribe(server, receiver, { delivery: { secret } });
    assert.equal(error?.code, INVALID_PARAMS, `${secret}`);
    assert.match(error.message, /^delivery\.secret /);
    if (typeof secret === "string" && secret.length > 6) assert.ok(!error.message.includes(secret), "never repeated");
  }
  assert.deepEqual(receiver.challenges, []);
  for (const secret of [`whsec_${base64(24)}`, `whsec_${base64(25).replace(/=+$/, "")}`, `whsec_${base64(64)}`]) {
    assert.ok((await subscribe(server, receiver, { delivery: { secret } })).result, secret);
  }
});

test("an account of another workspace and an unknown one are refused with the same bytes", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const neighbour = await server.neighbour();
  const profile = { label: "theirs", profile_url: "https://socialnet.example/in/x" };
  const theirs = await server.operator("create_socialnet_account", profile, neighbour.workspaceId);
  const [foreign, unknown] = await Promise.all(
    [theirs.id, UUID].map((account_id) => subscribe(server, receiver, { arguments: { account_id } })),
  );
  assert.equal(foreign.error.code, INVALID_PARAMS);
  assert.equal(JSON.stringify(foreign), JSON.stringify(unknown));
  assert.deepEqual(receiver.challenges, []);
});

test("neither a member of any role nor the local operator can subscribe, since a subscription ends with its key", async (t) => {
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
  const receiver = await Receiver.start(t);
  workspaceId = server.workspaceId;
  const delivery = { mode: "webhook", url: receiver.url, secret: newSecret() };
  for (role of ROLES) {
    for (const operation of ["subscribe_events", "unsubscribe_events"]) {
      const response = await fetch(`${server.listening}/console/api/${operation}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: server.listening },
        body: JSON.stringify({ name: RECONNECT, delivery }),
      });
      const { code } = (await response.json()) as { code: string };
      const expected = role === "viewer" ? "insufficient_scope" : "subscription_forbidden";
      assert.deepEqual([response.status, code], [403, expected], role);
    }
  }
  for (const operation of ["subscribe_events", "unsubscribe_events"]) {
    const refused = server.operator(operation, { name: RECONNECT, delivery });
    await assert.rejects(refused, { code: "subscription_forbidden", extra: { reason: "key_required" } });
  }
  assert.deepEqual(receiver.challenges, []);
});

test("a missing field or one of the wrong type is -32602, with HTTP 200", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  await newAccount(server);
  const delivery = { mode: "webhook", url: receiver.url, secret: receiver.secret };
  for (const params of [
    {},
    { name: RECONNECT },
    { delivery },
    { name: 7, delivery },
    { name: RECONNECT, delivery: "webhook" },
    { name: RECONNECT, delivery: { ...delivery, mode: undefined } },
    { name: RECONNECT, delivery: { ...delivery, url: undefined } },
    { name: RECONNECT, delivery: { ...delivery, url: `${receiver.url}\0` } },
  ]) {
    const headers = { "mcp-name": undefined };
    const { status, body } = await post(server, "2026-07-28", "events/subscribe", params, { headers });
    assert.deepEqual([status, body.error.code], [200, INVALID_PARAMS], JSON.stringify(params));
  }
  assert.equal((await unsubscribe(server, receiver, { delivery: {} })).error.code, INVALID_PARAMS);
});

test("ending a subscription that can't exist succeeds", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  for (const unknown of [{ name: "unknown.event" }, { arguments: { account: 1 } }]) {
    const { result, error } = await unsubscribe(server, receiver, unknown);
    assert.equal(error, undefined, JSON.stringify(unknown));
    assert.equal(result.resultType, "complete");
  }
});

test("an internal error shows only the id that finds it in the log", () => {
  assert.deepEqual(rpcError("internal_error", { correlationId: "0190" }), {
    code: -32603,
    data: { code: "internal_error", correlationId: "0190" },
  });
});
