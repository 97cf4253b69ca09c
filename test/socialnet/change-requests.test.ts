import assert from "node:assert/strict";
import { test } from "node:test";
import { callAs, member } from "../support/member.ts";
import { engineAction, MINUTE_MS, withAgent } from "../support/socialnet.ts";

const NOTE = "Shorter, and ask one question.";

test("an action that was sent back is edited by a teammate, and a person reviews it again", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const action = await agent.planned();
  await agent.person("request_action_change", { action_id: action.id, note: NOTE });
  const { status, note, change_requested_at } = await agent.look(action);
  assert.deepEqual([status, note, change_requested_at === null], ["held", NOTE, false]);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["held"]);
  await agent.person("edit_socialnet_action", { action_id: action.id, copy: "Tuesday?" });
  const edited = await agent.look(action);
  assert.deepEqual([edited.status, edited.copy, edited.change_requested_at], ["planned", "Tuesday?", null]);

  const review = await server.operator("get_review", { kind: "action", id: action.id });
  assert.deepEqual([review.waiting, review.before.body, review.before.note], [true, "Hello.", NOTE]);
  await agent.person("approve_socialnet_action", { action_id: action.id, copy_hash: review.version });
  assert.equal((await agent.start(await agent.claim(action))).copy, "Tuesday?");
});

test("a request ends with a release or a cancellation", async (t) => {
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
  }
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

test("on an automatic account, an edited text needs an approver, no matter who planned the action", async (t) => {
  const agent = await withAgent(t);
  const both = [await engineAction(agent), await agent.planned()];
  for (const { id } of both) await agent.person("request_action_change", { action_id: id, note: NOTE });
  const { id: account_id } = agent.account;
  await agent.person("update_socialnet_account", { account_id, automation_mode: "automatic" });
  for (const { id } of both) await agent.person("edit_socialnet_action", { action_id: id, copy: "Tuesday?" });
  agent.clock.advance(10 * MINUTE_MS);
  for (const action of both) assert.equal(await agent.statusOf(action), "planned");
});

test("if another teammate must approve, no one who edited the text can approve it", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  await agent.person("set_own_proposals", { own_proposals: "forbidden" });
  const [first, second, third] = [2, 3, 4].map((n) =>
    member(server, { id: `0190bbbb-0000-7000-8000-00000000000${n}`, approveOutbound: true }),
  ) as [any, any, any];
  const { id: action_id } = await agent.planned();
  await agent.person("request_action_change", { action_id, note: NOTE });
  for (const [by, copy] of [
    [first, "Tuesday?"],
    [second, "Tuesday at 10?"],
  ]) {
    assert.equal((await callAs(server, by, "edit_socialnet_action", { action_id, copy })).status, 200);
  }
  const approve = (by: typeof first) => callAs(server, by, "approve_socialnet_action", { action_id });
  assert.equal((await approve(first)).body.code, "own_proposal");
  assert.equal((await approve(second)).body.code, "own_proposal");
  assert.equal((await approve(third)).status, 200);
});
