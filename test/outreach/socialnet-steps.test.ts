import assert from "node:assert/strict";
import { test } from "node:test";
import { type Driven, driveEngine, onTheWay, theEnrollment, told } from "../support/engine.ts";
import { authorise, newContact } from "../support/sequences.ts";
import type { TestServer } from "../support/server.ts";

const PROFILE = "https://socialnet.example/in/ada";
const SENDER = "https://socialnet.example/in/robin";
const STEPS = [
  { type: "socialnet_connect", note: "Hello {{first_name}}", delay_days: 0 },
  { type: "socialnet_message", body: "About {{company}}", delay_days: 1 },
];

async function agentOf(server: TestServer, mode: string) {
  const account = await server.operator("create_socialnet_account", {
    label: "Robin",
    profile_url: SENDER,
    automation_mode: mode,
  });
  const { key } = await server.operator("create_key", {
    name: "agent",
    scopes: ["socialnet.read", "socialnet.execute"],
    socialnet_account_id: account.id,
  });
  const command = async (name: string, fields: object = {}) => {
    const reply = await server.rest("POST", "/socialnet/actions", { key, body: { command: name, ...fields } });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  await command("heartbeat", { session: "ready", profileUrl: SENDER });
  const execute = async (actionId: string, outcome: string) => {
    const { leaseToken } = await command("claim", { actionId });
    const { copy } = await command("start", { actionId, leaseToken });
    await command("result", { actionId, leaseToken, outcome, evidence: "seen" });
    return copy as string;
  };
  return { account, command, execute };
}

/** The newest: tests let time pass between two. */
const planned = async ({ server }: Driven) => (await server.operator("list_planned_actions", {}))[0];

test("a step becomes an action that a person approves, and its result advances the sequence", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run } = driven;
  const { execute } = await agentOf(server, "approve_each");
  const { contact, sequence } = await onTheWay(server, STEPS, { socialnet_url: PROFILE });
  await run();
  const action = await planned(driven);
  assert.deepEqual(
    [action.status, action.kind, action.origin, action.copy],
    [...["planned", "connection_request", "engine", "Hello Ada"]],
  );
  assert.deepEqual([action.sequence_id, action.step, action.step_count], [sequence.id, 0, 2]);
  const waiting = await theEnrollment(server);
  assert.deepEqual([waiting.status, waiting.due_at, waiting.waits], ["waiting_on_action", null, null]);
  await run();
  assert.equal((await server.operator("list_planned_actions", {})).length, 1, "it is planned once");
  await server.operator("approve_socialnet_action", { action_id: action.id });
  assert.equal(await execute(action.id, "connection_sent"), "Hello Ada");
  const next = await theEnrollment(server);
  assert.deepEqual([next.status, next.current_step, next.due_at], ["active", 1, "2026-11-21T09:00:00.000Z"]);
  clock.advance(86_400_000);
  await run();
  const message = await planned(driven);
  await server.operator("approve_socialnet_action", { action_id: message.id });
  assert.equal(await execute(message.id, "message_sent"), "About Analytical Engines");
  assert.equal((await theEnrollment(server)).status, "completed");
  assert.deepEqual(await told(server, contact.id), ["socialnet_connection_sent", "socialnet_message_sent"]);
});

test("an automatic account needs no approval, and connected contacts are not invited again", async (t) => {
  const driven = await driveEngine(t);
  const { server, run } = driven;
  const { command, execute } = await agentOf(server, "automatic");
  const { contact } = await onTheWay(
    server,
    STEPS.map((step) => ({ ...step, delay_days: 0 })),
    { socialnet_url: PROFILE },
  );
  await command("connection_accepted", { profileUrl: PROFILE });
  await run();
  const action = await planned(driven);
  assert.deepEqual([action.status, action.kind], ["approved", "message"]);
  await execute(action.id, "message_sent");
  assert.equal((await theEnrollment(server)).status, "completed");
  assert.deepEqual(await told(server, contact.id), ["socialnet_connected", "socialnet_message_sent"]);
});

test("a failed action ends the enrollment with its outcome, and a canceled one with the person's", async (t) => {
  const driven = await driveEngine(t);
  const { server, run } = driven;
  const { execute } = await agentOf(server, "automatic");
  const first = await onTheWay(server, STEPS, { socialnet_url: PROFILE });
  await run();
  await execute((await planned(driven)).id, "profile_unavailable");
  const failed = await theEnrollment(server, first.contact.id);
  assert.deepEqual([failed.status, failed.ended_reason], ["failed", "profile_unavailable"]);

  driven.clock.advance(1_000);
  const second = await onTheWay(server, STEPS, { socialnet_url: `${PROFILE}-2` });
  await run();
  await server.operator("cancel_socialnet_action", { action_id: (await planned(driven)).id, note: "wrong person" });
  const cancelled = await theEnrollment(server, second.contact.id);
  assert.deepEqual([cancelled.status, cancelled.ended_reason], ["stopped_by_member", "wrong person"]);
});

test("an unconfirmed action keeps the enrollment waiting until a person settles it", async (t) => {
  const driven = await driveEngine(t);
  const { server, run } = driven;
  const { execute } = await agentOf(server, "automatic");
  await onTheWay(server, STEPS, { socialnet_url: PROFILE });
  await run();
  const { id } = await planned(driven);
  await execute(id, "outcome_unknown");
  await run();
  assert.equal((await theEnrollment(server)).status, "waiting_on_action");
  await server.operator("settle_socialnet_action", { action_id: id, outcome: "sent" });
  const { status, current_step } = await theEnrollment(server);
  assert.deepEqual([status, current_step], ["active", 1]);
});

test("an action refused at its start because its address is suppressed ends the enrollment that waits for it", async (t) => {
  const driven = await driveEngine(t);
  const { server, run } = driven;
  const { command } = await agentOf(server, "automatic");
  const { contact } = await onTheWay(server, STEPS, { socialnet_url: PROFILE });
  await run();
  const { id: actionId } = await planned(driven);
  await server.rest("POST", "/suppression", { body: { email: "listed@x.example" } });
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "listed@x.example" } });
  await assert.rejects(command("claim", { actionId }));
  assert.deepEqual(
    [(await planned(driven)).status, (await theEnrollment(server)).status],
    ["cancelled", "stopped_suppressed"],
  );
});

const CHANGES: Record<string, (driven: Driven, sequence_id: string) => Promise<unknown>> = {
  "its steps": ({ server }, sequence_id) =>
    server.operator("update_sequence", { sequence_id, steps: [{ ...STEPS[0], note: "Corrected" }, STEPS[1]] }),
  "its account": async ({ server }, sequence_id) => {
    const other = { label: "Sam", profile_url: "https://socialnet.example/in/sam", automation_mode: "automatic" };
    const { id: socialnet_account_id } = await server.operator("create_socialnet_account", other);
    return server.operator("update_sequence", { sequence_id, socialnet_account_id });
  },
  "the sender's name": ({ server }) => server.operator("set_sending_policy", { sender_name: "Sam" }),
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`an automatic account's action needs a person's approval once ${what} changed, since its approval is void`, async (t) => {
    const driven = await driveEngine(t);
    const { server, run } = driven;
    const { account, command, execute } = await agentOf(server, "automatic");
    const rows = () => server.operator("list_planned_actions", { account_id: account.id });
    const { sequence } = await onTheWay(server, STEPS, { socialnet_url: PROFILE });
    await onTheWay(server, STEPS, { socialnet_url: `${PROFILE}-2` });
    await run();
    const [{ id: other }, { id }] = (await rows()).toSorted((a: any) => (a.sequence_id === sequence.id ? 1 : -1));
    const { leaseToken } = await command("claim", { actionId: id });
    await change(driven, sequence.id);
    const now = Object.fromEntries((await rows()).map((row: any) => [row.id, row]));
    assert.deepEqual([now[id].status, now[id].approved_at, now[id].lease_expires_at], ["held", null, null]);
    assert.match(now[id].note, /sequence, its sender or an approval of its audience changed/);
    await assert.rejects(command("start", { actionId: id, leaseToken }), /"reason":"held"/);
    if (what === "its steps") await execute(other, "connection_sent");
    await server.operator("release_socialnet_action", { action_id: id, copy_hash: now[id].copy_hash });
    assert.equal(await execute(id, "connection_sent"), "Hello Ada", "a person has released it as it reads");
  });
}

test("an automatic account's action needs a person's approval once a newer approval of its contact has other values", async (t) => {
  const driven = await driveEngine(t);
  const { server, run } = driven;
  const { command, execute } = await agentOf(server, "automatic");
  const { sequence, contact } = await onTheWay(server, STEPS, { socialnet_url: PROFILE, first_name: "Wrong" });
  await run();
  const { id: actionId } = await planned(driven);
  await authorise(server, sequence.id, [contact.id]);
  assert.equal((await planned(driven)).status, "approved", "the same values were approved again");
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { first_name: "Ada" } });
  assert.equal((await planned(driven)).status, "approved", "it is sent as it was approved");
  const other = await newContact(server);
  await authorise(server, sequence.id, [other.id]);
  assert.equal((await planned(driven)).status, "approved", "that approval was about another contact");
  await authorise(server, sequence.id, [contact.id]);
  const { status, approved_at } = await planned(driven);
  assert.deepEqual([status, approved_at], ["held", null]);
  await assert.rejects(command("claim", { actionId }), /"reason":"held"/);
  await server.operator("edit_socialnet_action", { action_id: actionId, copy: "Hello Ada" });
  await server.operator("release_socialnet_action", { action_id: actionId });
  await authorise(server, sequence.id, [contact.id]);
  assert.equal(await execute(actionId, "connection_sent"), "Hello Ada");
});

test("a started action returns to a person if the sequence changed after the start", async (t) => {
  const driven = await driveEngine(t);
  const { server, run } = driven;
  const { execute } = await agentOf(server, "automatic");
  const { sequence } = await onTheWay(server, STEPS, { socialnet_url: PROFILE });
  await run();
  const { id } = await planned(driven);
  await execute(id, "outcome_unknown");
  await CHANGES["its steps"]?.(driven, sequence.id);
  await server.operator("settle_socialnet_action", { action_id: id, outcome: "retry" });
  assert.equal((await planned(driven)).status, "held");
});

test("an action approved by a person stays approved, and changing the mode does not approve one that needs review", async (t) => {
  const driven = await driveEngine(t);
  const { server, run } = driven;
  const { account } = await agentOf(server, "approve_each");
  const made: any[] = [];
  for (const name of ["a", "b", "c", "d"])
    made.push(await onTheWay(server, STEPS, { socialnet_url: `${PROFILE}-${name}` }));
  await run();
  const actionOf = async ({ contact }: any) =>
    (await server.operator("list_planned_actions", { contact_id: contact.id }))[0];
  const [byPerson, outdated, redirected, waiting] = made;
  await server.operator("approve_socialnet_action", { action_id: (await actionOf(byPerson)).id });
  for (const { sequence } of [byPerson, outdated]) await CHANGES["its steps"]?.(driven, sequence.id);
  const socialnet_url = `${PROFILE}-elsewhere`;
  await server.rest("PATCH", `/contacts/${redirected.contact.id}`, { body: { socialnet_url } });
  const statuses = async () => Promise.all(made.map(async (one) => (await actionOf(one)).status));
  assert.deepEqual(await statuses(), ["approved", "planned", "planned", "planned"]);
  await server.operator("update_socialnet_account", { account_id: account.id, automation_mode: "automatic" });
  assert.deepEqual(await statuses(), ["approved", "held", "held", "approved"]);
  assert.ok(waiting);
});
