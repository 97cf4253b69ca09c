import assert from "node:assert/strict";
import { test } from "node:test";
import { inGroups, inOrder, sumOf } from "../../src/console/pages/today/attention-item.ts";
import { isNews } from "../../src/console/pages/today/today.tsx";
import { scheduledAt } from "../../src/console/ui/format.ts";
import { fillAgentScreens } from "../support/agent-screens.ts";
import { asMember, asOwner, formOf } from "../support/http-browser.ts";
import { armed, enroll, newContact } from "../support/sequences.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { Agent, ON } from "../support/socialnet.ts";

test("Today lists what is stopped first, then what needs review, as the checks found it", () => {
  const task = (text: string, tone: "plain" | "needs" | "stopped" | "done") => ({ text, tone, to: "/" }) as const;
  const found = [
    task("a", "plain"),
    task("b", "needs"),
    task("c", "stopped"),
    task("d", "needs"),
    task("e", "stopped"),
  ];
  assert.equal(
    inOrder(found)
      .map(({ text }) => text)
      .join(""),
    "cebda",
  );
});

test("Today lists the oldest of a kind first, and what has no time last", () => {
  const row = (text: string, at?: string, tone: "needs" | "stopped" = "needs") =>
    ({ text, tone, to: "/", ...(at && { at }) }) as const;
  const found = [
    row("d"),
    row("c", "2026-11-20T09:00:00.000Z"),
    row("b", "2026-11-19T09:00:00.000Z"),
    row("a", undefined, "stopped"),
  ];
  assert.equal(
    inOrder(found)
      .map(({ text }) => text)
      .join(""),
    "abcd",
  );
});

test("Today groups what needs attention by what a member does about it, and leaves out an empty group", () => {
  const task = (text: string, tone: "needs" | "stopped", group?: "decide" | "fix" | "know") =>
    ({ text, tone, to: "/", ...(group && { group }) }) as const;
  const found = inGroups([task("a", "stopped"), task("b", "needs"), task("c", "needs", "fix")]);
  assert.deepEqual(
    found.map(({ group, items }) => [group, ...items.map(({ text }) => text)]),
    [
      ["decide", "b"],
      ["fix", "a", "c"],
    ],
  );
});

test("the number beside a group sums what its lines count", () => {
  const line = { text: "a", tone: "needs", to: "/" } as const;
  assert.equal(sumOf([line, { ...line, count: 4 }, { ...line, count: 2 }]), 7);
});

test("Today links to the only unconfirmed action, before what needs approval, in sentences", async (t) => {
  const server = await startServer(t, { env: ON });
  const { account, action } = await fillAgentScreens(server);
  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}`;
  const { text } = await owner.get(at);
  const unknown = text.indexOf(`href="${at}/agents/${account.id}/actions/${action.id}">Message to Ada is unconfirmed`);
  const toApprove = text.indexOf("Message to Ada needs review</a>");
  assert.ok(unknown > 0 && toApprove > unknown, text);
  assert.match(text.slice(unknown, toApprove), /Unconfirmed<\/span>/);
  assert.match(text.slice(0, unknown), /<h3>Decide /, "what became of it is a decision");
  assert.doesNotMatch(text, /<h3>Know /, "a heading says what the group is");
  assert.match(text.slice(toApprove), /<span class="verb quiet">Review<\/span>/);
  assert.doesNotMatch(text, />(window|sequences|deals)<\/span>/);
});

test("Today suggests a key for a first agent only while there is none", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}`;
  await owner.post(at, formOf(await owner.get(at), "set_setup_guide") ?? {});
  const { text } = await owner.get(at);
  assert.match(text, /Nothing in progress/);
  assert.doesNotMatch(text, /connect your first agent/);
});

test("events from creating the workspace are not listed as news", () => {
  for (const kind of ["set_up", "create_workspace"]) assert.equal(isNews({ source: "audit", kind }), false, kind);
  assert.ok(isNews({ source: "audit", kind: "create_contact" }));
});

test("Today shows the numbers of each local day, and none where nothing was ever done", async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 9));
  const server = await startServer(t, { clock });
  await server.operator("set_sending_policy", { time_zone: "Asia/Tokyo" });
  const owner = await asOwner(server, clock.now());
  const at = `/console/w/${server.workspaceId}`;
  assert.doesNotMatch((await owner.get(at)).text, /Meetings booked/);
  const { id } = await newContact(server);
  const log = (type: string) => server.rest("POST", `/contacts/${id}/activities`, { body: { type, subject: "x" } });
  assert.equal((await log("meeting_booked")).status, 201);
  assert.equal((await log("call_made")).status, 201);
  // It is already the next day in Tokyo.
  clock.advance(7 * 3_600_000);
  assert.equal((await log("meeting_booked")).status, 201);
  const { time_zone, days } = await server.operator("get_daily_numbers", {});
  assert.deepEqual([time_zone, days.length], ["Asia/Tokyo", 14]);
  const quiet = { emails_sent: 0, agent_actions: 0, replies: 0, bounces: 0 };
  assert.deepEqual(days.slice(-3), [
    { date: "2026-11-19", ...quiet, meetings_booked: 0 },
    { date: "2026-11-20", ...quiet, meetings_booked: 1 },
    { date: "2026-11-21", ...quiet, meetings_booked: 1 },
  ]);
  const { text } = await owner.get(at);
  assert.match(text, /Meetings booked<\/a><p class="number">1<\/p>/);
  assert.match(text, /2 in the last 7 days, 0 in the 7 days before/);
  assert.match(text, /<th scope="row">Nov 20, 2026<\/th><td>1<\/td>/);
});

test("Today shows people only what they can act on; a viewer's list is empty", async (t) => {
  const server = await startServer(t, { env: ON });
  await fillAgentScreens(server);
  const at = `/console/w/${server.workspaceId}`;
  const page = async (role: string, more = {}) => {
    const who = { email: `${role}${Object.keys(more).length}@b.example`, name: role, role, ...more };
    return (await (await asMember(server, who)).get(at)).text;
  };
  const [viewer, rep, approver] = [
    await page("viewer"),
    await page("rep"),
    await page("rep", { approve_outbound: true }),
  ];
  assert.doesNotMatch(viewer, /Needs attention|needs review|Unconfirmed/);
  assert.match(viewer, /In progress/);
  assert.match(rep, /Needs attention[\s\S]*Unconfirmed<\/span>/);
  assert.doesNotMatch(rep, /needs review/);
  assert.match(approver, /Message to Ada needs review/);
});

test("a moment ahead is named by its local day", () => {
  const now = Date.UTC(2026, 10, 20, 22, 30);
  const at = (hours: number, timeZone = "UTC") => scheduledAt(now + hours * 3_600_000, now, timeZone);
  assert.equal(at(0), "Now");
  assert.equal(at(1), "Today 23:30");
  assert.equal(at(2), "Tomorrow 0:30");
  assert.equal(at(2, "America/New_York"), "Today 19:30");
  assert.equal(at(2, "Asia/Tokyo"), "Today 9:30");
  assert.equal(at(72), "Mon 22:30");
  assert.equal(at(24 * 14), "Dec 4, 22:30");
});

test("Today shows what is scheduled next, in the workspace's time zone, with links", async (t) => {
  // A Friday evening in London.
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 18));
  const server = await startServer(t, { clock, env: { ...ON, ROSTRUM_WORKERS: "off" } });
  await server.operator("set_sending_policy", {
    time_zone: "Europe/London",
    windows: [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }],
    sender_name: "Robin",
  });
  const steps = [{ type: "email", subject: "Hello {{first_name}}", body: "Hi", delay_days: 1 }];
  const { contact, sequence, ids } = await armed(server, { sequence: { name: "Fall", steps } });
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active", delivery: "files" });
  assert.equal((await enroll(server, ids)).status, 201);
  const agent = await Agent.of(server, clock);
  await agent.heartbeat();
  const action = await agent.approved();
  const booked = await newContact(server, { first_name: "Grace", last_name: "Hopper" });
  const body = { type: "meeting_booked", subject: "Intro" };
  assert.equal((await server.rest("POST", `/contacts/${booked.id}/activities`, { body })).status, 201);
  const { time_zone, steps: next, meetings } = await server.operator("list_upcoming", {});
  assert.equal(time_zone, "Europe/London");
  // Due on Saturday evening, sent when the sending hours open.
  assert.deepEqual(
    next.map(({ at, step, contact: { id } }: any) => [at, step, id]),
    [["2026-11-23T09:00:00.000Z", 0, contact.id]],
  );
  assert.deepEqual(
    meetings.map(({ contact: { id } }: any) => id),
    [booked.id],
  );
  const owner = await asOwner(server, clock.now());
  const at = `/console/w/${server.workspaceId}`;
  const shown = async () => (await owner.get(at)).text.split("Scheduled next")[1] ?? "";
  const text = await shown();
  assert.match(text, new RegExp(`Mon 9:00</time>.*?<a href="${at}/sequences/${sequence.id}">Email to Ada</a>`));
  assert.match(text, /Fall, step 1/);
  assert.match(
    text,
    new RegExp(
      `<a href="${at}/agents/${agent.account.id}/actions/${action.id}">Message to Ada</a>.*?by ${agent.account.label}<`,
    ),
  );
  assert.match(text, new RegExp(`No time set.*?<a href="${at}/contacts/${booked.id}">Meeting with Grace Hopper</a>`));
  assert.match(text, /\/checklist\/due">\d+ checklist items ready<\/a>/);
  const ready = Number(/(\d+) checklist items ready/.exec(text)?.[1]);
  const due = (await owner.get(`${at}/checklist/due`)).text;
  const waiting = Number(/Waiting for other items \((\d+)\)/.exec(due)?.[1]);
  const { length } = await server.operator("list_due_checklist_items", { limit: 100 });
  assert.deepEqual([ready > 0, waiting > 0, ready + waiting], [true, true, length], "those that can be done");
  assert.match(text, /Times are in Europe\/London/);
  // Nobody knows when a pause ends, and a confirmed meeting is not ahead.
  await server.operator("pause_outreach", {});
  await server.operator("confirm_meeting", { contact_id: booked.id, held_on: "2026-11-20" });
  const paused = await shown();
  assert.doesNotMatch(paused, /Email to Ada|Message to Ada|Meeting with/);
});

test("Today shows once what agents did, with the names of the records", async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 9));
  const server = await startServer(t, { clock, env: ON });
  const owner = await asOwner(server, clock.now());
  const agent = await Agent.of(server, clock);
  const tick = () => clock.advance(60_000);
  for (let i = 0; i < 11; i += 1) {
    await agent.heartbeat();
    tick();
  }
  const ada = await agent.contact({ first_name: "Yuki", last_name: "Tanaka" });
  const planned = await agent.approved({ contact: ada, kind: "connection_request" });
  await agent.claim(planned);
  tick();
  const at = `/console/w/${server.workspaceId}`;
  const feed = async () => {
    const [, text = ""] = /What agents did(.*?)View all agent activity/s.exec((await owner.get(at)).text) ?? [];
    return [...text.matchAll(/<p class="entry">(.*?)<\/p>/gs)].map(([, line = ""]) =>
      line.replace(/<[^>]*>/g, "").trim(),
    );
  };
  assert.deepEqual(await feed(), [
    "Claimed connection request to Yuki Tanaka",
    "Added contact Yuki Tanaka",
    "Checked in as Ada (11 times)",
  ]);
  // What became of the action replaces that it was claimed, also if other work came between.
  const other = await agent.approved({ contact: await agent.contact({ first_name: "Ada", last_name: "Okafor" }) });
  const claimed = await agent.claim(other);
  tick();
  await agent.start(claimed);
  tick();
  assert.equal((await agent.result(claimed, "message_sent")).status, 200);
  assert.deepEqual((await feed()).slice(0, 2), ["Sent message to Ada Okafor", "Added contact Ada Okafor"]);
  assert.match((await owner.get(at)).text, />agent<\/a>/, "the key that did it");
});
