import assert from "node:assert/strict";
import { test } from "node:test";
import { Receiver } from "../support/receiver.ts";
import { type Agent, withAgent } from "../support/socialnet.ts";

const SCHEDULE = "socialnet.schedule.changed";
const WINDOWS = [{ days: [1, 2], from: "09:00", to: "17:00" }];
const RULE = { label: "Planted label", rrule: "FREQ=DAILY;BYHOUR=9", timezone: "UTC" };

const change = (settings: object) => (agent: Agent) =>
  agent.person("update_socialnet_account", { account_id: agent.account.id, ...settings });
const report = (fields: object) => (agent: Agent) =>
  agent.done("schedule_report", { schedules: [RULE], checkInMinutes: 60, ...fields });

/** Successive changes of one account, and what its agent is told: nothing, or what changed. */
const CHANGES: [make: (agent: Agent) => Promise<unknown>, changed: string[] | null][] = [
  [change({ windows: WINDOWS }), ["windows"]],
  [change({ windows: WINDOWS }), null],
  [change({ time_zone: "Europe/Berlin" }), ["windows"]],
  [change({ daily_limits: { connection_requests: 1, messages: 40 } }), ["limits"]],
  [change({ daily_limits: { messages: 2 } }), ["limits"]],
  [change({ automation_mode: "off" }), ["mode"]],
  [change({ label: "Ada" }), null],
  [change({ profile_url: "https://socialnet.example/in/ada" }), null],
  [report({}), ["schedules"]],
  [report({}), null],
  [report({ schedules: [{ ...RULE, nextRunAt: "2026-11-21T09:00:00Z" }] }), null],
  [report({ checkInMinutes: 30 }), ["schedules"]],
  [report({ schedules: [] }), ["schedules"]],
  [
    change({ windows: [], daily_limits: { connection_requests: 9, messages: 9 }, automation_mode: "automatic" }),
    ["windows", "limits", "mode"],
  ],
];

test("a change of sending hours, limits, mode or schedules is announced once, naming what changed; nothing else is", async (t) => {
  const agent = await withAgent(t);
  const receiver = await Receiver.start(t);
  await agent.person("create_webhook", { url: receiver.url, events: [SCHEDULE] });
  const expected: unknown[] = [];
  for (const [make, changed] of CHANGES) {
    await make(agent);
    if (changed !== null) expected.push({ account_id: agent.account.id, account_label: "Ada", changed });
    // Later announcements follow, so an unwanted one would come before them.
    await receiver.waitFor(expected.length);
    const told = receiver.deliveries.map(({ body }) => body.data);
    assert.deepEqual(told, expected);
  }
  for (const { body, text } of receiver.deliveries) {
    assert.equal(body.name, SCHEDULE);
    assert.doesNotMatch(text, /planted|socialnet\.example/i);
  }
});

test("brief tells an agent that wakes without the event's data what stands now: hours, limits, mode and schedules", async (t) => {
  const agent = await withAgent(t);
  const before = await agent.done("brief");
  assert.deepEqual([before.schedules, before.checkInMinutes], [[], null]);
  for (const [make] of CHANGES.filter(([, changed]) => changed !== null)) {
    const told = await agent.done("brief");
    await make(agent);
    assert.notDeepEqual(await agent.done("brief"), told);
  }
  await report({})(agent);
  const { account, windows, remaining, schedules, checkInMinutes } = await agent.done("brief");
  assert.deepEqual(
    [account.automationMode, windows.rules, remaining.connectionRequests, remaining.messages],
    ["automatic", [], 9, 9],
  );
  assert.deepEqual([schedules, checkInMinutes], [[{ ...RULE, nextRunAt: null }], 60]);
});
