import assert from "node:assert/strict";
import { test } from "node:test";
import { startLocal } from "../support/events.ts";
import { Agent, MINUTE_MS, ON, reasonOf, type Underway, withAgent } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

const CLAIM_MS = 10 * MINUTE_MS;
const START_MS = 15 * MINUTE_MS;

/** Waits until the lease has been expired. */
const expired = (agent: Agent, action: Underway, status: string) =>
  until(async () => (await agent.statusOf(action)) === status);

const token = ({ id: actionId, leaseToken }: Underway) => ({ actionId, leaseToken });

test("a claim lasts ten minutes to the millisecond: then its token starts nothing, and the action is free", async (t) => {
  const agent = await withAgent(t);
  const [kept, lost] = [await agent.claimed(), await agent.claimed()];
  agent.clock.advance(CLAIM_MS - 1);
  await agent.start(kept);
  assert.deepEqual(await agent.refusal("claim", { actionId: lost.id }), ["already_claimed"]);
  agent.clock.advance(1);
  assert.deepEqual(await agent.refusal("start", token(lost)), ["stale_claim"]);
  assert.equal((await agent.claim(lost)).id, lost.id, "free at once, whether or not the reaper has come by");
  assert.deepEqual(await agent.refusal("start", token(lost)), ["stale_claim"], "the first token stays over");
});

test("the reaper frees actions claimed but never started, and the old token is still invalid", async (t) => {
  const agent = await withAgent(t);
  const lost = await agent.claimed();
  agent.clock.advance(CLAIM_MS);
  await expired(agent, lost, "approved");
  const shown = await agent.look(lost);
  assert.deepEqual([shown.lease_expires_at, shown.blocked_by], [null, null]);
  assert.deepEqual(await agent.refusal("start", token(lost)), ["stale_claim"]);
  assert.deepEqual(reasonOf(await agent.result(lost, "message_sent")), ["stale_claim"]);
  await agent.start(await agent.claim(lost));
});

test("a start extends the lease to fifteen minutes from then", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.claimed();
  agent.clock.advance(CLAIM_MS - 1);
  await agent.start(action);
  agent.clock.advance(START_MS - 1);
  const { data } = (await agent.result(action, "message_sent")).body;
  assert.equal(data.status, "completed");
});

test("a started action without a result needs a person, is never claimed again, and a late report settles it", async (t) => {
  const agent = await withAgent(t);
  for (const [outcome, status] of [
    ["message_sent", "completed"],
    ["not_sent", "failed"],
    ["captcha", "approved"],
    ["outcome_unknown", "needs_review"],
  ] as const) {
    const action = await agent.started();
    agent.clock.advance(START_MS);
    await expired(agent, action, "needs_review");
    assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["already_started"]);
    const { data } = (await agent.result(action, outcome)).body;
    assert.deepEqual([data.status, await agent.statusOf(action)], [status, status]);
    await agent.heartbeat();
  }
});

test("a report after fifteen minutes counts, before or after the reaper has run", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.started();
  agent.clock.advance(START_MS);
  const { data } = (await agent.result(action, "message_sent")).body;
  assert.equal(data.status, "completed");
});

test("after a person has marked the outcome, a late report conflicts; one that says sent prevents a resend", async (t) => {
  const agent = await withAgent(t);
  for (const [outcome, status] of [
    ["sent", "completed"],
    ["not_sent", "failed"],
    ["retry", "approved"],
  ] as const) {
    const action = await agent.started();
    agent.clock.advance(START_MS);
    await expired(agent, action, "needs_review");
    await agent.person("settle_socialnet_action", { action_id: action.id, outcome });
    for (const reported of ["message_sent", "not_sent", "message_sent"]) {
      assert.deepEqual(reasonOf(await agent.result(action, reported)), ["conflicting_result"]);
    }
    assert.equal(await agent.statusOf(action), outcome === "retry" ? "held" : status);
  }
});

test("a lease survives a restart of the server, and then expires", async (t) => {
  const first = await withAgent(t);
  const action = await first.claimed();
  await first.server.running.close();
  const server = await startLocal(t, { clock: first.clock, folder: first.server.folder, env: ON });
  const agent = new Agent(server, first.clock, first.account, first.key);
  await agent.start(action);
  agent.clock.advance(START_MS);
  await expired(agent, action, "needs_review");
});

test("the result of an earlier attempt does not settle a lost one", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.started();
  await agent.result(action, "captcha");
  await agent.heartbeat();
  assert.equal((await agent.look(action)).outcome, "captcha");
  const again = await agent.claim(action);
  assert.equal((await agent.start(again)).action.outcome, null);
  agent.clock.advance(START_MS);
  await expired(agent, action, "needs_review");
  assert.equal((await agent.look(action)).outcome, null);
});
