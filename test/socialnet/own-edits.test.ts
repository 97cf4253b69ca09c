import assert from "node:assert/strict";
import { test } from "node:test";
import { callAs, member } from "../support/member.ts";
import { iso, withAgent } from "../support/socialnet.ts";

test("a member who edited an action can't approve it as a teammate's, however often teammates edited it later", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const grace = member(server, { approveOutbound: true });
  const alan = member(server, { id: "0190bbbb-0000-7000-8000-000000000002", name: "Alan" });
  const action_id = (await agent.planned()).id;
  await server.operator("set_own_proposals", { own_proposals: "forbidden" });
  const edits = [{ who: grace, copy: "Hello from Grace" }];
  for (let i = 0; i < 60; i++) edits.push({ who: alan, copy: `Hello from Grace ${i}` });
  for (const { who, copy } of edits)
    assert.equal((await callAs(server, who, "edit_socialnet_action", { action_id, copy })).status, 200);
  const { body } = await callAs(server, grace, "approve_socialnet_action", { action_id });
  assert.equal(body.code, "own_proposal");
  const review = await callAs(server, grace, "get_review", { kind: "action", id: action_id });
  assert.equal(review.body.data.own_proposal, true);
  const other = member(server, { id: "0190bbbb-0000-7000-8000-000000000003", name: "Eve", approveOutbound: true });
  assert.equal((await callAs(server, other, "approve_socialnet_action", { action_id })).status, 200);
});

test("a plan, an edit and a release are refused if the account has another mode than was read", async (t) => {
  const agent = await withAgent(t);
  const { account } = agent;
  const [planned, held] = [await agent.planned(), await agent.at("held")];
  const contact = await agent.contact();
  await agent.person("update_socialnet_account", { account_id: account.id, automation_mode: "automatic" });
  const plan = { account_id: account.id, contact_id: contact.id, kind: "message", copy: "Hello." };
  const calls = [
    ["plan_socialnet_action", plan],
    ["edit_socialnet_action", { action_id: planned.id, copy: "Edited." }],
    ["release_socialnet_action", { action_id: held.id }],
  ] as const;
  for (const [name, input] of calls) {
    const conflict = { code: "version_conflict", message: /^read_automation_mode is no longer/ };
    await assert.rejects(agent.person(name, { ...input, read_automation_mode: "approve_each" }), conflict);
    await agent.person(name, { ...input, read_automation_mode: "automatic" });
  }
});

test("an edit is refused if the action changed after it was read", async (t) => {
  const agent = await withAgent(t);
  const { id: action_id } = await agent.planned();
  const read = await agent.person("get_planned_action", { action_id });
  await agent.person("edit_socialnet_action", { action_id, copy: "By a teammate." });
  const edit = { action_id, copy: read.copy, copy_hash: read.copy_hash };
  await assert.rejects(agent.person("edit_socialnet_action", edit), { code: "version_conflict" });
  const { copy, copy_hash } = await agent.person("get_planned_action", { action_id });
  assert.equal(copy, "By a teammate.");
  const edited = await agent.person("edit_socialnet_action", { action_id, copy: "Mine.", copy_hash });
  assert.equal(edited.copy, "Mine.");
});

test("an edit and a release are refused if the hold or the approval changed after they were read", async (t) => {
  const agent = await withAgent(t);
  const conflict = (now: string) => ({
    code: "version_conflict",
    message: new RegExp(`^read_hold .* is now ${now}\\.`),
  });
  const release = (input: object) => agent.person("release_socialnet_action", input);
  const edit = (input: object) => agent.person("edit_socialnet_action", { ...input, copy: "Mine." });

  const { id: action_id, contact } = await agent.at("held");
  await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
  const read = { action_id, read_hold: "approved" };
  const observation = { kind: "reply", profileUrl: contact.socialnet_url, externalKey: "1" };
  await agent.done("sync", { observations: [{ ...observation, observedAt: iso(agent.clock.now()) }] });
  for (const call of [release, edit]) await assert.rejects(call(read), conflict("on hold without an approval"));
  const { status, approved_at, copy } = await agent.person("get_planned_action", { action_id });
  assert.deepEqual([status, approved_at, copy], ["held", null, "Hello."]);
  assert.equal((await release({ action_id, read_hold: "unapproved" })).status, "approved");

  // Saved on hold, the new text waits. Otherwise the account approves it.
  for (const read_hold of ["approved", "unapproved"])
    await assert.rejects(edit({ action_id, read_hold }), conflict("not on hold"));
  await agent.person("hold_socialnet_action", { action_id });
  await assert.rejects(edit({ action_id, read_hold: "none" }), conflict("on hold with an approval"));
  assert.equal((await edit({ action_id, read_hold: "approved" })).status, "held");
});
