import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { callAsOperator } from "../../src/cli/operator.ts";
import { ALL_SCOPES } from "../../src/domain/access/roles.ts";
import { byDoor, signIn } from "../support/console.ts";
import { member } from "../support/member.ts";
import { Agent, ON, reasonOf, SENDER, withAgent } from "../support/socialnet.ts";

const AT = "2026-11-20T08:00:00.000Z";

/** A valid call of each command except setup. */
const calls = (actionId: string): Record<string, object> => ({
  health_observation: {
    observation: {
      observationId: randomUUID(),
      profileUrl: SENDER,
      observedAt: AT,
      windowStartedAt: "2026-11-01T00:00:00Z",
      windowEndedAt: "2026-11-08T00:00:00Z",
      invitationsSent: 5,
      invitationsAccepted: 1,
      evidence: "Seen.",
      invitationsWithdrawn: null,
      warnings: null,
      accountAgeDays: null,
    },
  },
  connection_accepted: { actionId },
  heartbeat: { session: "ready", profileUrl: SENDER },
  brief: {},
  schedule_report: { schedules: [], checkInMinutes: 60 },
  run_report: {
    runId: randomUUID(),
    startedAt: AT,
    finishedAt: AT,
    status: "ok",
    claimed: 0,
    completed: 0,
    failed: 0,
    synced: 0,
  },
  sync: { observations: [{ kind: "reply", profileUrl: SENDER, observedAt: AT, externalKey: "k" }] },
  reconnect_ack: {},
  claim: { actionId },
  start: { actionId, leaseToken: randomUUID() },
  result: { actionId, leaseToken: randomUUID(), outcome: "not_sent", evidence: "Seen." },
});

test("a key without an account can only call setup, and its list is empty", async (t) => {
  const agent = await withAgent(t);
  const { id } = await agent.approved();
  const { key } = agent.server;
  const { data } = (await agent.command("setup", {}, key)).body;
  assert.deepEqual([data.bound, data.account, data.health, data.executionActivated], [false, null, null, true]);
  for (const [command, fields] of Object.entries(calls(id))) {
    assert.deepEqual(reasonOf(await agent.command(command, fields, key)), ["unbound_agent"], command);
  }
  const list = await agent.server.rest("GET", "/socialnet/actions");
  const meta = { total: 0, limit: 25, offset: 0, hasMore: false };
  assert.deepEqual([list.status, list.body], [200, { data: [], meta, error: null }]);
});

test("members and the local operator are not an account's agent: setup is answered, the rest refused", async (t) => {
  const agent = await withAgent(t, { signIn });
  const { id } = await agent.approved();
  const rep = member(agent.server, { approveOutbound: true });
  for (const [command, fields] of Object.entries({ setup: {}, ...calls(id) })) {
    const input = { command, ...fields };
    const page = await byDoor(agent.server, "socialnet_command", input, { as: rep });
    const shell = await callAsOperator(agent.server.running, "socialnet_command", agent.server.workspaceId, input);
    for (const { status, text } of [page, { status: shell.status, text: shell.body }]) {
      if (command === "setup") assert.equal(JSON.parse(text).data.bound, false);
      else assert.deepEqual([status, JSON.parse(text).reason], [409, "unbound_agent"], command);
    }
  }
  const viewer = member(agent.server, { role: "viewer" });
  const refused = await byDoor(agent.server, "socialnet_command", { command: "brief" }, { as: viewer });
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  assert.equal((await byDoor(agent.server, "list_socialnet_actions", {}, { as: viewer })).body.meta.total, 0);
});

test("an unknown action, and one of the workspace's other accounts, are not found and stay unchanged", async (t) => {
  const agent = await withAgent(t);
  const other = await Agent.of(agent.server, agent.clock, { profile_url: "https://socialnet.example/in/other" });
  await other.heartbeat();
  const foreign = await other.claimed();
  for (const actionId of [foreign.id, randomUUID()]) {
    const { leaseToken } = foreign;
    for (const [command, fields] of Object.entries({
      claim: { actionId },
      start: { actionId, leaseToken },
      result: { actionId, leaseToken, outcome: "message_sent", evidence: "Seen." },
      connection_accepted: { actionId },
    })) {
      const { status, body } = await agent.command(command, fields);
      assert.deepEqual([status, body.code, body.data], [404, "action_not_found", null], command);
    }
  }
  assert.equal(await other.statusOf(foreign), "claimed");
  assert.equal((await agent.server.rest("GET", "/socialnet/actions", { key: agent.key })).body.meta.total, 0);
});

test("the scopes are deny-by-default: commands need socialnet.execute, the list socialnet.read", async (t) => {
  const agent = await withAgent(t);
  const { key: reader } = await agent.person("create_key", {
    name: "r",
    scopes: ALL_SCOPES.filter((scope) => scope !== "socialnet.execute"),
    socialnet_account_id: agent.account.id,
  });
  const { key: doer } = await agent.person("create_key", {
    name: "w",
    scopes: ["socialnet.execute"],
    socialnet_account_id: agent.account.id,
  });
  const list = (key: string) => agent.server.rest("GET", "/socialnet/actions", { key });
  assert.deepEqual([(await list(reader)).status, (await agent.command("brief", {}, doer)).status], [200, 200]);
  for (const [reply, scope] of [
    [await agent.command("brief", {}, reader), "socialnet.execute"],
    [await list(doer), "socialnet.read"],
  ] as const) {
    assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"]);
    assert.match(reply.body.error ?? "", new RegExp(scope));
  }
  assert.deepEqual((await agent.command("setup", {}, doer)).body.data.events, [], "events need socialnet.read");
  for (const key of ["", "nonsense", `ros_live_${"x".repeat(43)}`]) {
    for (const reply of [await list(key), await agent.command("setup", {}, key)]) {
      assert.deepEqual([reply.status, reply.headers.has("www-authenticate")], [401, true]);
    }
  }
});

test("on a server with execution off, setup says so, and claim and start are refused", async (t) => {
  const agent = await withAgent(t, { env: { ...ON, ROSTRUM_SOCIALNET_EXECUTION: "off" } });
  const { id: actionId } = await agent.approved();
  assert.equal((await agent.done("setup")).executionActivated, false);
  assert.equal((await agent.done("brief")).claimable, 0);
  for (const [command, fields] of [
    ["claim", { actionId }],
    ["claim", { actionId: randomUUID() }],
    ["start", { actionId, leaseToken: randomUUID() }],
  ] as const) {
    for (const key of [agent.key, agent.server.key]) {
      assert.deepEqual(reasonOf(await agent.command(command, fields, key)), ["execution_not_activated"], command);
    }
  }
  const [shown] = (await agent.server.rest("GET", "/socialnet/actions", { key: agent.key })).body.data;
  assert.deepEqual(shown.blockedBy, { reason: "execution_not_activated", nextWindowAt: null });
});

test("the Idempotency-Key header is ignored: a second claim is a second claim", async (t) => {
  const agent = await withAgent(t);
  const { id: actionId } = await agent.approved();
  const headers = { "idempotency-key": "one" };
  const send = () =>
    agent.server.rest("POST", "/socialnet/actions", { key: agent.key, headers, body: { command: "claim", actionId } });
  assert.equal((await send()).status, 200);
  assert.deepEqual(reasonOf(await send()), ["already_claimed"]);
});

test("the agent's list shows its account, newest first, 25 a page, by status, and refuses unknown parameters", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const made: string[] = [];
  for (let i = 0; i < 27; i++) {
    agent.clock.advance(1);
    made.unshift((await agent.planned({ contact })).id);
  }
  await agent.person("approve_socialnet_action", { action_id: made[3] });
  const list = (query: string) => agent.server.rest("GET", `/socialnet/actions${query}`, { key: agent.key });
  const ids = async (query: string) => (await list(query)).body.data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids(""), made.slice(0, 25));
  assert.deepEqual(await ids("?offset=25"), made.slice(25));
  assert.deepEqual((await list("")).body.meta, { total: 27, limit: 25, offset: 0, hasMore: true });
  assert.deepEqual(await ids("?status=approved"), [made[3]]);
  assert.equal((await list("?status=planned&offset=1")).body.meta.total, 26);
  for (const query of ["?status=open", "?offset=-1", "?offset=x", "?offset=1.5", "?limit=5", "?account_id=1"]) {
    const { status, body } = await list(query);
    assert.deepEqual([status, body.code], [400, "validation_failed"], query);
  }
});
