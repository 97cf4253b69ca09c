import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { FakeSite } from "../../examples/fake-network/site.ts";
import { type AgentProcess, agentFolder, signInProfile, startAgent } from "../support/agent.ts";
import { startSite } from "../support/browser.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/**
 * The whole way, with nothing in between but the real things: a person's approval in Rostrum, the event, the agent's
 * own process, Chromium, the network's site, and back.
 */

const ENV = { ROSTRUM_SOCIALNET_EXECUTION: "on", ROSTRUM_OUTBOUND_GATE: "open", ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1" };
const COPY = "Hello Ada,\nit’s about rosters & “shifts” at <Harbor & Pine>.";
/** Enough for a browser to start on two busy cores. */
const DEADLINE_MS = 60_000;

interface Stage {
  server: TestServer;
  site: FakeSite;
  account: { id: string };
  contact: { id: string };
  key: string;
  /** The data folder of an agent with Robin signed in. */
  data: string;
}

async function stage(t: TestContext, { mode = "approve_each" } = {}): Promise<Stage> {
  const server = await startServer(t, { env: ENV });
  const site = await startSite(t);
  const account = await server.operator("create_socialnet_account", {
    label: "Robin",
    profile_url: `${site.url}/in/robin`,
    automation_mode: mode,
    time_zone: "UTC",
    windows: [],
    daily_limits: { connection_requests: 20, messages: 40 },
  });
  const { key } = await server.operator("create_key", {
    name: "agent",
    scopes: ["socialnet.read", "socialnet.execute"],
    socialnet_account_id: account.id,
  });
  const { body } = await server.rest("POST", "/contacts", {
    body: { email: "ada@harborpine.example", first_name: "Ada", socialnet_url: `${site.url}/in/ada-okafor` },
  });
  const data = agentFolder(t);
  await signInProfile(data, site, "robin");
  return { server, site, account, contact: body.data, key, data };
}

/** Runs an agent, and waits until it has checked once and sleeps. */
async function agentOf(t: TestContext, { server, site, data, key }: Stage, folder = data): Promise<AgentProcess> {
  return startAgent(t, { site, data: folder, mcpUrl: server.mcpUrl.href, key, args: ["--page-timeout", "15"] });
}

async function plan({ server, account, contact }: Stage, kind = "connection_request", copy = COPY): Promise<string> {
  const planned = { account_id: account.id, contact_id: contact.id, kind, copy };
  return (await server.operator("plan_socialnet_action", planned)).id;
}

const approve = ({ server }: Stage, id: string) => server.operator("approve_socialnet_action", { action_id: id });

async function actionOf({ server, key }: Stage, id: string): Promise<any> {
  const { body } = await server.rest("GET", "/socialnet/actions", { key });
  return body.data.find((action: any) => action.id === id);
}

const statusIs = (of: Stage, id: string, ...statuses: string[]) =>
  until(async () => statuses.includes((await actionOf(of, id))?.status), DEADLINE_MS);

/** Resolves once the agent is subscribed: from then on an event wakes it. */
const asleep = (agent: AgentProcess) =>
  until(() => agent.lines.some(({ msg }) => msg === "waiting") || agent.child.exitCode !== null, DEADLINE_MS);

const activitiesOf = async ({ server, contact }: Stage): Promise<string> => {
  const { body } = await server.rest("POST", "/mcp", {
    headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "brain_contact", arguments: { id: contact.id } },
    },
  });
  return JSON.stringify((body as any).result.structuredContent.data);
};

test("an approved action is sent once, word for word, by an agent that the event woke, and the contact is marked as invited", async (t) => {
  const of = await stage(t);
  const agent = await agentOf(t, of);
  await asleep(agent);
  const id = await plan(of);
  assert.equal(of.site.network.executions.length, 0, "nobody has approved it");
  await approve(of, id);
  await statusIs(of, id, "completed");
  const [execution, ...more] = of.site.network.executions;
  assert.deepEqual([execution?.from, execution?.to, execution?.copy], ["robin", "ada-okafor", COPY]);
  assert.deepEqual(more, []);
  assert.equal((await actionOf(of, id)).outcome, "connection_sent");
  assert.match(await activitiesOf(of), /socialnet_connection_sent/);
  assert.ok(agent.lines.some(({ msg, event }) => msg === "woken" && event === "socialnet.work.available"));
  assert.equal((await agent.stop("SIGTERM")).status, 0, agent.stderr());
});

test("accepted invitations and replies are reported, and a message is sent to the new connection", async (t) => {
  const of = await stage(t);
  of.site.network.connect("robin", "ada-okafor");
  const id = await plan(of, "message", "Shall we talk?");
  await approve(of, id);
  const agent = await agentOf(t, of);
  await statusIs(of, id, "completed");
  assert.deepEqual(
    of.site.network.executions.map(({ kind, copy }) => [kind, copy]),
    [["message", "Shall we talk?"]],
  );
  await asleep(agent);
  of.site.network.write("ada-okafor", "robin", "Gladly!");
  await of.server.operator("request_reconnect", { account_id: of.account.id });
  await until(async () => /socialnet_reply/.test(await activitiesOf(of)), DEADLINE_MS);
});

for (const [mode, session] of [
  ["captcha", "captcha"],
  ["login_wall", "login_required"],
] as const) {
  test(`at a ${mode} nothing is clicked; once a person has resolved it, the action is sent once`, async (t) => {
    const of = await stage(t);
    const agent = await agentOf(t, of);
    await asleep(agent);
    const id = await plan(of);
    of.site.network.setMode(mode, "robin");
    await approve(of, id);
    await until(() => agent.lines.some((line) => line.session === session), DEADLINE_MS);
    assert.equal(of.site.network.executions.length, 0);
    assert.equal((await actionOf(of, id)).status, "approved");

    of.site.network.setMode("normal", "robin");
    await of.server.operator("request_reconnect", { account_id: of.account.id });
    await statusIs(of, id, "completed");
    assert.equal(of.site.network.executions.length, 1);
  });
}

test("a captcha during an action returns it for later, and the account is on hold until a session is ready", async (t) => {
  const of = await stage(t);
  const { network } = of.site;
  const id = await plan(of);
  await approve(of, id);
  network.setMode("captcha_at_profiles", "robin");
  const agent = await agentOf(t, of);
  await until(() => agent.lines.some(({ outcome }) => outcome === "captcha"), DEADLINE_MS);
  await asleep(agent);
  assert.deepEqual([(await actionOf(of, id)).status, network.executions], ["approved", []]);
  assert.equal((await actionOf(of, id)).blockedBy.reason, "session_not_ready");
});

test("an agent killed between click and result never clicks again, and a person settles the outcome", async (t) => {
  const of = await stage(t);
  const { network } = of.site;
  network.setMode("ambiguous", "robin");
  network.hangMs = 600_000;
  const id = await plan(of);
  await approve(of, id);
  const killed = await agentOf(t, of);
  await until(() => network.executions.length === 1, DEADLINE_MS);
  await killed.stop("SIGKILL");
  assert.equal((await actionOf(of, id)).status, "started");

  network.setMode("normal", "robin");
  const next = await agentOf(t, of);
  await statusIs(of, id, "needs_review");
  assert.equal((await actionOf(of, id)).outcome, "outcome_unknown");
  await asleep(next);
  assert.equal(network.executions.length, 1);
  await of.server.operator("settle_socialnet_action", {
    action_id: id,
    outcome: "sent",
    note: "The invitation is pending on the network.",
  });
  assert.equal((await actionOf(of, id)).status, "completed");
  assert.equal(network.executions.length, 1);
});

test("a connection that breaks during the click leaves the outcome unknown and is not retried", async (t) => {
  const of = await stage(t);
  of.site.network.setMode("ambiguous", "robin");
  const id = await plan(of);
  await approve(of, id);
  const agent = await agentOf(t, of);
  await statusIs(of, id, "needs_review");
  await asleep(agent);
  await of.server.operator("request_reconnect", { account_id: of.account.id });
  await until(() => agent.lines.filter(({ msg }) => msg === "waiting").length >= 2, DEADLINE_MS);
  assert.equal(of.site.network.executions.length, 1);
});

test("two agents racing for the same actions send each of them once", async (t) => {
  const of = await stage(t);
  const other = agentFolder(t);
  await signInProfile(other, of.site, "robin");
  of.site.network.connect("robin", "ada-okafor");
  const agents = [await agentOf(t, of), await agentOf(t, of, other)];
  for (const agent of agents) await asleep(agent);
  const copies = ["one", "two", "three", "four"];
  const ids = [];
  for (const copy of copies) ids.push(await plan(of, "message", copy));
  for (const id of ids) await approve(of, id);
  for (const id of ids) await statusIs(of, id, "completed");
  assert.deepEqual(of.site.network.executions.map(({ copy }) => copy).sort(), copies.toSorted());
});
