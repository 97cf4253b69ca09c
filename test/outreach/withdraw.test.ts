import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { newCard, newPost } from "../support/checklist.ts";
import { callAs, member } from "../support/member.ts";
import { audited } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const takes = (kind: "document" | "social_post") =>
  shippedCatalog().items.find((item) => acceptedOutputKinds(item).includes(kind))?.id ?? "";

test("an approved action that no agent has claimed is taken back, and has to be approved again", async (t) => {
  const agent = await withAgent(t);
  const [action, claimed] = [await agent.approved(), await agent.claimed()];
  const taken = await agent.person("withdraw_socialnet_action", { action_id: action.id, note: "Too early." });
  assert.deepEqual([taken.status, taken.approved_by, taken.note], ["planned", null, "Too early."]);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["not_approved"]);
  const [row] = await audited(agent.server, "withdraw_socialnet_action");
  assert.deepEqual([row.before.status, row.after.status], ["approved", "planned"]);
  for (const { id } of [action, claimed]) {
    const again = agent.person("withdraw_socialnet_action", { action_id: id });
    await assert.rejects(again, { code: "action_not_movable" });
  }
  const rep = await callAs(agent.server, member(agent.server), "withdraw_socialnet_action", { action_id: action.id });
  assert.equal(rep.status, 403);
});

test("on an automatic account an action that is taken back is on hold, and no key gets it", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const action = await agent.planned();
  const taken = await agent.person("withdraw_socialnet_action", { action_id: action.id });
  assert.deepEqual([taken.status, taken.approved_at], ["held", null]);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["held"]);
});

test("an approved card is taken back with the mark that it left, and waits for a decision again", async (t) => {
  const server = await startServer(t);
  const item_id = takes("document");
  const statusOf = async () => {
    const { body } = await server.rest("GET", `/social/checklist/items/${item_id}/context`);
    return body.data.status.status;
  };
  const card_id = await newCard(server, item_id);
  await server.operator("decide_card", { card_id, decision: "approve" });
  assert.equal(await statusOf(), "done");
  const card = await server.operator("withdraw_card", { card_id, note: "Wrong version." });
  assert.deepEqual([card.status, card.decided_at], ["pending", null]);
  assert.notEqual(await statusOf(), "done");
  const [row] = await audited(server, "withdraw_card");
  assert.deepEqual([row.before.status, row.after.status, row.after.note], ["approved", "pending", "Wrong version."]);
  await assert.rejects(server.operator("withdraw_card", { card_id }), { code: "card_waiting" });
  await server.operator("decide_card", { card_id, decision: "deny" });
  await assert.rejects(server.operator("withdraw_card", { card_id }), { code: "version_conflict" });
});

test("an approved post is taken back until it is published, with its time", async (t) => {
  const server = await startServer(t);
  const post_id = await newPost(server, takes("social_post"));
  const scheduled_for = new Date(Date.now() + 86_400_000).toISOString();
  await server.operator("decide_post", { post_id, decision: "approve", scheduled_for });
  const post = await server.operator("withdraw_post", { post_id });
  assert.deepEqual([post.status, post.scheduled_for], ["needs_review", null]);
  await server.operator("decide_post", { post_id, decision: "approve" });
  await server.operator("mark_post", { post_id, status: "published" });
  await assert.rejects(server.operator("withdraw_post", { post_id }), { code: "version_conflict" });
});

test("a workspace may forbid approving one's own proposals: that holds for the server operator too, and for audiences", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const action = await agent.planned();
  await server.operator("set_own_proposals", { own_proposals: "forbidden" });
  await assert.rejects(agent.person("approve_socialnet_action", { action_id: action.id }), { code: "own_proposal" });
  const other = member(server, { approveOutbound: true });
  assert.equal((await callAs(server, other, "approve_socialnet_action", { action_id: action.id })).status, 200);
  const flag = { action_id: action.id, own_proposal: true };
  assert.equal((await callAs(server, other, "approve_socialnet_action", flag)).status, 400, "no flag on decisions");
  assert.equal((await server.operator("get_workspace", {})).own_proposals, "forbidden");
});
