import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { PageNetwork } from "../../examples/browser-agent/network.ts";
import type { Outcome } from "../../examples/browser-agent/outcomes.ts";
import type { FakeNetwork, Mode } from "../../examples/fake-network/network.ts";
import { closeBrowser, newPage, signIn, startSite } from "../support/browser.ts";

after(closeBrowser);

const COPY = "Hello Ada,\n\nit’s about <rosters> & “shifts”.";
const DEADLINE_MS = 10_000;

async function robin(t: TestContext, timeoutMs = DEADLINE_MS) {
  const [site, page] = [await startSite(t), await newPage(t)];
  await signIn(page, site, "robin");
  const driver = new PageNetwork({ browser: page.context(), url: site.url, timeoutMs });
  const of = (handle: string) => `${site.url}/in/${handle}`;
  return { site, network: site.network, page, driver, of };
}

const sent = ({ executions }: FakeNetwork) => executions.map(({ at: _, ...execution }) => execution);

test("a ready session is recognized, with its profile, and so is one that needs a person", async (t) => {
  const { network, driver, of } = await robin(t);
  assert.deepEqual(await driver.look(), { session: "ready", profileUrl: of("robin") });
  for (const [mode, session] of [
    ["login_wall", "login_required"],
    ["captcha", "captcha"],
    ["restricted", "restricted"],
  ] as const) {
    network.setMode(mode, "robin");
    assert.deepEqual(await driver.look(), { session });
  }
});

test("an invitation is sent once, with the exact note, and a second one finds it pending", async (t) => {
  const { network, driver, of } = await robin(t);
  const first = await driver.connect(of("ada-okafor"), COPY);
  assert.deepEqual(
    [first.outcome, sent(network)],
    ["connection_sent", [{ kind: "connection_request", from: "robin", to: "ada-okafor", copy: COPY }]],
  );
  assert.match(first.evidence, /^\/in\/ada-okafor: Invitation sent to Ada Okafor\./);
  const second = await driver.connect(of("ada-okafor"), COPY);
  assert.equal(second.outcome, "not_sent");
  assert.match(second.evidence, /An invitation is pending/);
  assert.equal(network.executions.length, 1);
});

test("a message is sent once, with the exact text, and only to a connection", async (t) => {
  const { network, driver, of } = await robin(t);
  assert.equal((await driver.message(of("ada-okafor"), COPY)).outcome, "not_sent");
  assert.deepEqual(sent(network), []);
  network.connect("robin", "ada-okafor");
  assert.equal((await driver.message(of("ada-okafor"), COPY)).outcome, "message_sent");
  assert.deepEqual(sent(network), [{ kind: "message", from: "robin", to: "ada-okafor", copy: COPY }]);
  assert.equal((await driver.connect(of("ada-okafor"), COPY)).outcome, "already_connected");
  assert.equal(network.executions.length, 1);
});

/** Each obstacle, its outcome, and how often the network was asked to send. */
const OBSTACLES: [Mode, Outcome, number][] = [
  ["login_wall", "login_required", 0],
  ["captcha", "captcha", 0],
  ["captcha_at_profiles", "captcha", 0],
  ["restricted", "not_sent", 0],
  ["unavailable", "profile_unavailable", 0],
  ["rate_limited", "rate_limited", 0],
  ["refuses", "not_sent", 0],
  ["slow", "connection_sent", 1],
  ["ambiguous", "outcome_unknown", 1],
  ["captcha_on_send", "outcome_unknown", 0],
];

for (const [mode, outcome, times] of OBSTACLES) {
  test(`with the network in mode ${mode}, an invitation results in ${outcome} and is sent ${times} times`, async (t) => {
    const { network, driver, of } = await robin(t);
    network.slowMs = 200;
    network.setMode(mode, "robin");
    const seen = await driver.connect(of("ada-okafor"), COPY);
    assert.equal(seen.outcome, outcome, seen.evidence);
    assert.notEqual(seen.evidence, "");
    assert.equal(network.executions.length, times);
  });
}

test("a message hits the same obstacles as an invitation", async (t) => {
  const { network, driver, of } = await robin(t);
  network.connect("robin", "ada-okafor");
  for (const [mode, outcome] of OBSTACLES) {
    network.slowMs = 200;
    network.setMode(mode, "robin");
    const seen = await driver.message(of("ada-okafor"), COPY);
    assert.equal(seen.outcome, outcome === "connection_sent" ? "message_sent" : outcome, `${mode}: ${seen.evidence}`);
  }
  assert.equal(network.executions.length, 2, "slow and ambiguous");
});

test("a page that times out is not clicked, and a response that times out is unknown", async (t) => {
  const { network, driver, of } = await robin(t, 3_000);
  network.slowMs = 60_000;
  network.setMode("slow", "robin");
  const unopened = await driver.connect(of("ada-okafor"), COPY);
  assert.deepEqual([unopened.outcome, network.executions.length], ["not_sent", 0], unopened.evidence);
  network.setMode("ambiguous", "robin");
  network.hangMs = 60_000;
  const unanswered = await driver.connect(of("ada-okafor"), COPY);
  assert.deepEqual([unanswered.outcome, network.executions.length], ["outcome_unknown", 1], unanswered.evidence);
});

test("a note that the network would truncate is not sent", async (t) => {
  const { network, driver, of } = await robin(t);
  const seen = await driver.connect(of("ada-okafor"), "x".repeat(301));
  assert.equal(seen.outcome, "not_sent");
  assert.match(seen.evidence, /The field takes another text/);
  assert.deepEqual(network.executions, []);
});

test("a signed-in browser opens no URL of another site", async (t) => {
  const { driver, page } = await robin(t);
  const opened: string[] = [];
  page.context().on("request", (request) => opened.push(request.url()));
  for (const elsewhere of [
    ...["https://elsewhere.example/in/ada", "file:///etc/passwd", "javascript:alert(1)", "nonsense", ""],
    ...["http://127.0.0.1.elsewhere.example/in/ada", "http://127.0.0.1@elsewhere.example/in/ada"],
  ]) {
    assert.equal((await driver.connect(elsewhere, COPY)).outcome, "profile_unavailable");
  }
  assert.deepEqual(opened, []);
});

test("a profile is found however its URL is written", async (t) => {
  const { site, network, driver } = await robin(t);
  const { host } = new URL(site.url);
  const written = [`${host}/in/ada-okafor`, `https://${host}/in/mateo-ferreira/?from=search#top`];
  for (const address of written)
    assert.equal((await driver.connect(address, COPY)).outcome, "connection_sent", address);
  assert.deepEqual(
    network.executions.map(({ to }) => to),
    ["ada-okafor", "mateo-ferreira"],
  );
});

test("the inbox separates replies, other messages and accepted invitations, each with a stable id", async (t) => {
  const { network, driver, of } = await robin(t);
  await driver.connect(of("ada-okafor"), COPY);
  network.accept("ada-okafor", "robin");
  network.write("ada-okafor", "robin", `Gladly! ${"y".repeat(600)}`);
  network.write("priya-raman", "robin", "We have not met.");
  const seen = await driver.inbox();
  const told = (kind: string) => seen.find((observation) => observation.kind === kind);
  assert.deepEqual(seen.map(({ kind }) => kind).sort(), ["connection_accepted", "message_received", "reply"]);
  assert.equal(told("connection_accepted")?.profileUrl, of("ada-okafor"));
  assert.equal(told("reply")?.profileUrl, of("ada-okafor"));
  assert.equal(told("reply")?.excerpt?.length, 500);
  assert.deepEqual(
    [told("message_received")?.profileUrl, told("message_received")?.excerpt],
    [of("priya-raman"), "We have not met."],
  );
  for (const { observedAt } of seen) assert.ok(!Number.isNaN(Date.parse(observedAt)));
  assert.deepEqual(await driver.inbox(), seen);
});

test("a profile is opened at the exact address that was approved", async (t) => {
  const { driver, of, page } = await robin(t);
  const opened: string[] = [];
  page.context().on("request", (request) => opened.push(request.url()));
  const address = `${of("ada-okafor")}?id=2`;
  await driver.message(address, COPY);
  assert.ok(opened.includes(address), opened.join("\n"));
});
