import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { pruneExpired } from "../../src/workers/housekeeper.ts";
import { byDoor, signIn } from "../support/console.ts";
import { member } from "../support/member.ts";
import { followsClock } from "../support/outbox.ts";
import { type Agent, DAY_MS, iso, MINUTE_MS, SENDER, withAgent } from "../support/socialnet.ts";

const account = (agent: Agent) => agent.person("get_socialnet_account", { account_id: agent.account.id });

const run = (agent: Agent, runId: string, notes: string) => {
  const at = iso(agent.clock.now());
  const counts = { claimed: 0, completed: 0, failed: 0, synced: 0 };
  return agent.done("run_report", { runId, startedAt: at, finishedAt: at, status: "ok", ...counts, notes });
};

const measure = (agent: Agent, observationId: string, invitationsSent: number) =>
  agent.done("health_observation", {
    observation: {
      observationId,
      profileUrl: SENDER,
      observedAt: iso(agent.clock.now()),
      windowStartedAt: "2026-11-01T00:00:00Z",
      windowEndedAt: "2026-11-08T00:00:00Z",
      invitationsSent,
      invitationsAccepted: 3,
      invitationsWithdrawn: null,
      warnings: null,
      accountAgeDays: null,
      evidence: "Seen.",
    },
  });

test("a session keeps the time of its last change, and the time of the latest heartbeat", async (t) => {
  const agent = await withAgent(t);
  const began = iso(agent.clock.now());
  agent.clock.advance(MINUTE_MS);
  await agent.heartbeat();
  const ready = await account(agent);
  assert.deepEqual([ready.session_since, ready.session_at], [began, iso(agent.clock.now())]);
  agent.clock.advance(MINUTE_MS);
  await agent.heartbeat("captcha");
  const changed = iso(agent.clock.now());
  agent.clock.advance(MINUTE_MS);
  await agent.heartbeat("captcha");
  assert.equal((await account(agent)).session_since, changed);
  await agent.command("heartbeat", { session: "ready", profileUrl: "https://socialnet.example/in/else" });
  const { session, session_since } = await account(agent);
  assert.deepEqual([session, session_since], [null, iso(agent.clock.now())], "somebody else is signed in");
});

test("a hold keeps its start time through later events, and a new hold gets a new one", async (t) => {
  const agent = await withAgent(t);
  const [one, two, three] = [await agent.started(), await agent.started(), await agent.started()];
  await agent.result(one, "captcha");
  const began = iso(agent.clock.now());
  agent.clock.advance(MINUTE_MS);
  await agent.result(two, "rate_limited");
  assert.equal((await account(agent)).held_since, began);
  await agent.heartbeat();
  assert.deepEqual([(await account(agent)).held_reason, (await account(agent)).held_since], ["rate_limited", began]);
  agent.clock.advance(DAY_MS);
  assert.deepEqual([(await account(agent)).held_reason, (await account(agent)).held_since], [null, null]);
  await agent.result(three, "login_required");
  assert.equal((await account(agent)).held_since, iso(agent.clock.now()));
});

test("today's starts are shown beside what is left, even if the limit is lowered", async (t) => {
  const agent = await withAgent(t);
  await agent.started();
  await agent.started();
  await agent.person("update_socialnet_account", { account_id: agent.account.id, daily_limits: { messages: 1 } });
  const { started_today, remaining } = await account(agent);
  assert.deepEqual([started_today, remaining.messages], [{ connection_requests: 0, messages: 2 }, 0]);
});

test("a resolved reconnect stays visible until the next request", async (t) => {
  const agent = await withAgent(t);
  assert.equal((await account(agent)).last_reconnect, null);
  const { id } = await agent.person("request_reconnect", { account_id: agent.account.id });
  await agent.done("reconnect_ack");
  await agent.heartbeat();
  const { reconnect, last_reconnect } = await account(agent);
  const at = iso(agent.clock.now());
  assert.equal(reconnect, null);
  assert.deepEqual([last_reconnect.id, last_reconnect.acknowledged_at, last_reconnect.resolved_at], [id, at, at]);
});

test("an action lists every change and the result of each start, newest first, with the author", async (t) => {
  const agent = await withAgent(t, { signIn });
  const ada = member(agent.server, { name: "Ada", role: "rep", approveOutbound: true });
  const planned = await agent.planned({ copy: "Hello." });
  const edited = { action_id: planned.id, copy: "Hello there." };
  assert.equal((await byDoor(agent.server, "edit_socialnet_action", edited, { as: ada })).status, 200);
  await agent.person("approve_socialnet_action", { action_id: planned.id, note: "Good." });
  const action = await agent.claim(planned);
  await agent.start(action);
  await agent.result(action, "outcome_unknown", "The page hung.");
  const { history, starts, copy } = await agent.person("get_planned_action", { action_id: action.id });
  assert.equal(copy, "Hello there.");
  const told = history.map((change: any) => [change.move, change.from, change.to, change.by.kind]);
  assert.deepEqual(told, [
    ["lose", "started", "needs_review", "key"],
    ["start", "claimed", "started", "key"],
    ["claim", "approved", "claimed", "key"],
    ["approve", "planned", "approved", "local_operator"],
    ["edit", "planned", "planned", "member"],
    ["plan", null, "planned", "local_operator"],
  ]);
  const of = (move: string) => history.find((change: any) => change.move === move);
  assert.deepEqual([of("approve").note, of("edit").copy, of("plan").copy], ["Good.", "Hello there.", "Hello."]);
  assert.equal(of("claim").by.name, "agent");
  assert.deepEqual(
    starts.map(({ by, outcome, evidence, status_after }: any) => [by.name, outcome, evidence, status_after]),
    [["agent", "outcome_unknown", "The page hung.", "needs_review"]],
  );
});

test("runs and measurements are paged, newest first, and refused for an unknown account", async (t) => {
  const agent = await withAgent(t, { signIn });
  const ids = Array.from({ length: 3 }, () => randomUUID());
  for (const [i, id] of ids.entries()) {
    await run(agent, id, `run ${i}`);
    await measure(agent, id, 10 + i);
    agent.clock.advance(MINUTE_MS);
  }
  const as = member(agent.server, { role: "viewer" });
  for (const name of ["list_socialnet_runs", "list_socialnet_health"]) {
    const call = (input: object) => byDoor(agent.server, name, { account_id: agent.account.id, ...input }, { as });
    const { body } = await call({ limit: 2 });
    const newest = body.data.map((row: any) => row.runId ?? row.observationId);
    assert.deepEqual(newest, [ids[2], ids[1]]);
    assert.deepEqual(body.meta, { total: 3, limit: 2, offset: 0, hasMore: true });
    assert.equal((await call({ limit: 2, offset: 2 })).body.data.length, 1);
    assert.deepEqual((await call({ account_id: randomUUID() })).body.code, "socialnet_account_not_found");
  }
});

test("runs, measurements and observations are kept for 400 days, and a repeated reply is not taken for a new one", async (t) => {
  const agent = await withAgent(t);
  const { socialnet_url: profileUrl, id } = await agent.contact();
  const seen = (externalKey: string) => ({
    kind: "reply",
    profileUrl,
    observedAt: "2026-11-20T08:00:00Z",
    externalKey,
  });
  const sync = async (externalKey: string) =>
    (await agent.done("sync", { observations: [seen(externalKey)] })).results[0].status;
  await run(agent, randomUUID(), "long ago");
  await measure(agent, randomUUID(), 10);
  assert.deepEqual([await sync("old"), await sync("told")], ["recorded", "recorded"]);
  agent.clock.advance(400 * DAY_MS);
  assert.equal(await sync("told"), "already_recorded");
  const prune = () => pruneExpired(agent.server.running.store, followsClock(agent.clock)).run();
  const kept = async () => {
    const { runs, health } = await account(agent);
    return [runs.length, health.length];
  };
  await prune();
  assert.deepEqual(await kept(), [1, 1], "until then");
  agent.clock.advance(DAY_MS);
  await prune();
  assert.deepEqual(await kept(), [0, 0]);
  assert.equal(await sync("told"), "already_recorded");
  assert.equal((await agent.brain({ id })).activities.length, 2);
});
