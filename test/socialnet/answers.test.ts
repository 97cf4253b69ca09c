import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { findOperation } from "../../src/cli/operator.ts";
import { referenceOf } from "../../src/tools/socialnet/commands/reference.ts";
import { AGENT_COMMANDS, socialnetCommand } from "../../src/tools/socialnet/socialnet-command.ts";
import { type Agent, DAY_MS, EVIDENCE, iso, MINUTE_MS, withAgent } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

const saying = async (agent: Agent, command: string, fields: object): Promise<string> =>
  (await agent.command(command, fields)).body.error ?? "";

test("a short reference lists for every command what it does, takes and returns, and what comes next", () => {
  const reference = referenceOf(AGENT_COMMANDS);
  assert.ok(reference.length < 7_000, `${reference.length} characters`);
  for (const { name, does, takes, answers, next } of AGENT_COMMANDS) {
    const [, section = ""] = reference.split(`## ${name}\n`);
    const [told = ""] = section.split("\n## ");
    assert.ok(told.includes(does) && told.includes(`- Next: ${next}`), name);
    for (const field of Object.keys(takes)) assert.match(told, new RegExp(`Takes: .*\\b${field}\\b`), name);
    const fields = Object.keys(z.toJSONSchema(answers, { io: "output" }).properties ?? {});
    assert.ok(told.includes(`- Returns: { ${fields.join(", ")} }`), name);
  }
  assert.match(reference, /- Takes: \{ actionId: uuid \}\n/);
  assert.match(reference, /- Takes: \{ profileUrl\?, actionId\?: uuid, evidence\? \}/);
  assert.match(reference, /- Takes: \{ observations: \[\{ kind: reply \| connection_accepted \| message_received, /);
  assert.match(reference, /warnings: 0\.\.1000 \| null/);
});

test("the example of each command is valid", () => {
  for (const { name, example } of AGENT_COMMANDS) {
    const { error } = socialnetCommand.input.safeParse({ command: name, ...example });
    assert.equal(error, undefined, `${name}: ${error}`);
  }
});

test("a claim says what comes next and what happens without a start; a late start is refused and frees the action", async (t) => {
  const agent = await withAgent(t);
  const { id: actionId } = await agent.approved();
  const { nextStep, leaseToken, action } = await agent.done("claim", { actionId });
  assert.equal(action.blockedBy, null);
  assert.match(nextStep, /^Nothing may be sent yet\. .*call start.*claim expires.*can be claimed again/);
  assert.match(nextStep, /On a login or captcha, send heartbeat/);
  agent.clock.advance(20 * MINUTE_MS);
  const stale = await agent.command("start", { actionId, leaseToken });
  assert.equal((stale.body as any).reason, "stale_claim");
  assert.match(stale.body.error ?? "", /Don't send\. If the action is still approved, claim it again\.$/);
  await until(async () => (await agent.done("brief")).claimable === 1);
  await agent.done("claim", { actionId });
});

test("after a captcha between claim and start a heartbeat is enough: the claim expires and is made again", async (t) => {
  const agent = await withAgent(t);
  const { id: actionId, leaseToken } = await agent.claimed();
  await agent.heartbeat("captcha");
  const { notClaimable } = await agent.done("brief");
  assert.deepEqual(
    notClaimable.map(({ reason }: any) => reason),
    ["session_not_ready", "no_approved_actions"],
  );
  const said = await saying(agent, "start", { actionId, leaseToken });
  assert.match(said, /solved the captcha, send heartbeat with session ready\. Don't send\. .*claim expires by itself/);
  agent.clock.advance(11 * MINUTE_MS);
  const waiting = await agent.done("brief");
  assert.deepEqual([waiting.claimable, waiting.holds], [0, []]);
  await agent.heartbeat();
  await until(async () => (await agent.done("brief")).claimable === 1);
  await agent.done("claim", { actionId });
});

test("a start says how long a result counts, and a late one counts until a person has marked the outcome", async (t) => {
  const agent = await withAgent(t);
  const late = await agent.claimed();
  const { nextStep } = await agent.start(late);
  assert.match(nextStep, /After leaseExpiresAt a teammate reviews the action, and a late result is accepted unless/);
  const settled = await agent.started();
  agent.clock.advance(20 * MINUTE_MS);
  const sent = { actionId: late.id, leaseToken: late.leaseToken, outcome: "message_sent", evidence: EVIDENCE };
  assert.equal((await agent.done("result", sent)).status, "completed");
  await until(async () => (await agent.statusOf(settled)) === "needs_review");
  await agent.person("settle_socialnet_action", { action_id: settled.id, outcome: "not_sent" });
  const refused = { ...sent, actionId: settled.id, leaseToken: settled.leaseToken };
  assert.match(
    await saying(agent, "result", refused),
    /A teammate has already set the outcome of this action.*Skip the action\.$/,
  );
});

test("a result says what comes next, depending on its outcome", async (t) => {
  const agent = await withAgent(t);
  const after = async (outcome: string) => {
    await agent.heartbeat();
    const { id: actionId, leaseToken } = await agent.started();
    return agent.done("result", { actionId, leaseToken, outcome, evidence: EVIDENCE });
  };
  assert.match((await after("not_sent")).nextStep, /^Recorded as failed\. Continue with the next action\.$/);
  const told = await agent.started();
  const first = { actionId: told.id, leaseToken: told.leaseToken, outcome: "not_sent", evidence: EVIDENCE };
  await agent.done("result", first);
  assert.match(
    await saying(agent, "result", { ...first, outcome: "message_sent" }),
    /^You already reported not_sent for this start, and it can't be changed\. /,
  );
  assert.match(
    (await after("outcome_unknown")).nextStep,
    /A teammate checks what happened\. Never execute this action again/,
  );
  const captcha = await after("captcha");
  assert.equal(captcha.status, "approved");
  assert.match(
    captcha.nextStep,
    /nothing was sent, and the account is on hold\. Send heartbeat with session captcha.*end the run/,
  );
  assert.match((await after("rate_limited")).nextStep, /hold ends on the account's next day.*end the run/);
});

test("an outcome that the kind can't have is refused with the valid ones", async (t) => {
  const agent = await withAgent(t);
  const { id: actionId, leaseToken } = await agent.started();
  const fields = { actionId, leaseToken, outcome: "connection_sent", evidence: EVIDENCE };
  const said = await saying(agent, "result", fields);
  assert.match(said, /^outcome can't be connection_sent for a message\. Use one of message_sent, .*outcome_unknown\.$/);
  assert.doesNotMatch(said, /already_connected/);
});

test("brief says whether execution is on, every reason why nothing can be claimed, and who can change it", async (t) => {
  const off = await withAgent(t, { env: { ROSTRUM_SOCIALNET_EXECUTION: "off" } });
  const { executionActivated, claimable, notClaimable } = await off.done("brief");
  assert.deepEqual([executionActivated, claimable], [false, 0]);
  const [why] = notClaimable;
  assert.deepEqual([notClaimable.length, why.reason, why.nextWindowAt], [1, "execution_not_activated", null]);
  assert.match(why.fix, /server admin can set ROSTRUM_SOCIALNET_EXECUTION=on/);

  const agent = await withAgent(t, { account: { daily_limits: { connection_requests: 0, messages: 1 } } });
  const reasons = async () =>
    (await agent.done("brief")).notClaimable.map(({ reason, nextWindowAt }: any) => [reason, nextWindowAt]);
  assert.deepEqual(await reasons(), [["no_approved_actions", null]]);
  await agent.planned();
  assert.deepEqual(await reasons(), [["no_approved_actions", null]]);
  await agent.approved();
  assert.deepEqual(await reasons(), []);
  await agent.approved({ kind: "connection_request", copy: "" });
  await agent.started();
  assert.deepEqual(await reasons(), [["daily_limit", iso(Date.UTC(2026, 10, 21))]]);
  await agent.heartbeat("login_required");
  assert.deepEqual(await reasons(), [["session_not_ready", null]]);
  await agent.heartbeat();
  agent.clock.advance(DAY_MS);
  assert.deepEqual(await reasons(), []);
});

test("while execution is off, a refusal says that nothing was claimed or sent, and that the run can end", async (t) => {
  const agent = await withAgent(t, { env: { ROSTRUM_SOCIALNET_EXECUTION: "off" } });
  const { id: actionId } = await agent.approved();
  for (const [command, fields] of [
    ["claim", { actionId }],
    ["start", { actionId, leaseToken: actionId }],
  ] as const) {
    const said = await saying(agent, command, fields);
    assert.match(
      said,
      /^Nothing was claimed or sent\. Social sending is off on this server\. The server admin can set .*End the run/,
    );
  }
});

test("an unknown action is named by the id that was sent", async (t) => {
  const agent = await withAgent(t);
  const id = "0190aaaa-0000-7000-8000-00000000abcd";
  const lease = { leaseToken: id, outcome: "not_sent", evidence: EVIDENCE };
  for (const [command, fields] of Object.entries({
    claim: {},
    start: { leaseToken: id },
    result: lease,
    connection_accepted: {},
  })) {
    const { status, body } = await agent.command(command, { actionId: id, ...fields });
    assert.deepEqual([status, body.code], [404, "action_not_found"], command);
    assert.equal(body.error, `actionId: this account has no action "${id}". Use an id from list_socialnet_actions.`);
  }
});

test("to a caller with the current instructions, brief sends only their version", async (t) => {
  const agent = await withAgent(t);
  const { server, account } = agent;
  const [{ id, prefix, scopes }] = (await server.operator("list_keys", {})).filter(
    (key: any) => key.socialnet_account_id === account.id,
  );
  const caller = {
    ...({ kind: "key", id, name: "agent", prefix } as const),
    ...{ workspaceId: server.workspaceId, scopes: new Set(scopes), socialnetAccountId: account.id },
  };
  const instructionsFor = async (instructionsVersion?: string) => {
    const answer = await server.running.invoke(findOperation("socialnet_command"), {
      ...{ caller: caller as never, surface: "mcp", requestId: "r", options: { instructionsVersion } },
      input: () => ({ command: "brief" }),
    });
    return JSON.parse(answer.body).data.instructions;
  };
  const { version, text } = await instructionsFor();
  assert.ok(text.length > 500);
  assert.deepEqual(await instructionsFor(version), { version, text: null });
  assert.deepEqual(await instructionsFor("older"), { version, text });
  const rest = await agent.command("brief", { instructionsVersion: version });
  assert.equal(rest.status, 400);
});
