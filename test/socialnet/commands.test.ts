import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { EVENT_NAMES } from "../../src/events/catalog.ts";
import { post } from "../support/mcp.ts";
import { type Agent, DAY_MS, EVIDENCE, iso, MINUTE_MS, SENDER, withAgent } from "../support/socialnet.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const EVENTS = EVENT_NAMES as readonly string[];
const COMMANDS = [
  ...["setup", "health_observation", "connection_accepted", "heartbeat", "brief", "schedule_report"],
  ...["run_report", "sync", "reconnect_ack", "claim", "start", "result"],
];

const accountShown = ({ account, clock }: Agent) => ({
  id: account.id,
  label: "Ada",
  profileUrl: SENDER,
  automationMode: "approve_each",
  timeZone: "UTC",
  session: "ready",
  sessionAt: iso(clock.now()),
  held: null,
});

const observationOf = ({ clock }: Agent) => ({
  observationId: randomUUID(),
  profileUrl: SENDER,
  observedAt: iso(clock.now()),
  windowStartedAt: iso(clock.now() - 14 * DAY_MS),
  windowEndedAt: iso(clock.now() - 7 * DAY_MS),
  invitationsSent: 60,
  invitationsAccepted: 22,
  invitationsWithdrawn: null,
  warnings: 0,
  accountAgeDays: null,
  evidence: EVIDENCE,
});

test("setup returns the key's permissions", async (t) => {
  const agent = await withAgent(t);
  const { instructions, ...rest } = await agent.done("setup");
  assert.deepEqual(Object.keys(instructions), ["version", "text"]);
  assert.ok(instructions.text.length > 500);
  const told = { executionActivated: true, health: null, events: EVENTS, commands: COMMANDS, nextStep: null };
  assert.deepEqual(rest, { bound: true, account: accountShown(agent), ...told });
});

test("brief returns account, sending hours, what is left, how much is claimable, the reconnect, events and health", async (t) => {
  const windows = [{ days: [5], from: "10:00", to: "12:00" }];
  const agent = await withAgent(t, { account: { windows, daily_limits: { connection_requests: 3, messages: 2 } } });
  await agent.person("set_plan", { socialnet_allowance: 9 });
  for (let i = 0; i < 4; i++) await agent.approved();
  await agent.started();
  const request = await agent.person("request_reconnect", { account_id: agent.account.id });
  const { instructions, ...rest } = await agent.done("brief");
  assert.deepEqual(Object.keys(instructions), ["version", "text"]);
  assert.deepEqual(rest, {
    account: accountShown(agent),
    windows: { timeZone: "UTC", open: false, opensAt: "2026-11-20T10:00:00.000Z", rules: windows },
    schedules: [],
    checkInMinutes: null,
    remaining: { connectionRequests: 3, messages: 1, planMonth: 8 },
    executionActivated: true,
    claimable: 1,
    notClaimable: [],
    holds: [],
    reconnect: { requestId: request.id, requestedAt: request.requested_at, acknowledgedAt: null },
    events: EVENTS,
    health: null,
  });
});

test("health_observation returns what it recorded, which is evidence for 24 hours and never a permission", async (t) => {
  const agent = await withAgent(t);
  const observation = observationOf(agent);
  const recordedAt = iso(agent.clock.now());
  const expiresAt = iso(agent.clock.now() + DAY_MS);
  assert.deepEqual(await agent.done("health_observation", { observation }), { ...observation, recordedAt, expiresAt });
  const health = async () => (await agent.done("brief")).health;
  assert.deepEqual(await health(), { observedAt: recordedAt, expiresAt, fresh: true });
  assert.deepEqual((await agent.done("setup")).health, { observedAt: recordedAt, expiresAt, fresh: true });
  agent.clock.advance(DAY_MS);
  assert.equal((await health()).fresh, false);
});

test("heartbeat and reconnect_ack return session, account and reconnect, and only a ready heartbeat after the ack resolves it", async (t) => {
  const agent = await withAgent(t);
  const nothing = { session: "ready", account: accountShown(agent), reconnect: null };
  assert.deepEqual(await agent.done("reconnect_ack"), nothing, "with none open, nothing happens");
  const { id } = await agent.person("request_reconnect", { account_id: agent.account.id });
  const open = { requestId: id, requestedAt: iso(agent.clock.now()), acknowledgedAt: null };
  assert.deepEqual(await agent.heartbeat(), { ...nothing, reconnect: open });
  agent.clock.advance(MINUTE_MS);
  const acknowledged = { ...open, acknowledgedAt: iso(agent.clock.now()) };
  assert.deepEqual((await agent.done("reconnect_ack")).reconnect, acknowledged);
  agent.clock.advance(MINUTE_MS);
  assert.deepEqual((await agent.done("reconnect_ack")).reconnect, acknowledged, "the first one counts");
  for (const session of ["login_required", "captcha", "restricted"]) {
    const answer = await agent.heartbeat(session);
    assert.deepEqual([answer.session, answer.account.session, answer.reconnect], [session, session, acknowledged]);
  }
  assert.deepEqual(await agent.heartbeat(), { ...nothing, account: accountShown(agent) });
  const again = await agent.person("request_reconnect", { account_id: agent.account.id });
  await agent.done("reconnect_ack");
  const renewed = await agent.person("request_reconnect", { account_id: agent.account.id });
  assert.deepEqual([renewed.id, renewed.acknowledged_at], [again.id, null], "asking again takes the ack back");
});

test("schedule_report returns the current schedule, and whether it is new", async (t) => {
  const agent = await withAgent(t);
  const rule = { label: "Morning", rrule: "RRULE:FREQ=DAILY;BYHOUR=9", timezone: "Europe/Berlin" };
  const given = { schedules: [{ ...rule, nextRunAt: "2026-11-21T09:00:00+01:00" }], checkInMinutes: 60 };
  const schedules = [{ ...rule, nextRunAt: "2026-11-21T08:00:00.000Z" }];
  const answer = { schedules, checkInMinutes: 60, reportedAt: iso(agent.clock.now()), changed: true };
  assert.deepEqual(await agent.done("schedule_report", given), answer);
  assert.deepEqual(await agent.done("schedule_report", given), { ...answer, changed: false });
  const shown = await agent.person("get_socialnet_account", { account_id: agent.account.id });
  assert.deepEqual(shown.schedules, [{ ...rule, next_run_at: "2026-11-21T08:00:00.000Z" }]);
  const none = await agent.done("schedule_report", { schedules: [], checkInMinutes: 5 });
  assert.deepEqual([none.schedules, none.changed], [[], true]);
});

test("run_report returns the report as stored", async (t) => {
  const agent = await withAgent(t);
  const at = iso(agent.clock.now());
  const report = {
    runId: randomUUID(),
    startedAt: at,
    finishedAt: at,
    status: "partial",
    claimed: 3,
    completed: 2,
    failed: 1,
    synced: 0,
  };
  assert.deepEqual(await agent.done("run_report", report), { ...report, notes: null, recordedAt: at });
  const [shown] = (await agent.person("get_socialnet_account", { account_id: agent.account.id })).runs;
  assert.deepEqual(shown, { ...report, notes: null, recordedAt: at });
});

test("sync returns a result for each observation in order, and connection_accepted names the contact", async (t) => {
  const agent = await withAgent(t);
  const { socialnet_url } = await agent.contact();
  const seen = (kind: string, profileUrl: string, externalKey: string) => ({
    kind,
    profileUrl,
    observedAt: iso(agent.clock.now()),
    externalKey,
  });
  const observations = [
    seen("reply", `http://www.SocialNet.example/in/nobody/?x=1`, "a"),
    seen("reply", `${socialnet_url.replace("https://", "http://www.")}/?utm=1`, "b"),
    seen("connection_accepted", socialnet_url, "b"),
    seen("message_received", socialnet_url, "c"),
  ];
  const results = ["unmatched", "recorded", "already_recorded", "recorded"];
  assert.deepEqual(await agent.done("sync", { observations }), {
    results: results.map((status, i) => ({ externalKey: observations[i]?.externalKey, status })),
  });
  const other = await agent.contact();
  const accepted = () => agent.done("connection_accepted", { profileUrl: other.socialnet_url, evidence: EVIDENCE });
  assert.deepEqual(await accepted(), { contactId: other.id, status: "recorded" });
  assert.deepEqual(await accepted(), { contactId: other.id, status: "already_recorded" });
  const stranger = await agent.done("connection_accepted", { profileUrl: "https://socialnet.example/in/x" });
  assert.deepEqual(stranger, { contactId: null, status: "unmatched" });
  const early = await agent.approved({ kind: "connection_request", copy: "" });
  assert.deepEqual(await agent.refusal("connection_accepted", { actionId: early.id }), ["not_started"]);
  const message = await agent.started();
  assert.deepEqual(await agent.refusal("connection_accepted", { actionId: message.id }), ["not_started"]);
  const action = await agent.started({ kind: "connection_request", copy: "" });
  const byAction = await agent.done("connection_accepted", { actionId: action.id });
  assert.deepEqual(byAction, { contactId: action.contact.id, status: "recorded" });
});

test("claim, start and result return the lease, the exact copy and what was recorded", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact({ first_name: "Grace", last_name: "Hopper", company: "Navy" });
  const copy = "Höllo 💥\n  two spaces, and a line.";
  const { id } = await agent.approved({ contact, copy, campaign: "Autumn" });
  const now = iso(agent.clock.now());
  const shown = {
    id,
    kind: "message",
    origin: "member",
    status: "approved",
    account: { id: agent.account.id, label: "Ada" },
    recipient: { contactId: contact.id, name: "Grace Hopper", company: "Navy", profileUrl: contact.socialnet_url },
    copy,
    context: { sequenceId: null, sequenceName: null, step: null, stepCount: null, campaign: "Autumn" },
    blockedBy: null,
    outcome: null,
    approvedAt: now,
    createdAt: now,
    updatedAt: now,
  };
  const listed = await agent.server.rest("GET", "/socialnet/actions", { key: agent.key });
  assert.deepEqual(listed.body, {
    data: [shown],
    meta: { total: 1, limit: 25, offset: 0, hasMore: false },
    error: null,
  });
  const claim = await agent.done("claim", { actionId: id.toUpperCase() });
  assert.match(claim.leaseToken, UUID);
  assert.deepEqual(claim, {
    action: { ...shown, status: "claimed" },
    leaseToken: claim.leaseToken,
    leaseExpiresAt: iso(agent.clock.now() + 10 * MINUTE_MS),
    nextStep: claim.nextStep,
  });
  const [listedAfter] = (await agent.server.rest("GET", "/socialnet/actions", { key: agent.key })).body.data;
  assert.deepEqual(listedAfter.blockedBy, { reason: "already_claimed", nextWindowAt: null });
  agent.clock.advance(9 * MINUTE_MS);
  const started = await agent.done("start", { actionId: id, leaseToken: claim.leaseToken });
  const later = iso(agent.clock.now());
  assert.deepEqual(started, {
    action: { ...shown, status: "started", updatedAt: later },
    copy,
    recipient: shown.recipient,
    leaseExpiresAt: iso(agent.clock.now() + 15 * MINUTE_MS),
    nextStep: started.nextStep,
  });
  const told = { actionId: id, leaseToken: claim.leaseToken, outcome: "message_sent", evidence: EVIDENCE };
  const recorded = await agent.done("result", told);
  const { nextStep, ...facts } = recorded;
  assert.deepEqual(facts, { actionId: id, status: "completed", outcome: "message_sent", recordedAt: later });
  assert.match(nextStep, /Continue with the next action/);
  assert.deepEqual(await agent.done("result", told), recorded, "a repeat answers as before");
});

test("the tool returns what the route returns, refusals too", async (t) => {
  const agent = await withAgent(t);
  const { id: actionId } = await agent.planned();
  for (const [command, fields] of Object.entries({
    setup: {},
    brief: {},
    heartbeat: { session: "ready", profileUrl: SENDER },
    claim: { actionId },
    result: { actionId },
    connection_accepted: { actionId: agent.account.id },
  })) {
    const rest = await agent.command(command, fields);
    const call = { name: "socialnet_command", arguments: { command, ...fields, detail: "full" } };
    const { result } = (await post(agent.server, "2026-07-28", "tools/call", call, { key: agent.key })).body;
    assert.deepEqual([result.structuredContent, result.isError ?? false], [rest.body, rest.status !== 200], command);
  }
});
