import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { agentFolder, signInProfile, startAgent } from "../support/agent.ts";
import { startSite } from "../support/browser.ts";
import { action, type Script, startGateway } from "../support/gateway.ts";
import { temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

/** Enough for a browser to start on two busy cores. */
const DEADLINE_MS = 60_000;

/** An agent in whose browser Robin has signed in, with one invitation to send. */
async function staged(t: TestContext, script: Script = {}) {
  const site = await startSite(t);
  const data = agentFolder(t);
  await signInProfile(data, site, "robin");
  let claimed = false;
  const gateway = await startGateway(t, {
    list: () => (claimed ? [] : [action("a", "connection_request")]),
    claim: () => {
      claimed = true;
      return { leaseToken: "lease of a" };
    },
    start: () => ({ copy: "Hello", recipient: { profileUrl: `${site.url}/in/ada-okafor` } }),
    ...script,
  });
  const start = (...args: string[]) =>
    startAgent(t, { site, data, mcpUrl: gateway.url, key: "the key", args: ["--page-timeout", "15", ...args] });
  const inputs = (of: string) => gateway.calls.filter(({ command }) => command === of).map(({ input }) => input);
  return { site, network: site.network, data, start, inputs };
}

test("an agent stopped during a click waits for the result, reports it and exits cleanly", async (t) => {
  const { network, start, inputs, data } = await staged(t);
  network.slowMs = 1_000;
  const agent = start();
  await until(() => inputs("start").length === 1, DEADLINE_MS);
  network.setMode("slow", "robin");
  const { status } = await agent.stop("SIGTERM");
  assert.equal(status, 0, agent.stderr());
  assert.deepEqual(
    inputs("result").map(({ outcome }) => outcome),
    ["connection_sent"],
  );
  assert.equal(network.executions.length, 1);
  assert.equal(inputs("run_report").length, 1);
  assert.equal(agent.lines.at(-1)?.msg, "stopped");
  assert.doesNotMatch(JSON.stringify(agent.lines) + agent.stderr(), /the key|lease of/, "secrets are not logged");
  assert.match(readFileSync(join(data, "journal.jsonl"), "utf8"), /"reported":true}\n$/);
});

test("an agent killed during the click reports the outcome unknown at the next run, and does not click", async (t) => {
  const { network, start, inputs } = await staged(t);
  network.setMode("ambiguous", "robin");
  network.hangMs = 600_000;
  const killed = start();
  await until(() => network.executions.length === 1, DEADLINE_MS);
  await killed.stop("SIGKILL");
  assert.deepEqual(inputs("result"), []);
  network.setMode("normal", "robin");
  const next = start();
  await until(() => inputs("run_report").length === 1 || next.child.exitCode !== null, DEADLINE_MS);
  assert.deepEqual(
    inputs("result").map(({ leaseToken, outcome }) => [leaseToken, outcome]),
    [["lease of a", "outcome_unknown"]],
    next.stderr(),
  );
  assert.equal(network.executions.length, 1);
  assert.equal((await next.stop("SIGTERM")).status, 0, next.stderr());
});

test("an agent whose key has no account exits and says what to do", async (t) => {
  const { start } = await staged(t, { setup: () => ({ bound: false, executionActivated: true, events: [] }) });
  const agent = start("--no-events");
  assert.deepEqual(await agent.ended, { status: 1, signal: null });
  assert.match(agent.stderr(), /bound to no socialnet account/);
});

test("a wrong option is named, with its allowed values", async (t) => {
  const place = {
    site: { url: "http://127.0.0.1:9" },
    data: temporaryFolder(t),
    mcpUrl: "http://127.0.0.1:9",
    key: "k",
  };
  const agent = startAgent(t, { ...place, args: ["--check-in", "2"] });
  assert.equal((await agent.ended).status, 1);
  assert.match(agent.stderr(), /--check-in.*whole number from 5 to 1440/);
});
