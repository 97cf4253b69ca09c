import assert from "node:assert/strict";
import { test } from "node:test";
import { expireLease } from "../../src/services/socialnet/actions.ts";
import type { ActionRow } from "../../src/store/socialnet.ts";
import { rowsOf } from "../support/outbox.ts";
import type { Reply } from "../support/server.ts";
import { Agent, iso, MINUTE_MS, systemOf, type Underway, withAgent } from "../support/socialnet.ts";

const times = <T>(count: number, job: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => job(i)));

/** The number of answers per status and reason. */
function tally(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, text } of replies) {
    const said = status === 200 ? "200" : `${status} ${JSON.parse(text).reason}`;
    counts[said] = (counts[said] ?? 0) + 1;
  }
  return counts;
}

const startOf = (agent: Agent, { id: actionId, leaseToken }: Underway) =>
  agent.command("start", { actionId, leaseToken });

test("of fifty racing claims of one action one succeeds, and of fifty racing starts of it one", async (t) => {
  const agent = await withAgent(t);
  const { id: actionId, contact } = await agent.approved();
  const claims = await times(50, () => agent.command("claim", { actionId }));
  assert.deepEqual(tally(claims), { 200: 1, "409 already_claimed": 49 });
  const [won] = claims.filter(({ status }) => status === 200);
  const leaseToken = won?.body.data.leaseToken;
  const starts = await times(50, () => startOf(agent, { id: actionId, leaseToken, contact }));
  assert.deepEqual(tally(starts), { 200: 1, "409 already_started": 49 });
  assert.equal(rowsOf(agent.server, "SELECT count(*) AS n FROM socialnet_starts")[0].n, 1);
});

test("of claims racing for an action with an expired lease, and its expiry, exactly one succeeds", async (t) => {
  const agent = await withAgent(t);
  const { id: actionId, contact } = await agent.claimed();
  agent.clock.advance(10 * MINUTE_MS);
  // What the expiry does with an action that expired before any of the claims.
  const found = await agent.server.running.store.read(agent.server.workspaceId).socialnetActions.find(actionId);
  assert.equal(found?.status, "claimed");
  const expire = () =>
    systemOf(agent)(agent.server.workspaceId, "reap_leases", (ctx) => expireLease(ctx, found as ActionRow));
  let racing = true;
  const expiry = (async () => {
    let freed = 0;
    let runs = 0;
    for (; racing; runs++) if ((await expire()) !== undefined) freed += 1;
    return { freed, runs };
  })();
  const claims = await times(30, () => agent.command("claim", { actionId }));
  racing = false;
  const { freed, runs } = await expiry;
  assert.ok(freed <= 1 && runs > 1, `freed ${freed} times in ${runs} runs`);
  assert.deepEqual(tally(claims), { 200: 1, "409 already_claimed": 29 });
  const { status, lease_expires_at } = await agent.look({ id: actionId, contact, leaseToken: "" });
  assert.deepEqual([status, lease_expires_at], ["claimed", iso(agent.clock.now() + 10 * MINUTE_MS)]);
});

test("of forty racing starts under a daily limit of five, five succeed, and the plan's seven hold over all accounts", async (t) => {
  const limited = { daily_limits: { connection_requests: 5, messages: 5 } };
  const one = await withAgent(t, { account: limited });
  const profile_url = "https://socialnet.example/in/other";
  const other = await Agent.of(one.server, one.clock, { ...limited, profile_url });
  await other.heartbeat();
  await one.person("set_plan", { socialnet_allowance: 7 });
  const contact = await one.contact();
  const claimed = async (agent: Agent) => {
    const actions: Underway[] = [];
    for (let i = 0; i < 40; i++) actions.push(await agent.claimed({ contact }));
    return actions;
  };
  const [mine, theirs] = [await claimed(one), await claimed(other)];
  const first = await Promise.all(mine.map((action) => startOf(one, action)));
  assert.deepEqual(tally(first), { 200: 5, "409 daily_limit": 35 });
  const second = await Promise.all(theirs.map((action) => startOf(other, action)));
  assert.deepEqual(tally(second), { 200: 2, "409 plan_quota": 38 });
  const ledger = rowsOf(one.server, "SELECT account_id, count(*) AS n FROM socialnet_starts GROUP BY account_id");
  const started = Object.fromEntries(ledger.map(({ account_id, n }) => [account_id, n]));
  assert.deepEqual(started, { [one.account.id]: 5, [other.account.id]: 2 });
  const remaining = async (agent: Agent) => (await agent.done("brief")).remaining;
  assert.deepEqual(await remaining(one), { connectionRequests: 5, messages: 0, planMonth: 0 });
  assert.deepEqual(await remaining(other), { connectionRequests: 5, messages: 3, planMonth: 0 });
  for (const agent of [one, other]) {
    const rows = await agent.person("list_planned_actions", { account_id: agent.account.id, status: "started" });
    assert.equal(rows.length, started[agent.account.id], "the ledger's actions are as many as its starts");
  }
});

test("two accounts racing for the last of the plan do not exceed it", async (t) => {
  const one = await withAgent(t);
  const other = await Agent.of(one.server, one.clock, { profile_url: "https://socialnet.example/in/other" });
  await other.heartbeat();
  await one.person("set_plan", { socialnet_allowance: 7 });
  const contact = await one.contact();
  const racing: (() => Promise<Reply>)[] = [];
  for (let i = 0; i < 10; i++) {
    for (const agent of [one, other]) {
      const action = await agent.claimed({ contact });
      racing.push(() => startOf(agent, action));
    }
  }
  assert.deepEqual(tally(await Promise.all(racing.map((start) => start()))), { 200: 7, "409 plan_quota": 13 });
});

test("an edit racing with a claim and a start never sends text other than what was approved", async (t) => {
  const agent = await withAgent(t);
  for (let round = 0; round < 10; round++) {
    const action = await agent.approved({ copy: "Approved." });
    const go = async () => {
      const reply = await agent.command("claim", { actionId: action.id });
      return reply.status === 200 ? startOf(agent, { ...action, leaseToken: reply.body.data.leaseToken }) : reply;
    };
    const edit = agent
      .person("edit_socialnet_action", { action_id: action.id, copy: "Edited." })
      .catch((error) => error);
    const [reply] = await Promise.all([go(), edit]);
    const { status, copy } = await agent.look(action);
    if (reply.status === 200)
      assert.deepEqual([reply.body.data.copy, status, copy], ["Approved.", "started", "Approved."]);
    else assert.deepEqual([status, copy], ["planned", "Edited."], reply.text);
  }
});

test("of racing results with two outcomes one settles, and the other conflicts", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.started();
  const replies = await times(20, (i) => agent.result(action, i % 2 === 0 ? "message_sent" : "not_sent"));
  assert.deepEqual(tally(replies), { 200: 10, "409 conflicting_result": 10 });
  assert.equal(new Set(replies.filter(({ status }) => status === 200).map(({ text }) => text)).size, 1);
});

test("of racing syncs of one observation one is recorded", async (t) => {
  const agent = await withAgent(t);
  const { socialnet_url: profileUrl, id } = await agent.contact();
  const seen = { kind: "reply", profileUrl, observedAt: "2026-11-20T08:00:00Z", externalKey: "k" };
  const answers = await times(20, () => agent.done("sync", { observations: [seen] }));
  assert.equal(answers.filter(({ results }) => results[0].status === "recorded").length, 1);
  assert.equal((await agent.brain({ id })).activities.length, 1);
});
