import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Agent, DAY_MS, EVIDENCE, iso, MINUTE_MS, reasonOf, SENDER, withAgent } from "../support/socialnet.ts";

const ENDS = {
  connection_request: {
    connection_sent: "completed",
    already_connected: "completed",
    profile_unavailable: "failed",
    not_sent: "failed",
    login_required: "approved",
    captcha: "approved",
    rate_limited: "approved",
    outcome_unknown: "needs_review",
    message_sent: null,
  },
  message: {
    message_sent: "completed",
    profile_unavailable: "failed",
    not_sent: "failed",
    login_required: "approved",
    captcha: "approved",
    rate_limited: "approved",
    outcome_unknown: "needs_review",
    connection_sent: null,
    already_connected: null,
  },
} as const;

for (const [kind, ends] of Object.entries(ENDS)) {
  for (const [outcome, status] of Object.entries(ends)) {
    const led = status === null ? "cannot end so" : `is ${status}`;
    test(`a ${kind} of which ${outcome} is reported ${led}`, async (t) => {
      const agent = await withAgent(t);
      const action = await agent.started({ kind });
      const reply = await agent.result(action, outcome);
      if (status === null) {
        assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"]);
        assert.match(reply.body.error ?? "", /^outcome /);
        assert.equal(await agent.statusOf(action), "started");
        return;
      }
      const { data } = reply.body;
      assert.deepEqual([data.status, data.outcome, await agent.statusOf(action)], [status, outcome, status]);
    });
  }
}

test("a repeated result is answered as the first, byte for byte, however late, and another outcome conflicts", async (t) => {
  const agent = await withAgent(t);
  for (const [outcome, other] of [
    ["message_sent", "not_sent"],
    ["not_sent", "message_sent"],
    ["captcha", "message_sent"],
    ["outcome_unknown", "message_sent"],
  ] as const) {
    const action = await agent.started();
    const first = await agent.result(action, outcome);
    assert.equal(first.status, 200);
    const status = await agent.statusOf(action);
    agent.clock.advance(20 * MINUTE_MS);
    const again = await agent.result(action, outcome, "Told in other words.");
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.deepEqual(reasonOf(await agent.result(action, other)), ["conflicting_result"], outcome);
    // An action reported as sent after all is not resent before a person has checked.
    const distrusted = status === "approved" && other === "message_sent";
    assert.equal(await agent.statusOf(action), distrusted ? "held" : status);
    await agent.heartbeat();
  }
});

test("a sent result is logged once, however often it is reported", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.started();
  await Promise.all(Array.from({ length: 10 }, () => agent.result(action, "message_sent")));
  const { activities } = await agent.brain(action.contact);
  assert.deepEqual(
    activities.map(({ type }: { type: string }) => type),
    ["socialnet_message_sent"],
  );
});

test("a token of an earlier claim can't start or report", async (t) => {
  const agent = await withAgent(t);
  const first = await agent.started();
  await agent.result(first, "login_required");
  await agent.heartbeat();
  const second = await agent.claim(first);
  assert.notEqual(second.leaseToken, first.leaseToken);
  const token = { actionId: first.id, leaseToken: first.leaseToken };
  assert.deepEqual(await agent.refusal("start", token), ["already_started"]);
  assert.deepEqual(reasonOf(await agent.result(first, "not_sent")), ["conflicting_result"]);
  await agent.start(second);
  assert.equal((await agent.result(second, "message_sent")).status, 200);
});

test("an agent's later report that it was sent prevents a resend: a person has to check", async (t) => {
  const agent = await withAgent(t);
  for (const again of ["approved", "claimed", "held", "started"] as const) {
    const first = await agent.started();
    await agent.result(first, "login_required");
    await agent.heartbeat();
    if (again === "held") await agent.person("hold_socialnet_action", { action_id: first.id });
    const second = again === "claimed" || again === "started" ? await agent.claim(first) : undefined;
    if (again === "started") await agent.start(second as NonNullable<typeof second>);
    assert.deepEqual(reasonOf(await agent.result(first, "message_sent", "It stands there.")), ["conflicting_result"]);
    const { status, approved_by, note } = await agent.look(first);
    assert.match(note, /reported later that the action was sent/);
    if (again === "started") {
      assert.equal(status, "started", "what is under way is left to its own report");
      await agent.result(second as NonNullable<typeof second>, "captcha");
      await agent.heartbeat();
    } else assert.deepEqual([status, approved_by], ["held", null]);
    assert.equal(await agent.statusOf(first), "held");
    const released = await agent.person("release_socialnet_action", { action_id: first.id });
    assert.equal(released.status, "planned", "and approved anew");
    await agent.person("cancel_socialnet_action", { action_id: first.id });
  }
});

test("a repeated observationId gets the first answer, byte for byte, and refreshes nothing", async (t) => {
  const agent = await withAgent(t);
  const observation = {
    observationId: randomUUID(),
    profileUrl: SENDER,
    observedAt: iso(agent.clock.now()),
    evidence: EVIDENCE,
    windowStartedAt: "2026-11-01T00:00:00Z",
    windowEndedAt: "2026-11-08T00:00:00Z",
    invitationsSent: 9,
    invitationsAccepted: 1,
    invitationsWithdrawn: 1,
    warnings: 0,
    accountAgeDays: 400,
  };
  const first = await agent.command("health_observation", { observation });
  assert.equal(first.status, 200);
  const { health } = await agent.done("brief");
  agent.clock.advance(2 * DAY_MS);
  const changed = { ...observation, observedAt: iso(agent.clock.now()), invitationsSent: 99 };
  const again = await agent.command("health_observation", { observation: changed });
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.deepEqual((await agent.done("brief")).health, { ...health, fresh: false });
  const upper = { ...observation, observationId: observation.observationId.toUpperCase() };
  assert.equal((await agent.command("health_observation", { observation: upper })).text, first.text);
});

test("a repeated runId gets the first answer, byte for byte, and is stored once, even if reports race", async (t) => {
  const agent = await withAgent(t);
  const at = iso(agent.clock.now());
  const report = (runId: string, changes: object = {}) => ({
    runId,
    startedAt: at,
    finishedAt: at,
    status: "ok",
    claimed: 1,
    completed: 1,
    failed: 0,
    synced: 0,
    ...changes,
  });
  const runId = randomUUID();
  const first = await agent.command("run_report", report(runId, { notes: "First." }));
  agent.clock.advance(DAY_MS);
  const again = await agent.command("run_report", report(runId, { notes: "Second.", status: "failed" }));
  assert.deepEqual([again.status, again.text], [200, first.text]);
  const racing = randomUUID();
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, i) => agent.command("run_report", report(racing, { claimed: i }))),
  );
  assert.deepEqual([new Set(replies.map(({ text }) => text)).size, replies[0]?.status], [1, 200]);
  const { runs } = await agent.person("get_socialnet_account", { account_id: agent.account.id });
  assert.deepEqual(new Set(runs.map((run: any) => run.runId)), new Set([runId, racing]));
  assert.equal(runs.length, 2);
});

test("a reply under a known externalKey counts: it was reported as a message, or of a profile without a contact", async (t) => {
  const agent = await withAgent(t);
  const sync = async (kind: string, profileUrl: string, externalKey: string) => {
    const observations = [{ kind, profileUrl, externalKey, observedAt: iso(agent.clock.now()) }];
    return (await agent.done("sync", { observations })).results[0].status;
  };
  const misread = await agent.approved();
  const { socialnet_url: profileUrl } = misread.contact;
  assert.equal(await sync("message_received", profileUrl, "misread"), "recorded");
  assert.equal((await agent.person("get_planned_action", { action_id: misread.id })).status, "approved");
  assert.equal(await sync("reply", profileUrl, "misread"), "recorded");
  assert.equal((await agent.person("get_planned_action", { action_id: misread.id })).status, "held");
  assert.equal(await sync("reply", profileUrl, "misread"), "already_recorded");

  const mistyped = await agent.approved();
  const real = "https://socialnet.example/in/real-one";
  assert.equal(await sync("reply", real, "mistyped"), "unmatched");
  assert.equal(await sync("reply", real, "mistyped"), "already_recorded");
  await agent.server.operator("update_contact", { id: mistyped.contact.id, socialnet_url: real });
  assert.equal(await sync("reply", real, "mistyped"), "recorded");
  const { status, last_reply } = await agent.person("get_planned_action", { action_id: mistyped.id });
  assert.deepEqual([status, last_reply === null], ["held", false]);
});

test("a recipient that changes while the agent sends voids the approval, even if it changes back", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.started();
  const { id, socialnet_url: before } = action.contact;
  for (const socialnet_url of ["https://socialnet.example/in/elsewhere", before]) {
    await agent.server.operator("update_contact", { id, socialnet_url });
  }
  await agent.result(action, "login_required");
  await agent.heartbeat();
  assert.equal((await agent.person("get_planned_action", { action_id: action.id })).status, "held");
  await agent.person("release_socialnet_action", { action_id: action.id });
  assert.equal((await agent.person("get_planned_action", { action_id: action.id })).status, "planned");
});

test("an externalKey is recorded once per account, and ids of one account mean nothing to another", async (t) => {
  const agent = await withAgent(t);
  const other = await Agent.of(agent.server, agent.clock);
  const { socialnet_url: profileUrl, id } = await agent.contact();
  const observations = [{ kind: "reply", profileUrl, observedAt: iso(agent.clock.now()), externalKey: "k" }];
  const sync = async (from: Agent) => (await from.done("sync", { observations })).results[0].status;
  assert.deepEqual(
    [await sync(agent), await sync(agent), await sync(other)],
    [...["recorded", "already_recorded", "recorded"]],
  );
  const replies = (await agent.brain({ id })).activities.filter((row: any) => row.type === "socialnet_reply");
  assert.equal(replies.length, 2);
});

test("an outcome is confirmed only for the execution that was read", async (t) => {
  const agent = await withAgent(t);
  let action = await agent.started();
  assert.equal((await agent.result(action, "outcome_unknown")).status, 200);
  const early = (await agent.look(action)).copy_hash;
  const settle = (outcome: string, copy_hash: string) =>
    agent.person("settle_socialnet_action", { action_id: action.id, outcome, copy_hash });
  await settle("retry", early);
  action = await agent.claim(action);
  await agent.start(action);
  assert.equal((await agent.result(action, "outcome_unknown")).status, 200);
  for (const outcome of ["retry", "sent", "not_sent"]) {
    await assert.rejects(settle(outcome, early), { code: "version_conflict" }, outcome);
  }
  await settle("not_sent", (await agent.look(action)).copy_hash);
});

test("an action on hold is released only if a later report, and why it was withdrawn, were read", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const action = await agent.claim(await agent.planned());
  await agent.start(action);
  agent.clock.advance(16 * MINUTE_MS);
  assert.equal((await agent.result(action, "outcome_unknown")).status, 200);
  await agent.person("settle_socialnet_action", { action_id: action.id, outcome: "retry" });
  await agent.person("withdraw_socialnet_action", { action_id: action.id });
  const early = (await agent.look(action)).copy_hash;
  // The first execution was sent after all.
  await agent.result(action, "message_sent");
  const release = (copy_hash: string) =>
    agent.person("release_socialnet_action", { action_id: action.id, copy_hash, read_automation_mode: "automatic" });
  await assert.rejects(release(early), { code: "version_conflict" });
});

test("an action that a teammate withdrew is approved only by someone who read why", async (t) => {
  const agent = await withAgent(t);
  const { id } = await agent.planned();
  const early = (await agent.person("get_planned_action", { action_id: id })).copy_hash;
  await agent.person("approve_socialnet_action", { action_id: id });
  await agent.person("withdraw_socialnet_action", { action_id: id, note: "They are suing us." });
  const approve = agent.person("approve_socialnet_action", { action_id: id, copy_hash: early });
  await assert.rejects(approve, { code: "version_conflict" });
});
