import assert from "node:assert/strict";
import { test } from "node:test";
import { subscribe } from "../support/events.ts";
import { callAs, member } from "../support/member.ts";
import { Receiver } from "../support/receiver.ts";
import { engineAction, MINUTE_MS, withAgent } from "../support/socialnet.ts";

const EVENT = "socialnet.change.requested";
const NOTE = "Shorter, and ask one question.";

test("a change request wakes the agent, which reads the note and revises the text, and a person reviews it again", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const receiver = await Receiver.start(t);
  const subscribed = await subscribe(server, receiver, { name: EVENT, key: agent.key });
  assert.ok(subscribed.result?.id, JSON.stringify(subscribed));
  const action = await agent.planned();
  await agent.person("request_action_change", { action_id: action.id, note: NOTE });
  const [{ body, text }] = (await receiver.waitFor(1)) as [any];
  assert.deepEqual([body.name, body.data.action_id], [EVENT, action.id]);
  assert.doesNotMatch(text, /Shorter|Hello/, "never text");

  assert.equal((await agent.done("brief")).changesRequested, 1);
  const held = await server.rest("GET", "/socialnet/actions?status=held", { key: agent.key });
  assert.deepEqual(held.body.data[0].changeRequest, { note: NOTE, requestedAt: held.body.data[0].updatedAt });
  const { action: revised } = await agent.done("revise", { actionId: action.id, copy: "Tuesday?" });
  assert.deepEqual([revised.status, revised.copy, revised.changeRequest], ["planned", "Tuesday?", null]);
  assert.equal((await agent.done("brief")).changesRequested, 0);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["not_approved"]);

  const review = await server.operator("get_review", { kind: "action", id: action.id });
  assert.deepEqual([review.waiting, review.before.body, review.before.note], [true, "Hello.", NOTE]);
  assert.deepEqual(
    review.edited_by.map(({ name }: any) => name),
    ["agent"],
  );
  await agent.person("approve_socialnet_action", { action_id: action.id, copy_hash: review.version });
  assert.equal((await agent.start(await agent.claim(action))).copy, "Tuesday?");
});

test("an agent revises only what a person sent back, in its own account, within the limits of a text", async (t) => {
  const agent = await withAgent(t);
  const revise = (id: string, copy = "Tuesday?") => agent.command("revise", { actionId: id, copy });
  for (const status of ["planned", "approved", "claimed", "started", "held", "completed", "cancelled"] as const) {
    const action = await agent.at(status);
    const before = await agent.look(action);
    assert.deepEqual(await agent.refusal("revise", { actionId: action.id, copy: "Tuesday?" }), ["held"], status);
    assert.deepEqual(await agent.look(action), before, status);
  }
  const action = await agent.planned();
  await agent.person("request_action_change", { action_id: action.id, note: NOTE });
  for (const copy of ["", "{{first_name}}", "x".repeat(8_001)]) {
    assert.equal((await revise(action.id, copy)).status, 400, copy.slice(0, 20));
  }
  const other = await agent.person("create_socialnet_account", {
    label: "Eve",
    profile_url: "https://socialnet.example/in/eve",
  });
  const { key } = await agent.person("create_key", {
    name: "other",
    scopes: ["socialnet.execute"],
    socialnet_account_id: other.id,
  });
  assert.equal((await agent.command("revise", { actionId: action.id, copy: "Mine." }, key)).status, 404);
  assert.equal(await agent.statusOf(action), "held");
});

test("a request ends with a release or a cancellation, and what the agent then sends is refused", async (t) => {
  const agent = await withAgent(t);
  for (const [end, status] of [
    ["release", "planned"],
    ["cancel", "cancelled"],
  ] as const) {
    const action = await agent.planned();
    await agent.person("request_action_change", { action_id: action.id, note: NOTE });
    await agent.person(`${end}_socialnet_action`, { action_id: action.id });
    const { change_requested_at, status: now } = await agent.look(action);
    assert.deepEqual([change_requested_at, now], [null, status]);
    assert.deepEqual(await agent.refusal("revise", { actionId: action.id, copy: "Late." }), ["held"]);
  }
  assert.equal((await agent.done("brief")).changesRequested, 0);
});

test("a change request is about what was read, needs a note, and needs someone who may work", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const { id: action_id } = await agent.planned();
  const { copy_hash } = await agent.person("get_planned_action", { action_id });
  await agent.person("edit_socialnet_action", { action_id, copy: "Other." });
  const ask = (input: object) => callAs(server, member(server), "request_action_change", { action_id, ...input });
  assert.equal((await ask({ note: NOTE, copy_hash })).body.code, "version_conflict");
  assert.equal((await ask({ note: " " })).status, 400);
  const viewer = member(server, { role: "viewer" });
  const refused = await callAs(server, viewer, "request_action_change", { action_id, note: NOTE });
  assert.equal(refused.status, 403);
  assert.equal((await ask({ note: NOTE })).status, 200, "a rep without approve_outbound");
});

test("on an automatic account, a revised text waits for an approver, whoever wrote it", async (t) => {
  const agent = await withAgent(t);
  const [byAgent, byMember] = [await engineAction(agent), await agent.planned()];
  for (const { id } of [byAgent, byMember]) await agent.person("request_action_change", { action_id: id, note: NOTE });
  const { id: account_id } = agent.account;
  await agent.person("update_socialnet_account", { account_id, automation_mode: "automatic" });
  await agent.done("revise", { actionId: byAgent.id, copy: "Tuesday?" });
  await agent.person("edit_socialnet_action", { action_id: byMember.id, copy: "Wednesday?" });
  agent.clock.advance(10 * MINUTE_MS);
  for (const action of [byAgent, byMember]) assert.equal(await agent.statusOf(action), "planned");
});

test("where another teammate must approve, who made the agent's key does not approve what it revised", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const owner = member(server, { id: "0190bbbb-0000-7000-8000-000000000002", approveOutbound: true });
  await agent.person("set_own_proposals", { own_proposals: "forbidden" });
  const admin = member(server, { role: "admin", approveOutbound: true });
  const made = await callAs(server, admin, "create_key", {
    name: "mine",
    scopes: ["socialnet.execute", "socialnet.read"],
    socialnet_account_id: agent.account.id,
  });
  const action = await agent.planned();
  await agent.person("request_action_change", { action_id: action.id, note: NOTE });
  const { status } = await agent.command("revise", { actionId: action.id, copy: "Tuesday?" }, made.body.data.key);
  assert.equal(status, 200);
  // A later edit by someone else does not hide the agent's.
  await callAs(server, member(server, { id: owner.id }), "edit_socialnet_action", {
    action_id: action.id,
    copy: "Tuesday at 10?",
  });
  const approve = (by: typeof admin) => callAs(server, by, "approve_socialnet_action", { action_id: action.id });
  assert.equal((await approve(admin)).body.code, "own_proposal");
  assert.equal((await approve(owner)).body.code, "own_proposal");
  const third = member(server, { id: "0190bbbb-0000-7000-8000-000000000003", approveOutbound: true });
  assert.equal((await approve(third)).status, 200);
});
