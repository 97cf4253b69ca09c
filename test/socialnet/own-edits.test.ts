import assert from "node:assert/strict";
import { test } from "node:test";
import { callAs, member } from "../support/member.ts";
import { withAgent } from "../support/socialnet.ts";

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
