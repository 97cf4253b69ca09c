import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf } from "../support/outbox.ts";
import { type Agent, DAY_MS, EVIDENCE, engineAction, enrollmentOf, iso, withAgent } from "../support/socialnet.ts";

const socialStatus = ({ server }: Agent, { id }: { id: string }): string =>
  rowsOf(server, `SELECT social_status FROM contacts WHERE id = '${id}'`)[0].social_status;

const see = (agent: Agent, kind: string, { socialnet_url: profileUrl }: any, externalKey: string, excerpt?: string) =>
  agent.done("sync", {
    observations: [{ kind, profileUrl, observedAt: iso(agent.clock.now()), externalKey, excerpt }],
  });

test("a sent action is an activity with the exact copy, by the key that sent it, and not the team's outreach", async (t) => {
  const agent = await withAgent(t);
  const sent = [
    { kind: "connection_request", outcome: "connection_sent", type: "socialnet_connection_sent", status: "invited" },
    { kind: "message", outcome: "message_sent", type: "socialnet_message_sent", status: "messaged" },
  ];
  for (const { kind, outcome, type, status } of sent) {
    const action = await agent.started({ kind, copy: "Hello, you." });
    await agent.result(action, outcome);
    const { activities, last_contacted_at } = await agent.brain(action.contact);
    assert.equal(activities.length, 1);
    const [{ metadata, ...activity }] = activities;
    assert.deepEqual([activity.type, activity.body, last_contacted_at], [type, "Hello, you.", null]);
    assert.match(metadata.api_key_id, /^[0-9a-f-]{36}$/);
    const { api_key_id: _, ...rest } = metadata;
    const about = { account_id: agent.account.id, action_id: action.id, evidence: EVIDENCE };
    assert.deepEqual(rest, { ...about, source: "public_api" });
    assert.equal(socialStatus(agent, action.contact), status);
  }
});

test("an unsent action leaves no activity and no status", async (t) => {
  const agent = await withAgent(t);
  for (const outcome of ["not_sent", "profile_unavailable", "outcome_unknown", "rate_limited"]) {
    const action = await agent.started();
    await agent.result(action, outcome);
    assert.deepEqual((await agent.brain(action.contact)).activities, [], outcome);
    assert.equal(socialStatus(agent, action.contact), "none");
  }
});

test("the social status of a contact only advances, in any order of events", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const request = await agent.started({ contact, kind: "connection_request", copy: "" });
  const message = await agent.started({ contact });
  const steps: [expected: string, step: () => Promise<unknown>][] = [
    ["invited", () => agent.result(request, "connection_sent")],
    ["connected", () => see(agent, "connection_accepted", contact, "1")],
    ["messaged", () => agent.result(message, "message_sent")],
    ["messaged", () => see(agent, "connection_accepted", contact, "2")],
    ["messaged", () => agent.done("connection_accepted", { profileUrl: contact.socialnet_url })],
    ["replied", () => see(agent, "reply", contact, "3")],
    ["replied", async () => agent.result(await agent.started({ contact }), "message_sent")],
    [
      "replied",
      async () => agent.result(await agent.started({ contact, kind: "connection_request" }), "already_connected"),
    ],
  ];
  for (const [expected, step] of steps) {
    await step();
    assert.equal(socialStatus(agent, contact), expected);
  }
  const types = (await agent.brain(contact)).activities.map(({ type }: { type: string }) => type).reverse();
  assert.deepEqual(types, [
    ...["socialnet_connection_sent", "socialnet_connected", "socialnet_message_sent", "socialnet_reply"],
    "socialnet_message_sent",
  ]);
});

test("already_connected marks the contact connected, and logs that", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.started({ kind: "connection_request" });
  await agent.result(action, "already_connected");
  assert.equal(socialStatus(agent, action.contact), "connected");
  const [activity] = (await agent.brain(action.contact)).activities;
  assert.deepEqual([activity.type, activity.metadata.evidence], ["socialnet_connected", EVIDENCE]);
});

test("a synced reply and message are activities with their excerpt; a message stops nothing", async (t) => {
  const agent = await withAgent(t);
  const action = await engineAction(agent);
  await see(agent, "message_received", action.contact, "1", "Who are you?");
  assert.equal(await agent.statusOf(action), "planned");
  assert.equal((await enrollmentOf(agent, action)).status, "waiting_on_action");
  agent.clock.advance(1);
  await see(agent, "reply", action.contact, "2", "No, thank you.");
  const { activities, last_contacted_at } = await agent.brain(action.contact);
  assert.deepEqual(
    activities.map(({ type, body }: { type: string; body: string }) => [type, body]),
    [
      ["socialnet_reply", "No, thank you."],
      ["socialnet_message_received", "Who are you?"],
    ],
  );
  assert.equal(last_contacted_at, null);
});

test("the API can't write the socialnet's activity types, which only the server writes", async (t) => {
  const agent = await withAgent(t);
  const { id } = await agent.contact();
  for (const type of ["connection_sent", "message_sent", "connected", "reply", "message_received"]) {
    const body = { type: `socialnet_${type}`, subject: "x" };
    const { status } = await agent.server.rest("POST", `/contacts/${id}/activities`, { body });
    assert.equal(status, 400, type);
  }
});

test("a sent step advances its sequence: to the next step when that is due, or to the end", async (t) => {
  const agent = await withAgent(t);
  const wait = { type: "wait", days: 3 };
  const message = { type: "socialnet_message", body: "Hello.", delay_days: 2 };
  const cases = [
    { steps: [message, message], due: agent.clock.now() + 2 * DAY_MS },
    { steps: [message, wait], due: agent.clock.now() + 3 * DAY_MS },
    { steps: [message], due: null },
  ];
  for (const { steps, due } of cases) {
    const action = await engineAction(agent, { steps });
    await agent.person("approve_socialnet_action", { action_id: action.id });
    const { data } = (await agent.server.rest("GET", "/socialnet/actions", { key: agent.key })).body;
    assert.deepEqual(data.find((row: any) => row.id === action.id).context, {
      sequenceId: action.sequence.id,
      sequenceName: "Welcome",
      step: 0,
      stepCount: steps.length,
      campaign: null,
    });
    const started = await agent.claim(action);
    await agent.start(started);
    await agent.result(started, "message_sent");
    const { status, current_step, due_at } = await enrollmentOf(agent, action);
    const ahead = due === null ? null : iso(due);
    assert.deepEqual([status, current_step, due_at], [due === null ? "completed" : "active", 1, ahead]);
    await agent.result(started, "message_sent");
    assert.equal((await enrollmentOf(agent, action)).current_step, 1, "a repeat takes it no further");
  }
});

test("a failed step fails its enrollment, and a returned or unconfirmed one keeps it waiting", async (t) => {
  const agent = await withAgent(t);
  for (const [outcome, status] of [
    ["not_sent", "failed"],
    ["profile_unavailable", "failed"],
    ["captcha", "waiting_on_action"],
    ["outcome_unknown", "waiting_on_action"],
  ]) {
    const action = await engineAction(agent);
    await agent.person("approve_socialnet_action", { action_id: action.id });
    const started = await agent.claim(action);
    await agent.start(started);
    await agent.result(started, outcome as string);
    assert.equal((await enrollmentOf(agent, action)).status, status, outcome);
    await agent.heartbeat();
  }
});

test("a person has three ways to settle: sent is logged as the person's and continues, not sent ends, retry is tried again", async (t) => {
  const agent = await withAgent(t);
  const settled = {
    sent: {
      status: "completed",
      outcome: "message_sent",
      enrollment: "active",
      activities: ["socialnet_message_sent"],
    },
    not_sent: { status: "failed", outcome: "not_sent", enrollment: "failed", activities: [] },
    retry: { status: "approved", outcome: null, enrollment: "waiting_on_action", activities: [] },
  };
  for (const [outcome, expected] of Object.entries(settled)) {
    const action = await engineAction(agent);
    await agent.person("approve_socialnet_action", { action_id: action.id });
    const started = await agent.claim(action);
    await agent.start(started);
    await agent.result(started, "outcome_unknown");
    const input = { action_id: action.id, outcome, note: "I looked." };
    const shown = await agent.person("settle_socialnet_action", input);
    assert.deepEqual([shown.status, shown.outcome, shown.note], [expected.status, expected.outcome, "I looked."]);
    assert.equal((await enrollmentOf(agent, action)).status, expected.enrollment);
    const { activities } = await agent.brain(action.contact);
    assert.deepEqual(
      activities.map(({ type }: { type: string }) => type),
      expected.activities,
    );
    for (const { metadata } of activities) assert.equal(metadata.source, "member");
    await assert.rejects(agent.person("settle_socialnet_action", input), { code: "action_not_movable" });
    if (outcome === "retry") await agent.claim(action);
  }
});

test("the time of an observation is in UTC on the timeline, whatever offset the agent sends", async (t) => {
  const agent = await withAgent(t);
  const kinds = ["reply", "connection_accepted", "message_received"];
  const contacts = await Promise.all(kinds.map(() => agent.contact()));
  const observations = kinds.map((kind, i) => {
    const { socialnet_url: profileUrl } = contacts[i];
    return { kind, profileUrl, observedAt: "2026-11-20t10:59:59+02:00", externalKey: `o${i}` };
  });
  await agent.done("sync", { observations });
  for (const contact of contacts) {
    const { activities } = await agent.brain(contact);
    assert.deepEqual(
      activities.map(({ metadata }: any) => metadata.observed_at),
      ["2026-11-20T08:59:59.000Z"],
    );
  }
});
