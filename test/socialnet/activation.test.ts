import assert from "node:assert/strict";
import { test } from "node:test";
import { UNKNOWN } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";
import { DAY_MS, iso, withAgent } from "../support/socialnet.ts";

test("a server with execution off says so first, even to a key without an account", async (t) => {
  const command = { claim: { actionId: UNKNOWN }, start: { actionId: UNKNOWN, leaseToken: UNKNOWN } };
  for (const [env, reason] of [
    [{}, "execution_not_activated"],
    [{ ROSTRUM_SOCIALNET_EXECUTION: "on" }, "unbound_agent"],
  ] as const) {
    const server = await startServer(t, { env });
    for (const [name, input] of Object.entries(command)) {
      const { status, body } = await server.rest("POST", "/socialnet/actions", { body: { command: name, ...input } });
      assert.deepEqual([status, (body as any).reason], [409, reason], name);
    }
  }
});

test("setup and refusals tell a key without an account what to do, and a key with one is missing nothing", async (t) => {
  const server = await startServer(t);
  const setup = (key?: string) => server.rest("POST", "/socialnet/actions", { key, body: { command: "setup" } });
  const unbound = (await setup()).body.data;
  assert.match(unbound.nextStep, /Ask an admin to create a key for an account in the console/);
  const refused = await server.rest("POST", "/socialnet/actions", { body: { command: "brief" } });
  assert.deepEqual([refused.status, refused.body.error], [409, unbound.nextStep]);
  const sender = { label: "Ada", profile_url: "https://socialnet.example/in/ada" };
  const { id } = await server.operator("create_socialnet_account", sender);
  const bound = await server.operator("create_key", {
    name: "b",
    scopes: ["socialnet.execute"],
    socialnet_account_id: id,
  });
  assert.match((await setup(bound.key)).body.data.nextStep, /server admin can set ROSTRUM_SOCIALNET_EXECUTION=on/);
  const agent = await withAgent(t);
  assert.equal((await agent.done("setup")).nextStep, null);
});

test("brief and refusals say that outreach is paused or the account on hold, and who can end it", async (t) => {
  const agent = await withAgent(t);
  assert.deepEqual((await agent.done("brief")).holds, []);
  const action = await agent.approved();
  await agent.result(await agent.started(), "rate_limited");
  await agent.person("pause_outreach", { reason: "test" });
  const { holds } = await agent.done("brief");
  assert.deepEqual(
    holds.map(({ reason, until }: any) => [reason, until]),
    [
      ["outreach_paused", null],
      ["rate_limited", iso(Date.UTC(2026, 10, 21))],
    ],
  );
  const [paused, limited] = holds.map(({ fix }: any) => fix);
  assert.match(paused, /Outreach is paused for this workspace\. An admin can resume it/);
  assert.match(limited, /has reached the professional network's limit/);
  const refusal = await agent.command("claim", { actionId: action.id });
  assert.equal(refusal.body.error, `${paused} ${limited}`);
  await agent.person("resume_outreach", {});
  agent.clock.advance(DAY_MS);
  assert.deepEqual((await agent.done("brief")).holds, []);
  await agent.result(await agent.started(), "captcha");
  const [captcha] = (await agent.done("brief")).holds;
  assert.deepEqual([captcha.reason, captcha.until], ["captcha", null]);
  assert.match(captcha.fix, /After the account holder has solved it, send heartbeat with session ready/);
});
