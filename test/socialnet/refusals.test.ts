import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { ActionStatus } from "../../src/domain/socialnet/action.ts";
import { driveEngine, onTheWay } from "../support/engine.ts";
import { startServer } from "../support/server.ts";
import { Agent, DAY_MS, EVIDENCE, engineAction, MINUTE_MS, ON, withAgent } from "../support/socialnet.ts";

const HOUR_MS = 60 * MINUTE_MS;

/** The answers of each status to a claim, and to start and result with the token of its claim. */
const BY_STATUS: Record<ActionStatus, { claim: string | null; start: string | null; result: string | null }> = {
  planned: { claim: "not_approved", start: "not_approved", result: "stale_claim" },
  approved: { claim: null, start: "stale_claim", result: "stale_claim" },
  claimed: { claim: "already_claimed", start: null, result: "not_started" },
  started: { claim: "already_started", start: "already_started", result: null },
  needs_review: { claim: "already_started", start: "already_started", result: null },
  held: { claim: "held", start: "held", result: "held" },
  completed: { claim: "already_started", start: "already_started", result: null },
  failed: { claim: "already_started", start: "already_started", result: null },
  cancelled: { claim: "cancelled", start: "cancelled", result: "cancelled" },
};
const REPORTED: Partial<Record<ActionStatus, string>> = { completed: "message_sent", failed: "not_sent" };

for (const [status, answers] of Object.entries(BY_STATUS) as [ActionStatus, (typeof BY_STATUS)[ActionStatus]][]) {
  test(`an action that is ${status} refuses claim, start and result with its status`, async (t) => {
    const agent = await withAgent(t);
    const outcome = REPORTED[status] ?? "outcome_unknown";
    for (const command of ["claim", "start", "result"] as const) {
      const { id: actionId, leaseToken } = await agent.at(status);
      const token = { actionId, leaseToken: leaseToken || randomUUID() };
      const fields = { claim: { actionId }, start: token, result: { ...token, outcome, evidence: EVIDENCE } }[command];
      if (answers[command] === null) await agent.done(command, fields);
      else assert.deepEqual(await agent.refusal(command, fields), [answers[command]], command);
    }
  });
}

test("an unknown token is refused in every status of the action", async (t) => {
  const agent = await withAgent(t);
  for (const status of ["approved", "claimed", "started", "needs_review", "completed", "failed"] as const) {
    const { id: actionId } = await agent.at(status);
    const fields = { actionId, leaseToken: randomUUID() };
    assert.deepEqual(await agent.refusal("start", fields), ["stale_claim"], status);
    const report = { ...fields, outcome: "not_sent", evidence: EVIDENCE };
    assert.deepEqual(await agent.refusal("result", report), ["stale_claim"], status);
  }
});

test("a claim reports the first of all blocks, in their order, and when time resolves it", async (t) => {
  const agent = await withAgent(t);
  const { account, clock } = agent;
  const change = (settings: object) =>
    agent.person("update_socialnet_account", { account_id: account.id, ...settings });
  await agent.result(await agent.started(), "rate_limited");
  const action = await engineAction(agent);
  const { id: actionId } = action;
  const claim = () => agent.refusal("claim", { actionId });

  const saturday = [{ days: [6], from: "10:00", to: "12:00" }];
  await change({ automation_mode: "off", windows: saturday, daily_limits: { connection_requests: 0, messages: 1 } });
  await agent.person("set_plan", { socialnet_allowance: 1 });
  await agent.person("pause_outreach", { reason: "test" });
  await agent.heartbeat("captcha");

  assert.deepEqual(await claim(), ["not_approved"]);
  await agent.person("approve_socialnet_action", { action_id: actionId });
  await agent.person("hold_socialnet_action", { action_id: actionId });
  assert.deepEqual(await claim(), ["held"]);
  await agent.person("release_socialnet_action", { action_id: actionId });
  const setSequence = (status: string) =>
    agent.person("set_sequence_status", { sequence_id: action.sequence.id, status });
  await setSequence("paused");
  assert.deepEqual(await claim(), ["held"], "a pause of its sequence");
  await setSequence("active");
  assert.deepEqual(await claim(), ["session_not_ready"]);
  await agent.heartbeat();
  assert.deepEqual(await claim(), ["account_held"], "a pause: nobody knows until when");
  await agent.person("resume_outreach", {});
  assert.deepEqual(
    await claim(),
    ["account_held", "2026-11-21T10:00:00.000Z"],
    "a limit of the network, and then a window",
  );
  clock.advance(15 * HOUR_MS);
  assert.deepEqual(await claim(), ["automation_off"]);
  await change({ automation_mode: "approve_each" });
  assert.deepEqual(await claim(), ["outside_window", "2026-11-21T10:00:00.000Z"]);
  clock.advance(10 * HOUR_MS);
  await change({ daily_limits: { messages: 0 } });
  assert.deepEqual(await claim(), ["daily_limit"], "a limit of nothing is the same tomorrow");
  await change({ daily_limits: { messages: 1 } });
  assert.deepEqual(await claim(), ["plan_quota", "2026-12-05T10:00:00.000Z"], "the first window of the next month");
  await agent.person("set_plan", { socialnet_allowance: 2 });
  await agent.claim(action);
});

test("start checks everything again, and the claim stays for when the block ends", async (t) => {
  const agent = await withAgent(t);
  const change = (settings: object) =>
    agent.person("update_socialnet_account", { account_id: agent.account.id, ...settings });
  const engine = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: engine.id });
  const action = await agent.claim(engine);
  const limits = (messages: number) => change({ daily_limits: { connection_requests: 20, messages } });
  const monday = { windows: [{ days: [1], from: "10:00", to: "12:00" }] };
  const setSequence = (status: string) =>
    agent.person("set_sequence_status", { sequence_id: engine.sequence.id, status });
  const gates: [reason: string[], shut: () => Promise<unknown>, open: () => Promise<unknown>][] = [
    ...["paused", "draft", "archived"].map((status): (typeof gates)[number] => [
      ["held"],
      () => setSequence(status),
      () => setSequence("active"),
    ]),
    [["session_not_ready"], () => agent.heartbeat("login_required"), () => agent.heartbeat()],
    [
      ["account_held"],
      () => agent.person("pause_outreach", { reason: "x" }),
      () => agent.person("resume_outreach", {}),
    ],
    [["automation_off"], () => change({ automation_mode: "off" }), () => change({ automation_mode: "approve_each" })],
    [["outside_window", "2026-11-23T10:00:00.000Z"], () => change(monday), () => change({ windows: [] })],
    [["daily_limit"], () => limits(0), () => limits(1)],
    [
      ["plan_quota"],
      () => agent.person("set_plan", { socialnet_allowance: 0 }),
      () => agent.person("set_plan", { socialnet_allowance: null }),
    ],
  ];
  for (const [reason, shut, open] of gates) {
    await shut();
    const fields = { actionId: action.id, leaseToken: action.leaseToken };
    assert.deepEqual(await agent.refusal("start", fields), reason);
    assert.equal(await agent.statusOf(action), "claimed");
    await open();
  }
  await agent.start(action);
});

for (const mode of ["approve_each", "automatic"]) {
  test(`an action of a paused sequence is not given to any agent or counted as work: ${mode}`, async (t) => {
    const driven = await driveEngine(t);
    const agent = await Agent.of(driven.server, driven.clock, { automation_mode: mode });
    await agent.heartbeat();
    const steps = [{ type: "socialnet_message", body: "Hello.", delay_days: 0 }];
    const profile = { socialnet_url: "https://socialnet.example/in/grace" };
    const { sequence } = await onTheWay(driven.server, steps, profile);
    await driven.run();
    const [{ id: action_id }] = await agent.person("list_planned_actions", {});
    if (mode === "approve_each") await agent.person("approve_socialnet_action", { action_id });
    const member = mode === "automatic" ? await agent.planned() : await agent.approved();
    const seen = async () => {
      const { claimable, notClaimable } = await agent.done("brief");
      const listed = await driven.server.rest("GET", "/socialnet/actions", { key: agent.key });
      const { blockedBy } = listed.body.data.find(({ id }: any) => id === action_id);
      const account = await agent.person("get_socialnet_account", { account_id: agent.account.id });
      assert.equal(account.claimable, claimable);
      assert.deepEqual((await agent.person("get_planned_action", { action_id })).blocked_by?.reason, blockedBy?.reason);
      return [claimable, notClaimable.map(({ reason }: any) => reason), blockedBy?.reason];
    };
    assert.deepEqual(await seen(), [2, [], undefined]);
    for (const status of ["paused", "draft", "archived"]) {
      await agent.person("set_sequence_status", { sequence_id: sequence.id, status });
      const { text } = await agent.command("claim", { actionId: action_id });
      assert.match(JSON.parse(text).error, /sequence is paused.*teammate can activate the sequence in the console/);
      assert.deepEqual(await agent.refusal("claim", { actionId: action_id }), ["held"]);
      assert.deepEqual(await seen(), [1, [], "held"], "a member's own action is not of the sequence");
    }
    await agent.start(await agent.claim(member));
    assert.deepEqual(await seen(), [0, ["held"], "held"]);
    await agent.person("set_sequence_status", { sequence_id: sequence.id, status: "active" });
    assert.deepEqual(await seen(), [1, [], undefined]);
    await agent.done("claim", { actionId: action_id });
  });
}

test("a closed outbound gate blocks everything, also what was approved or claimed while it was open", async (t) => {
  const open = await withAgent(t);
  const engine = await engineAction(open);
  await open.person("approve_socialnet_action", { action_id: engine.id });
  const [member, claimed] = [await open.approved(), await open.claimed()];
  const { folder } = open.server;
  await open.server.running.close();
  const closed = await startServer(t, { folder, clock: open.clock, env: { ...ON, ROSTRUM_OUTBOUND_GATE: "closed" } });
  const agent = new Agent(closed, open.clock, open.account, open.key);
  for (const { id } of [engine, member])
    assert.deepEqual(await agent.refusal("claim", { actionId: id }), ["account_held"]);
  const { id: actionId, leaseToken } = claimed;
  assert.deepEqual(await agent.refusal("start", { actionId, leaseToken }), ["account_held"]);
  const { claimable, notClaimable, holds } = await agent.done("brief");
  assert.equal(claimable, 0);
  const fix = "Sending is off on this server. The server admin can set ROSTRUM_OUTBOUND_GATE=open.";
  assert.deepEqual(notClaimable, [{ reason: "account_held", nextWindowAt: null, fix }]);
  assert.deepEqual(holds, [{ reason: "outbound_gate_closed", until: null, fix }]);
});

test("sending hours and mode apply only to the engine's actions; limits, session and plan apply to a member's too", async (t) => {
  const shut = [{ days: [1], from: "10:00", to: "12:00" }];
  const agent = await withAgent(t, { account: { automation_mode: "off", windows: shut } });
  await agent.start(await agent.claimed());
  const waiting = await agent.approved();
  await agent.heartbeat("restricted");
  assert.deepEqual(await agent.refusal("claim", { actionId: waiting.id }), ["session_not_ready"]);
  await agent.heartbeat();
  const id = { account_id: agent.account.id };
  await agent.person("update_socialnet_account", { ...id, daily_limits: { connection_requests: 9, messages: 1 } });
  assert.deepEqual(await agent.refusal("claim", { actionId: waiting.id }), ["daily_limit", "2026-11-21T00:00:00.000Z"]);
  await agent.claimed({ kind: "connection_request", copy: "" });
});

test("after a used-up limit the engine continues in the next day's sending hours, and a member on the next day", async (t) => {
  const windows = [{ days: [1, 2, 3, 4, 5], from: "10:00", to: "12:00" }];
  const agent = await withAgent(t, { account: { windows, daily_limits: { messages: 1 } } });
  agent.clock.advance(HOUR_MS);
  const engine = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: engine.id });
  const member = await agent.approved();
  await agent.started();
  const said = [engine, member].map(({ id }) => agent.refusal("claim", { actionId: id }));
  assert.deepEqual(await Promise.all(said), [
    ["daily_limit", "2026-11-23T10:00:00.000Z"],
    ["daily_limit", "2026-11-21T00:00:00.000Z"],
  ]);
});

test("days and months follow the account's time zone", async (t) => {
  // 23:30 on November 30 in Auckland, which is 13 hours ahead in summer.
  const agent = await withAgent(t, {
    account: { time_zone: "Pacific/Auckland", daily_limits: { connection_requests: 1, messages: 1 } },
  });
  agent.clock.advance(Date.UTC(2026, 10, 30, 10, 30) - agent.clock.now());
  await agent.person("set_plan", { socialnet_allowance: 1 });
  await agent.started();
  const { id: actionId } = await agent.approved();
  assert.deepEqual(await agent.refusal("claim", { actionId }), ["daily_limit", "2026-11-30T11:00:00.000Z"]);
  const request = await agent.approved({ kind: "connection_request", copy: "" });
  assert.deepEqual(await agent.refusal("claim", { actionId: request.id }), ["plan_quota", "2026-11-30T11:00:00.000Z"]);
  agent.clock.advance(HOUR_MS / 2);
  await agent.done("claim", { actionId });
});

test("an outcome that blocks the account puts it on hold until a ready heartbeat, and a limit until the next day", async (t) => {
  const agent = await withAgent(t);
  for (const outcome of ["login_required", "captcha", "rate_limited"]) {
    const action = await agent.started();
    const other = await agent.approved();
    const { data } = (await agent.result(action, outcome)).body;
    assert.deepEqual([data.status, data.outcome], ["approved", outcome]);
    const limited = outcome === "rate_limited";
    const until = limited ? "2026-11-21T00:00:00.000Z" : null;
    assert.deepEqual((await agent.done("brief")).account.held, { reason: outcome, until });
    const held = limited ? ["account_held", until] : ["account_held"];
    assert.deepEqual(await agent.refusal("claim", { actionId: other.id }), held);
    const answer = await agent.heartbeat();
    assert.deepEqual(answer.account.held, limited ? { reason: outcome, until } : null);
    if (limited) agent.clock.advance(DAY_MS);
    await agent.claim(action);
    await agent.claim(other);
  }
});

test("only the account's own profile can report: another signed-in one is a mismatch, and no session of this account", async (t) => {
  const agent = await withAgent(t);
  const other = "https://socialnet.example/in/other";
  assert.deepEqual(await agent.refusal("heartbeat", { session: "captcha", profileUrl: other }), ["profile_mismatch"]);
  assert.equal((await agent.done("brief")).account.session, null);
  const same = await agent.done("heartbeat", {
    session: "ready",
    profileUrl: "HTTP://WWW.SocialNet.Example/in/ada/?a#b",
  });
  assert.equal(same.session, "ready");
});

test("read-only billing does not block agents", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.approved();
  await agent.person("set_billing", { state: "delinquent" });
  const claimed = await agent.claim(action);
  await agent.start(claimed);
  assert.equal((await agent.result(claimed, "message_sent")).status, 200);
  assert.equal((await agent.done("brief")).account.session, "ready");
});
