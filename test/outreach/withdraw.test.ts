import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { DOCUMENT, newCard, newPost } from "../support/checklist.ts";
import { callAs, member } from "../support/member.ts";
import { audited } from "../support/sequences.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const takes = (kind: "document" | "social_post") =>
  shippedCatalog().items.find((item) => acceptedOutputKinds(item).includes(kind))?.id ?? "";

test("withdrawing the approval of an unclaimed action means that it needs approval again", async (t) => {
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

test("on an automatic account a withdrawn action is on hold, and no key can claim it", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const action = await agent.planned();
  const taken = await agent.person("withdraw_socialnet_action", { action_id: action.id });
  assert.deepEqual([taken.status, taken.approved_at], ["held", null]);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["held"]);
});

test("withdrawing a card's approval clears the status it set, and the card needs review again", async (t) => {
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

/** The API's view of an item, without its pending card. */
async function recordOf(server: TestServer, item_id: string) {
  const { approval_card: _, ...status } = (await server.rest("GET", `/social/checklist/items/${item_id}/context`)).body
    .data.status;
  return status;
}

const RECORDED: [of: string, record: (server: TestServer, item_id: string) => unknown][] = [
  ["nothing", () => {}],
  [
    "a member's mark",
    (server, item_id) =>
      callAs(server, member(server), "mark_checklist_item", { item_id, status: "blocked", evidence: "No owner." }),
  ],
  [
    "a member's mark with an earlier day",
    async (server, item_id) => {
      const mark = (fields: object) => callAs(server, member(server), "mark_checklist_item", { item_id, ...fields });
      await mark({ status: "done", done_on: "2026-11-01" });
      await mark({ status: "in_progress" });
    },
  ],
  [
    "marks of an agent and of the service",
    ({ running, workspaceId }, itemId) =>
      running.asSystem(workspaceId, "test", async ({ store }) => {
        const mark = { itemId, status: "done", evidence: "Seen.", updatedAt: Date.parse("2026-11-02") } as const;
        await store.checklist.recordEvidence({ ...mark, doneOn: "2026-11-02", byId: null, byName: "watcher" });
      }),
  ],
];

for (const [of, record] of RECORDED) {
  test(`withdrawing a card's approval leaves its item as it was before: ${of}`, async (t) => {
    const clock = new FakeClock();
    const server = await startServer(t, { clock });
    const item_id = takes("document");
    await record(server, item_id);
    const before = await recordOf(server, item_id);
    const card_id = await newCard(server, item_id);
    clock.advance(86_400_000);
    await server.operator("decide_card", { card_id, decision: "approve" });
    assert.notDeepEqual(await recordOf(server, item_id), before);
    clock.advance(1_000);
    await server.operator("withdraw_card", { card_id });
    assert.deepEqual(await recordOf(server, item_id), before);
  });
}

test("of two approved cards of an item, withdrawing both leaves no status, and withdrawing one keeps the other's", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const item_id = takes("document");
  const before = await recordOf(server, item_id);
  const approved = async (title: string) => {
    const card_id = await newCard(server, item_id, { ...DOCUMENT, title });
    clock.advance(1_000);
    await server.operator("decide_card", { card_id, decision: "approve" });
    return card_id;
  };
  const evidence = async () => (await recordOf(server, item_id)).evidence;
  const [first, second] = [await approved("First"), await approved("Second")];
  await server.operator("withdraw_card", { card_id: second });
  assert.equal(await evidence(), "Approved: First");
  await server.operator("decide_card", { card_id: second, decision: "approve" });
  await server.operator("withdraw_card", { card_id: first });
  assert.equal(await evidence(), "Approved: Second");
  const entry = (await server.rest("GET", `/social/checklist/items/${item_id}/context`)).body.data.status;
  assert.equal(entry.approval_card.id, first, "it waits, although a later one was decided");
  await server.operator("decide_card", { card_id: first, decision: "deny" });
  await server.operator("withdraw_card", { card_id: second });
  assert.deepEqual(await recordOf(server, item_id), before);
});

test("a mark set by a member after the approval stays, without the day of the approval", async (t) => {
  const server = await startServer(t);
  const item_id = takes("document");
  const card_id = await newCard(server, item_id);
  await server.operator("decide_card", { card_id, decision: "approve" });
  await server.operator("mark_checklist_item", { item_id, status: "blocked", evidence: "No owner." });
  await server.operator("withdraw_card", { card_id });
  const { status, evidence, last_done_on } = await recordOf(server, item_id);
  assert.deepEqual([status, evidence, last_done_on], ["blocked", "No owner.", null]);
});

test("a post's approval can be withdrawn until it is published, with its time", async (t) => {
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

test("a workspace can forbid approving own proposals, which also applies to the server operator and to audiences", async (t) => {
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

test("if own proposals are forbidden, the proposer can't release a withdrawn action on an automatic account", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const { id: action_id } = await agent.planned();
  const release = () => agent.person("release_socialnet_action", { action_id });
  await agent.person("set_own_proposals", { own_proposals: "forbidden" });
  await agent.person("hold_socialnet_action", { action_id });
  assert.equal((await release()).status, "approved", "a release of what stayed approved decides nothing");
  const other = member(agent.server, { approveOutbound: true });
  assert.equal((await callAs(agent.server, other, "withdraw_socialnet_action", { action_id })).status, 200);
  await assert.rejects(release(), { code: "own_proposal" });
  assert.deepEqual(await agent.refusal("claim", { actionId: action_id }), ["held"]);
  assert.equal((await callAs(agent.server, other, "release_socialnet_action", { action_id })).status, 200);
  await agent.claim({ id: action_id, contact: undefined, leaseToken: "" });
});

test("a retry approves again: if own proposals are forbidden, the proposer can't request it", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const lost = await agent.claim(await agent.planned());
  await agent.start(lost);
  await agent.result(lost, "outcome_unknown");
  const retry = { action_id: lost.id, outcome: "retry" };
  await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "approve_each" });
  await agent.person("set_own_proposals", { own_proposals: "forbidden" });
  await assert.rejects(agent.person("settle_socialnet_action", retry), { code: "own_proposal" });
  assert.equal(await agent.statusOf(lost), "needs_review");
  const other = member(agent.server, { approveOutbound: true });
  assert.equal((await callAs(agent.server, other, "settle_socialnet_action", retry)).status, 200);

  await agent.person("set_own_proposals", { own_proposals: "allowed" });
  const own = await agent.at("needs_review");
  await agent.person("settle_socialnet_action", { action_id: own.id, outcome: "retry" });
  const [row] = await audited(agent.server, "settle_socialnet_action");
  assert.deepEqual([row.record_id, row.after.own_proposal], [own.id, true]);
});
