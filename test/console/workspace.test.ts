import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { byDoor, signIn } from "../support/console.ts";
import { member } from "../support/member.ts";
import { FakeClock, type Reply, startServer } from "../support/server.ts";

const refusal = ({ status, body }: Reply) => [status, body.code];

async function start(t: TestContext) {
  const clock = new FakeClock();
  const server = await startServer(t, { signIn, clock });
  const as = member(server, { role: "admin", approveOutbound: true });
  const call = (name: string, input: unknown) => byDoor(server, name, input, { as });
  const settings = async () => (await call("get_workspace", {})).body.data;
  const audited = async () => (await call("list_audit", { limit: 100 })).body.data;
  const refused = async (name: string, input: unknown, message: RegExp) => {
    const before = await settings();
    const reply = await call(name, input);
    assert.deepEqual(refusal(reply), [400, "validation_failed"], JSON.stringify(input));
    assert.match(reply.body.error ?? "", message, JSON.stringify(input));
    assert.deepEqual(await settings(), before);
  };
  return { server, clock, call, settings, audited, refused };
}

test("a new workspace is active, unlimited and always open, and counts its live contacts", async (t) => {
  const { server, call, settings } = await start(t);
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data;
  await server.rest("POST", "/contacts", { body: { first_name: "Grace" } });
  assert.deepEqual(await settings(), {
    id: server.workspaceId,
    name: "test",
    created_at: "2026-11-20T09:00:00.000Z",
    plan: { name: "self_hosted", contact_allowance: null, socialnet_allowance: null },
    usage: { contacts: 2, socialnet_actions: 0 },
    billing: { state: "active", ends_at: null, read_only_reason: null },
    outreach: { paused_at: null, pause_reason: null },
    sending_policy: { time_zone: "UTC", windows: [], daily_cap: null, sender_name: null },
    own_proposals: "allowed",
    deployment: { outbound_gate: "closed", socialnet_execution: "off", email: "none" },
  });
  await server.operator("archive_contact", { contact_id: id });
  const { data: outreach } = (await call("pause_outreach", { reason: "holiday" })).body;
  assert.equal(outreach.pause_reason, "holiday");
  const { usage, ...after } = await settings();
  assert.deepEqual([usage, after.outreach], [{ contacts: 1, socialnet_actions: 0 }, outreach]);
});

test("set_plan changes the given fields and keeps the rest; null removes a limit", async (t) => {
  const { call, settings, refused } = await start(t);
  const set = async (input: object) => {
    const reply = await call("set_plan", input);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual((await settings()).plan, reply.body.data);
    return reply.body.data;
  };
  const small = { name: "small", contact_allowance: 5, socialnet_allowance: 0 };
  assert.deepEqual(await set(small), small);
  assert.deepEqual(await set({ contact_allowance: null }), { ...small, contact_allowance: null });
  assert.deepEqual(await set({ name: " large " }), { name: "large", contact_allowance: null, socialnet_allowance: 0 });
  await refused("set_plan", {}, /^Send at least one of these fields: name/);
  await refused("set_plan", { name: "" }, /^name can't be empty/);
  await refused("set_plan", { name: "x".repeat(101) }, /^name must be/);
  await refused("set_plan", { contact_allowance: -1 }, /^contact_allowance must be 0 or more/);
  await refused("set_plan", { socialnet_allowance: 1.5 }, /^socialnet_allowance must be a whole number/);
  await refused("set_plan", { contact_allowance: "5" }, /^contact_allowance must be/);
  await refused("set_plan", { allowance: 5 }, /^Unknown field "allowance"/);
});

test("set_billing requires an end for statuses that have one, refuses it elsewhere, and says when the workspace becomes read-only", async (t) => {
  const { clock, call, settings, refused } = await start(t);
  const END = "2026-11-20T10:00:00.000Z";
  for (const state of ["trial", "financed"]) {
    const reply = await call("set_billing", { state, ends_at: "2026-11-20T12:00:00+02:00" });
    assert.deepEqual(reply.body.data, { state, ends_at: END, read_only_reason: null });
    await refused("set_billing", { state }, /^ends_at is required for trial and financed billing/);
    await refused("set_billing", { state, ends_at: null }, /^ends_at is required/);
    await refused("set_billing", { state, ends_at: "tomorrow" }, /^ends_at must be a date and time/);
  }
  clock.advance(3_600_000);
  assert.deepEqual((await settings()).billing.read_only_reason, "the fixed term has ended");
  for (const [state, reason] of [
    ["active", null],
    ["delinquent", "a payment is overdue"],
  ]) {
    const reply = await call("set_billing", { state, ends_at: null });
    assert.deepEqual(reply.body.data, { state, ends_at: null, read_only_reason: reason });
    assert.deepEqual((await settings()).billing, reply.body.data);
    await refused("set_billing", { state, ends_at: END }, /^ends_at can't be set for active and delinquent/);
  }
  await refused("set_billing", {}, /^state is required/);
});

test("set_sending_policy changes the given fields and keeps the rest", async (t) => {
  const { call, settings } = await start(t);
  const set = async (input: object) => {
    const reply = await call("set_sending_policy", input);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual((await settings()).sending_policy, reply.body.data);
    return reply.body.data;
  };
  const windows = [
    { days: [5, 1], from: "00:00", to: "23:59" },
    { days: [7], from: "09:30", to: "24:00" },
  ];
  const policy = { time_zone: "Europe/Berlin", windows, daily_cap: 50, sender_name: "Ada" };
  assert.deepEqual(await set({ ...policy, sender_name: " Ada " }), policy);
  assert.deepEqual(await set({ daily_cap: null }), { ...policy, daily_cap: null });
  assert.deepEqual(await set({ windows: [], sender_name: null }), {
    time_zone: "Europe/Berlin",
    windows: [],
    daily_cap: null,
    sender_name: null,
  });
  for (const time_zone of ["UTC", "Asia/Kolkata", "Europe/Kyiv", "America/Port-au-Prince", "US/Pacific", "Etc/GMT+2"]) {
    assert.equal((await set({ time_zone })).time_zone, time_zone);
  }
  const week = Array.from({ length: 21 }, (_, i) => ({ days: [(i % 7) + 1], from: "09:00", to: "10:00" }));
  assert.equal((await set({ windows: week })).windows.length, 21);
});

test("an invalid sending policy is refused by the field's name", async (t) => {
  const { refused } = await start(t);
  for (const time_zone of ["europe/berlin", "utc", "+02:00", "PST", "Mars/Olympus", "", " UTC", "\0"]) {
    await refused("set_sending_policy", { time_zone }, /^time_zone must be an IANA time zone/);
  }
  const window = { days: [1], from: "09:00", to: "17:00" };
  const wrong: [unknown, RegExp][] = [
    [{ ...window, days: [] }, /^windows\.0\.days must have at least one/],
    [{ ...window, days: [0] }, /^windows\.0\.days\.0 must be 1 or more/],
    [{ ...window, days: [8] }, /^windows\.0\.days\.0 must be 7 or less/],
    [{ ...window, days: [1, 2, 1] }, /^windows\.0\.days has a day twice/],
    [{ ...window, from: "9:00" }, /^windows\.0\.from must be a time of day/],
    [{ ...window, from: "24:00", to: "24:00" }, /^windows\.0\.from must be a time of day/],
    [{ ...window, to: "24:01" }, /^windows\.0\.to must be a time of day/],
    [{ ...window, to: "17:60" }, /^windows\.0\.to must be a time of day/],
    [{ ...window, to: "17:00:00" }, /^windows\.0\.to must be a time of day/],
    [{ ...window, to: "09:00" }, /^windows\.0\.to must be later than the start time/],
    [{ ...window, from: "17:00", to: "09:00" }, /^windows\.0\.to must be later than the start time/],
    [{ ...window, zone: "UTC" }, /^Unknown field "windows\.0\.zone"/],
  ];
  for (const [value, message] of wrong) await refused("set_sending_policy", { windows: [value] }, message);
  await refused("set_sending_policy", { windows: Array(22).fill(window) }, /^windows can have 21 entries at most/);
  await refused("set_sending_policy", { windows: null }, /^windows must be an array/);
  await refused("set_sending_policy", { daily_cap: 0 }, /^daily_cap must be 1 or more/);
  await refused("set_sending_policy", { sender_name: " " }, /^sender_name can't be empty/);
  await refused("set_sending_policy", {}, /^Send at least one of these fields: time_zone/);
});

test("settings can be changed in a read-only workspace too; each actual change is audited once", async (t) => {
  const { server, call, audited } = await start(t);
  await call("set_billing", { state: "delinquent" });
  assert.equal((await call("invite_member", { email: "a@b.example", name: "Ada", role: "rep" })).status, 200);
  const changes = [
    ["set_plan", { contact_allowance: 7 }],
    ["set_sending_policy", { time_zone: "Europe/Berlin", windows: [{ days: [1], from: "09:00", to: "17:00" }] }],
    ["set_billing", { state: "trial", ends_at: "2026-11-20T10:00:00Z" }],
  ] as const;
  for (const [name, input] of changes) {
    const before = await audited();
    assert.equal((await call(name, input)).status, 200);
    const after = await audited();
    assert.deepEqual(after.slice(1), before);
    assert.deepEqual([after[0].action, after[0].record_id], [name, server.workspaceId]);
    assert.notDeepEqual(after[0].before, after[0].after);
    assert.equal((await call(name, input)).status, 200);
    assert.deepEqual(await audited(), after);
  }
});

test("settings of one workspace do not affect another", async (t) => {
  const { server, call } = await start(t);
  const other = await server.neighbour();
  const before = await server.operator("get_workspace", {}, other.workspaceId);
  await call("set_plan", { contact_allowance: 0 });
  await call("set_billing", { state: "delinquent" });
  await call("set_sending_policy", { time_zone: "Europe/Berlin" });
  assert.deepEqual(await server.operator("get_workspace", {}, other.workspaceId), before);
  const reply = await server.rest("POST", "/contacts", { key: other.key, body: { first_name: "Ada" } });
  assert.equal(reply.status, 201);
});
