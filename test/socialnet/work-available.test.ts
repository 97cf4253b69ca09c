import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { callAsOperator } from "../../src/cli/operator.ts";
import { type Core, openCore } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { engineEnv } from "../support/engine-under-test.ts";
import { startLocal } from "../support/events.ts";
import { rowsOf } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";
import { Agent, DAY_MS, engineAction, MINUTE_MS, ON, withAgent } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

const WORK = "socialnet.work.available";
const HOUR_MS = 60 * MINUTE_MS;

/** An agent's announcements, once every change has been counted. */
async function heard(t: TestContext, options: Parameters<typeof withAgent>[1] = {}) {
  const agent = await withAgent(t, options);
  const receiver = await Receiver.start(t);
  await agent.person("create_webhook", { url: receiver.url, events: [WORK] });
  return { agent, receiver, claimable: () => claimableOf(agent, receiver) };
}

/** The announced counts, in order. */
async function claimableOf({ server, clock, account }: Agent, receiver: Receiver): Promise<number[]> {
  const due = `SELECT count(*) AS n FROM socialnet_accounts WHERE look_at <= ${clock.now()}`;
  await until(() => rowsOf(server, due)[0].n === 0);
  await until(() => rowsOf(server, "SELECT count(*) AS n FROM deliveries WHERE status <> 'delivered'")[0].n === 0);
  return receiver.deliveries.map(({ body }) => {
    const { claimable, ...rest } = body.data;
    assert.deepEqual(rest, { account_id: account.id, account_label: "Ada" });
    return claimable;
  });
}

test("work is announced when approved, with only ids, a count and the label", async (t) => {
  const { agent, receiver, claimable } = await heard(t);
  const contact = await agent.contact({ first_name: "Planted", last_name: "Name", company: "Planted Works" });
  const action = await agent.planned({ contact, copy: "Planted copy." });
  assert.deepEqual(await claimable(), [], "what is planned is no work yet");
  await agent.person("approve_socialnet_action", { action_id: action.id });
  assert.deepEqual(await claimable(), [1]);
  const [delivery] = receiver.deliveries;
  assert.equal(delivery?.body.name, WORK);
  assert.doesNotMatch(delivery?.text ?? "", /planted/i);
  assert.equal(delivery?.text.includes(contact.socialnet_url), false);
  assert.equal(delivery?.text.includes(contact.id), false);
});

test("growing work is announced every 15 minutes at most, and at once after there was none", async (t) => {
  const { agent, claimable } = await heard(t);
  const first = await agent.approved();
  assert.deepEqual(await claimable(), [1]);
  for (let i = 0; i < 3; i++) await agent.approved();
  assert.deepEqual(await claimable(), [1]);
  agent.clock.advance(15 * MINUTE_MS - 1);
  await agent.heartbeat();
  await agent.approved();
  assert.deepEqual(await claimable(), [1], "a millisecond too early");
  agent.clock.advance(1);
  assert.deepEqual(await claimable(), [1, 5]);
  await agent.claim(first);
  await agent.approved();
  assert.deepEqual(await claimable(), [1, 5], "four and five: no more than they know of");
  agent.clock.advance(MINUTE_MS);
  await agent.heartbeat("captcha");
  assert.deepEqual(await claimable(), [1, 5], "none is not told of");
  await agent.heartbeat();
  assert.deepEqual(await claimable(), [1, 5, 5], "one minute later, since there was none");
});

test("work is announced when time makes it claimable: a window, a day, a month, a hold, a lease", async (t) => {
  const windows = [{ days: [1, 2, 3, 4, 5, 6, 7], from: "10:00", to: "12:00" }];
  const { agent, claimable } = await heard(t, { account: { windows } });
  const engine = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: engine.id });
  assert.deepEqual(await claimable(), []);
  agent.clock.advance(HOUR_MS);
  assert.deepEqual(await claimable(), [1], "the window opens");
  agent.clock.advance(2 * HOUR_MS);
  assert.deepEqual(await claimable(), [1]);
  agent.clock.advance(22 * HOUR_MS);
  assert.deepEqual(await claimable(), [1, 1], "and opens the next day");

  const claimed = await agent.claim(engine);
  assert.deepEqual(await claimable(), [1, 1]);
  agent.clock.advance(10 * MINUTE_MS);
  await until(async () => (await agent.statusOf(claimed)) === "approved");
  assert.deepEqual(await claimable(), [1, 1, 1], "the lease runs out");

  await agent.person("cancel_socialnet_action", { action_id: engine.id });
  await agent.result(await agent.started(), "rate_limited");
  assert.deepEqual(await claimable(), [1, 1, 1]);
  agent.clock.advance(DAY_MS);
  assert.deepEqual(await claimable(), [1, 1, 1, 1], "the hold is over");

  await agent.person("set_plan", { socialnet_allowance: 1 });
  assert.deepEqual(await claimable(), [1, 1, 1, 1]);
  agent.clock.advance(Date.UTC(2026, 11, 1) - agent.clock.now());
  assert.deepEqual(await claimable(), [1, 1, 1, 1, 1], "the month begins");
});

test("work is announced when a person lifts a block: a pause of all or of a sequence, a limit, the plan, the mode", async (t) => {
  const { agent, claimable } = await heard(t);
  const engine = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: engine.id });
  const told = await claimable();
  const change = (settings: object) =>
    agent.person("update_socialnet_account", { account_id: agent.account.id, ...settings });
  const setSequence = (status: string) =>
    agent.person("set_sequence_status", { sequence_id: engine.sequence.id, status });
  for (const [shut, open] of [
    [() => agent.person("pause_outreach", { reason: "x" }), () => agent.person("resume_outreach", {})],
    [() => setSequence("paused"), () => setSequence("active")],
    [() => setSequence("archived"), () => setSequence("active")],
    [() => change({ daily_limits: { messages: 0 } }), () => change({ daily_limits: { messages: 9 } })],
    [
      () => agent.person("set_plan", { socialnet_allowance: 0 }),
      () => agent.person("set_plan", { socialnet_allowance: null }),
    ],
    [() => change({ automation_mode: "off" }), () => change({ automation_mode: "approve_each" })],
  ] as const) {
    await shut();
    assert.deepEqual(await claimable(), told);
    await open();
    told.push(1);
    assert.deepEqual(await claimable(), told);
  }
});

test("the server announces changes made by another process", async (t) => {
  const { agent, claimable } = await heard(t);
  const { clock, server } = agent;
  const config = readConfig({ port: "0", data: server.folder }, { ...engineEnv(server.folder), ...ON });
  const core: Core = await openCore(config, createLog("silent"), { clock });
  t.after(() => core.close());
  const action = await agent.planned();
  const input = { action_id: action.id };
  const { status, body } = await callAsOperator(core, "approve_socialnet_action", server.workspaceId, input);
  assert.equal(status, 200, body);
  assert.deepEqual(await claimable(), [1]);
});

test("of two servers on one database one announces, each time", async (t) => {
  const { agent, receiver } = await heard(t);
  const { clock, server } = agent;
  await startLocal(t, { clock, folder: server.folder, env: ON });
  const agents = [agent];
  for (let i = 0; i < 6; i++) {
    const other = await Agent.of(server, clock, { profile_url: `https://socialnet.example/in/other-${i}` });
    await other.heartbeat();
    agents.push(other);
  }
  const contact = await agent.contact();
  for (let round = 1; round <= 3; round++) {
    const actions = await Promise.all(agents.map((each) => each.approved({ contact })));
    const due = `SELECT count(*) AS n FROM socialnet_accounts WHERE look_at <= ${clock.now()}`;
    const settled = () => until(() => rowsOf(server, due)[0].n === 0);
    await settled();
    assert.equal(rowsOf(server, "SELECT count(*) AS n FROM deliveries")[0].n, round * agents.length);
    for (const { id } of actions) await agent.person("cancel_socialnet_action", { action_id: id });
    await settled();
  }
  await receiver.waitFor(3 * agents.length);
  const byAccount = new Map<string, number>();
  for (const { body } of receiver.deliveries) {
    byAccount.set(body.data.account_id, (byAccount.get(body.data.account_id) ?? 0) + 1);
  }
  assert.deepEqual(
    agents.map(({ account }) => byAccount.get(account.id)),
    agents.map(() => 3),
  );
});

test("work that became claimable while no server ran is announced by the next one, and never twice", async (t) => {
  const windows = [{ days: [5], from: "10:00", to: "23:00" }];
  const { agent, receiver } = await heard(t, { account: { windows } });
  const { clock, server, account, key } = agent;
  const engine = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: engine.id });
  assert.deepEqual(await claimableOf(agent, receiver), []);
  await server.running.close();
  clock.advance(HOUR_MS);
  const next = await startLocal(t, { clock, folder: server.folder, env: ON });
  await receiver.waitFor(1);
  assert.deepEqual(await claimableOf(new Agent(next, clock, account, key), receiver), [1]);
  await next.running.close();
  clock.advance(HOUR_MS);
  const last = await startLocal(t, { clock, folder: server.folder, env: ON });
  const again = new Agent(last, clock, account, key);
  // Makes the last server count again.
  await again.person("update_socialnet_account", { account_id: account.id, daily_limits: { connection_requests: 9 } });
  assert.deepEqual(await claimableOf(again, receiver), [1]);
});
