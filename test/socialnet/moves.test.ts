import assert from "node:assert/strict";
import { test } from "node:test";
import { callAsOperator } from "../../src/cli/operator.ts";
import { ACTION_STATUSES, type ActionMove, type ActionStatus, MOVES } from "../../src/domain/socialnet/action.ts";
import { type Agent, DAY_MS, engineAction, MINUTE_MS, type Underway, withAgent } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

/** People's operations, by the moves they make. */
const BY_PEOPLE: Record<string, { moves: ActionMove[]; input?: object; stays?: ActionStatus[] }> = {
  approve_socialnet_action: { moves: ["approve"] },
  hold_socialnet_action: { moves: ["hold"] },
  request_action_change: { moves: ["request_change"], input: { note: "Shorter." } },
  release_socialnet_action: { moves: ["release", "resume"] },
  cancel_socialnet_action: { moves: ["cancel"] },
  edit_socialnet_action: { moves: ["void_approval"], input: { copy: "Other words." }, stays: ["planned", "held"] },
  settle_socialnet_action: { moves: ["settle_sent"], input: { outcome: "sent" } },
};

for (const [operation, { moves, input = {}, stays = [] }] of Object.entries(BY_PEOPLE)) {
  test(`${operation} moves an action where the table allows it, and elsewhere refuses with the status`, async (t) => {
    const agent = await withAgent(t);
    for (const status of ACTION_STATUSES) {
      const action = await agent.at(status);
      const before = await agent.look(action);
      const given = { action_id: action.id, ...input };
      const answer = await callAsOperator(agent.server.running, operation, agent.server.workspaceId, given);
      // An action that was approved when put on hold is resumed: the table has two moves from one status.
      const [move] = [...moves].reverse().filter((candidate) => MOVES[status][candidate] !== undefined);
      const to = stays.includes(status) ? status : move && MOVES[status][move];
      const after = await agent.look(action);
      if (to === undefined) {
        const { code, error } = JSON.parse(answer.body);
        assert.deepEqual([answer.status, code], [409, "action_not_movable"], status);
        assert.match(error, new RegExp(`is ${status}\\. Only an action that is`));
        assert.deepEqual(after, before);
      } else {
        assert.deepEqual([answer.status, after.status], [200, to], `${status} ${answer.body}`);
        assert.deepEqual(JSON.parse(answer.body).data, after);
        assert.equal(after.ended_at === null, !["completed", "failed", "cancelled"].includes(to));
      }
    }
  });
}

const act =
  (operation: string, more: object = {}) =>
  (agent: Agent, { id }: Underway) =>
    agent.person(`${operation}_socialnet_action`, { action_id: id, ...more });
const report = (outcome: string) => (agent: Agent, action: Underway) => agent.result(action, outcome);

const reply = (agent: Agent, { contact }: Underway) =>
  agent.done("sync", {
    observations: [
      { kind: "reply", profileUrl: contact.socialnet_url, observedAt: "2026-11-20T09:00:00Z", externalKey: contact.id },
    ],
  });

const approvedEngine = async (agent: Agent) => {
  const action = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: action.id });
  return action;
};

/** For each move, an action ready for it, and what makes it; the recorded author if it is not the person. */
const MADE: Record<
  ActionMove,
  [ready: (agent: Agent) => Promise<Underway>, make: (agent: Agent, action: Underway) => Promise<unknown>, by?: string]
> = {
  approve: [(agent) => agent.planned(), act("approve")],
  void_approval: [(agent) => agent.approved(), act("edit", { copy: "Other words." })],
  claim: [(agent) => agent.approved(), (agent, action) => agent.claim(action), "key"],
  lapse: [(agent) => agent.claimed(), async (agent) => agent.clock.advance(10 * MINUTE_MS), "system"],
  start: [(agent) => agent.claimed(), (agent, action) => agent.start(action), "key"],
  complete: [(agent) => agent.started(), report("message_sent"), "key"],
  fail: [(agent) => agent.started(), report("not_sent"), "key"],
  turn_back: [(agent) => agent.started(), report("rate_limited"), "key"],
  lose: [(agent) => agent.started(), async (agent) => agent.clock.advance(15 * MINUTE_MS), "system"],
  settle_sent: [(agent) => agent.at("needs_review"), act("settle", { outcome: "sent", note: "why" })],
  settle_not_sent: [(agent) => agent.at("needs_review"), act("settle", { outcome: "not_sent", note: "why" })],
  settle_retry: [(agent) => agent.at("needs_review"), act("settle", { outcome: "retry", note: "why" })],
  hold: [(agent) => agent.planned(), act("hold", { note: "why" })],
  request_change: [
    (agent) => agent.planned(),
    (agent, { id }) => agent.person("request_action_change", { action_id: id, note: "Shorter." }),
  ],
  revise: [
    async (agent) => {
      const action = await agent.planned();
      await agent.person("request_action_change", { action_id: action.id, note: "Shorter." });
      return action;
    },
    (agent, { id }) => agent.person("edit_socialnet_action", { action_id: id, copy: "Hi." }),
  ],
  set_aside: [(agent) => agent.claimed(), reply, "key"],
  release: [
    async (agent) => {
      const action = await agent.planned();
      await act("hold")(agent, action);
      return action;
    },
    act("release", { note: "why" }),
  ],
  resume: [(agent) => agent.at("held"), act("release", { note: "why" })],
  cancel: [(agent) => agent.approved(), act("cancel", { note: "why" })],
  withdraw: [approvedEngine, reply, "key"],
};

for (const [move, [ready, make, by = "local_operator"]] of Object.entries(MADE) as [
  ActionMove,
  (typeof MADE)[ActionMove],
][]) {
  test(`${move} adds an audit row with the state before and after, and who did it`, async (t) => {
    const agent = await withAgent(t);
    const action = await ready(agent);
    const before = await agent.look(action);
    const audit = async () =>
      (await agent.person("list_audit", { limit: 100 })).filter((row: any) => row.record_id === action.id);
    const earlier = await audit();
    agent.clock.advance(1);
    await make(agent, action);
    await until(async () => (await audit()).length > earlier.length);
    const [row, ...rest] = await audit();
    assert.deepEqual(rest, earlier);
    const after = await agent.look(action);
    assert.equal(MOVES[before.status as ActionStatus][move], after.status);
    assert.deepEqual(
      [row.actor_kind, row.before.status, row.after.status, row.after.move],
      [by, before.status, after.status, move],
    );
    const worded = ["approve", "void_approval", "request_change", "revise"].includes(move);
    const copies = worded ? [before.copy, after.copy] : [undefined, undefined];
    assert.deepEqual([row.before.copy, row.after.copy, row.after.note], [...copies, after.note]);
    assert.equal(JSON.stringify(row).includes(action.leaseToken || "no token"), false);
  });
}

test("planning, editing without effect, and a delayed stop are audited too", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.planned();
  await act("edit", { copy: "Other words." })(agent, action);
  const late = await agent.started();
  await reply(agent, late);
  const rows = await agent.person("list_audit", { limit: 100 });
  const moves = (id: string) => rows.filter((row: any) => row.record_id === id).map((row: any) => row.after.move);
  assert.deepEqual(moves(action.id), ["edit", "plan"]);
  assert.deepEqual(moves(late.id), ["late_stop", "start", "claim", "approve", "plan"]);
});

test("a hold of the account and a resolved reconnect are audited", async (t) => {
  const agent = await withAgent(t);
  const audit = async (id: string) =>
    (await agent.person("list_audit", { limit: 100 })).find((row: any) => row.record_id === id);
  await agent.result(await agent.started(), "rate_limited");
  const held = await audit(agent.account.id);
  assert.deepEqual(
    [held.before, held.after],
    [{ held_reason: null }, { held_reason: "rate_limited", held_until: "2026-11-21T00:00:00.000Z" }],
  );
  agent.clock.advance(DAY_MS);
  const { id } = await agent.person("request_reconnect", { account_id: agent.account.id });
  await agent.done("reconnect_ack");
  await agent.heartbeat();
  assert.deepEqual((await audit(id)).after, { resolved_at: new Date(agent.clock.now()).toISOString() });
});
