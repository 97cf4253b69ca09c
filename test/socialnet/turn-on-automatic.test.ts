import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_READ_ACTIONS } from "../../src/domain/socialnet/account.ts";
import { planAction } from "../../src/services/socialnet/plan-action.ts";
import type { SocialnetAccountRow } from "../../src/store/socialnet.ts";
import { callAs, member } from "../support/member.ts";
import { audited } from "../support/sequences.ts";
import { type Agent, systemOf, type Underway, withAgent } from "../support/socialnet.ts";

const GRACE = {
  id: "0190bbbb-0000-7000-8000-000000000002",
  name: "Grace",
  role: "admin",
  approveOutbound: true,
} as const;
const ALAN = { ...GRACE, id: "0190bbbb-0000-7000-8000-000000000003", name: "Alan" } as const;

const preview = (agent: Agent) => agent.person("preview_automatic_mode", { account_id: agent.account.id });
const hashesOf = ({ approved }: any): Record<string, string> =>
  Object.fromEntries(approved.map(({ id, copy_hash }: any) => [id, copy_hash]));
const turnOn = (agent: Agent, more: object = {}) =>
  agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic", ...more });

/** Plans an action as a member, and returns its id. */
async function planAs(agent: Agent, who: typeof GRACE | typeof ALAN): Promise<Underway> {
  const contact = await agent.contact();
  const input = { account_id: agent.account.id, contact_id: contact.id, kind: "message", copy: "Hello." };
  const { status, body, text } = await callAs(agent.server, member(agent.server, who), "plan_socialnet_action", input);
  assert.equal(status, 200, text);
  return { id: body.data.id, contact, leaseToken: "" };
}

test("while own proposals are forbidden, turning on automatic leaves the caller's own for a teammate", async (t) => {
  const agent = await withAgent(t);
  const { server, account } = agent;
  await agent.person("set_own_proposals", { own_proposals: "forbidden" });
  const [grace, alan] = [member(server, GRACE), member(server, ALAN)];
  const [planned, edited, others] = [await planAs(agent, GRACE), await planAs(agent, ALAN), await planAs(agent, ALAN)];
  await callAs(server, grace, "edit_socialnet_action", { action_id: edited.id, copy: "Edited by Grace." });
  const shown = await callAs(server, grace, "preview_automatic_mode", { account_id: account.id });
  assert.deepEqual(Object.keys(hashesOf(shown.body.data)), [others.id]);
  assert.deepEqual([shown.body.data.planned_count, shown.body.data.needs_review_count], [3, 2]);
  const input = { account_id: account.id, automation_mode: "automatic" };
  assert.equal((await callAs(server, grace, "update_socialnet_account", input)).status, 200);
  for (const own of [planned, edited]) {
    assert.equal(await agent.statusOf(own), "planned");
    assert.deepEqual(await agent.refusal("claim", { actionId: own.id }), ["not_approved"]);
    const refused = await callAs(server, grace, "approve_socialnet_action", { action_id: own.id });
    assert.equal(refused.body.code, "own_proposal");
  }
  await agent.claim(others);
  assert.equal((await callAs(server, alan, "approve_socialnet_action", { action_id: planned.id })).status, 200);
  await agent.claim(planned);
});

test("if own proposals are allowed, the audit says which of the approved were the caller's own", async (t) => {
  const agent = await withAgent(t);
  const [own, others] = [await planAs(agent, GRACE), await planAs(agent, ALAN)];
  const input = { account_id: agent.account.id, automation_mode: "automatic" };
  await callAs(agent.server, member(agent.server, GRACE), "update_socialnet_account", input);
  const rows = (await audited(agent.server, "update_socialnet_account")).filter(
    ({ after }: any) => after?.move === "approve",
  );
  const recorded = new Map(rows.map(({ record_id, after }: any) => [record_id, after.own_proposal]));
  assert.deepEqual([recorded.get(own.id), recorded.get(others.id)], [true, undefined]);
});

test("turning on automatic with hashes approves exactly what was read", async (t) => {
  const agent = await withAgent(t);
  const [one, other] = [await agent.planned(), await agent.planned()];
  const read = await preview(agent);
  assert.deepEqual(Object.keys(hashesOf(read)).sort(), [one.id, other.id].sort());
  assert.deepEqual([read.planned_count, read.needs_review_count], [2, 0]);
  assert.equal(hashesOf(read)[one.id], (await agent.look(one)).copy_hash);
  await turnOn(agent, { copy_hashes: hashesOf(read) });
  assert.deepEqual([await agent.statusOf(one), await agent.statusOf(other)], ["approved", "approved"]);
  await turnOn(agent, { copy_hashes: {}, label: "On already" });
});

type Change = (agent: Agent, action: Underway) => Promise<Underway>;
const CHANGES: Record<string, Change> = {
  "was edited": async (agent, action) => {
    await agent.person("edit_socialnet_action", { action_id: action.id, copy: "Never read." });
    return action;
  },
  "was planned": (agent) => agent.planned(),
  "was canceled": async (agent, action) => {
    await agent.person("cancel_socialnet_action", { action_id: action.id });
    return action;
  },
  "has another recipient": async (agent, action) => {
    const body = { socialnet_url: `${action.contact.socialnet_url}-elsewhere` };
    await agent.server.rest("PATCH", `/contacts/${action.contact.id}`, { body });
    return action;
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`an action that ${what} since keeps automatic mode off, and is named`, async (t) => {
    const agent = await withAgent(t);
    const unchanged = await agent.planned();
    const action = await agent.planned();
    const read = hashesOf(await preview(agent));
    const changed = await change(agent, action);
    const conflict = { code: "version_conflict", extra: { changed_action_ids: [changed.id] } };
    await assert.rejects(turnOn(agent, { copy_hashes: read }), conflict);
    const account = await agent.person("get_socialnet_account", { account_id: agent.account.id });
    assert.equal(account.automation_mode, "approve_each");
    assert.equal(await agent.statusOf(unchanged), "planned");
    await turnOn(agent, { copy_hashes: hashesOf(await preview(agent)) });
    assert.equal(await agent.statusOf(unchanged), "approved");
  });
}

test("omitting the hashes approves what is planned at that moment, and an empty list with none planned means none", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.planned();
  await assert.rejects(turnOn(agent, { copy_hashes: {} }), { code: "version_conflict" });
  await turnOn(agent);
  assert.equal(await agent.statusOf(action), "approved");
});

test("with more planned actions than one call takes hashes of, the preview lists none", async (t) => {
  const agent = await withAgent(t);
  const first = await agent.planned();
  const plan = (count: number) =>
    systemOf(agent)(agent.server.workspaceId, "engine", async (ctx) => {
      const account = (await ctx.store.socialnetAccounts.find(agent.account.id)) as SocialnetAccountRow;
      for (let made = 0; made < count; made++) {
        await planAction(ctx, account, {
          contactId: first.contact.id,
          kind: "message",
          origin: "member",
          copy: `Hello ${made}.`,
          campaign: null,
          recipientUrl: first.contact.socialnet_url,
          enrollmentId: null,
          sequenceId: null,
          step: null,
          stepCount: null,
        });
      }
    });
  await plan(MAX_READ_ACTIONS - 1);
  const most = await preview(agent);
  assert.deepEqual(
    [most.planned_count, most.approved.length, most.needs_review_count],
    [MAX_READ_ACTIONS, MAX_READ_ACTIONS, 0],
  );
  await plan(1);
  assert.deepEqual(await preview(agent), {
    planned_count: MAX_READ_ACTIONS + 1,
    approved: [],
    needs_review_count: null,
  });
  const stale = turnOn(agent, { copy_hashes: hashesOf(most) });
  await assert.rejects(stale, { code: "version_conflict" });
});

const CORRECTED = "https://socialnet.example/in/corrected";

/** What someone who can't approve does to an action that was left for a person. */
const REP_CHANGES: Record<string, (agent: Agent, action: { id: string; contact: { id: string } }) => Promise<any>> = {
  "corrects its profile": (agent, { contact }) =>
    callAs(agent.server, member(agent.server), "update_contact", { id: contact.id, socialnet_url: CORRECTED }),
  "edits it": (agent, { id }) =>
    callAs(agent.server, member(agent.server), "edit_socialnet_action", { action_id: id, copy: "Edited." }),
};

for (const [how, change] of Object.entries(REP_CHANGES)) {
  test(`an action left for a person stays planned if a rep ${how}`, async (t) => {
    const agent = await withAgent(t);
    const action = await agent.planned();
    await agent.server.operator("set_own_proposals", { own_proposals: "forbidden" });
    await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
    assert.equal((await agent.look(action)).status, "planned");
    const { status, text } = await change(agent, action);
    assert.equal(status, 200, text);
    assert.equal((await agent.look(action)).status, "planned");
    assert.equal((await agent.command("claim", { actionId: action.id })).status, 409);
  });

  test(`an action that returned unsent after automatic mode was turned off stays planned if a rep ${how}`, async (t) => {
    const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
    const action = await agent.claim(await agent.planned());
    await agent.start(action);
    for (const automation_mode of ["approve_each", "automatic"]) {
      await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode });
    }
    assert.equal((await agent.result(action, "captcha")).status, 200);
    const { status, text } = await change(agent, action);
    assert.equal(status, 200, text);
    assert.equal((await agent.look(action)).status, "planned");
  });
}
