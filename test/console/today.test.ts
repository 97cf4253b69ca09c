import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "../../src/console/pages/today/attention-item.ts";
import { isNews } from "../../src/console/pages/today/today.tsx";
import { fillAgentScreens } from "../support/agent-screens.ts";
import { asMember, asOwner, formOf } from "../support/http-browser.ts";
import { newContact } from "../support/sequences.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { ON } from "../support/socialnet.ts";

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

test("Today links to the only unconfirmed action, before what needs approval, in sentences", async (t) => {
  const server = await startServer(t, { env: ON });
  const { account, action } = await fillAgentScreens(server);
  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}`;
  const { text } = await owner.get(at);
  const unknown = text.indexOf(
    `href="${at}/agents/${account.id}/actions/${action.id}">1 message from social account Ada is unconfirmed`,
  );
  const toApprove = text.indexOf("1 action to approve</a>");
  assert.ok(unknown > 0 && toApprove > unknown, text);
  assert.match(text.slice(unknown, toApprove), /Unconfirmed<\/span>/);
  assert.match(text.slice(toApprove), /Needs review<\/span>/);
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
  assert.match(text, /2 in 7 days, 0 in the 7 days before/);
  assert.match(text, /<th scope="row">Nov 20, 2026<\/th><td>1<\/td>/);
});

test("Today tells people only what they can do something about; a viewer has nothing to attend to", async (t) => {
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
  assert.doesNotMatch(viewer, /Needs attention|to approve|Unconfirmed/);
  assert.match(viewer, /In progress/);
  assert.match(rep, /Needs attention[\s\S]*Unconfirmed<\/span>/);
  assert.doesNotMatch(rep, /action to approve/);
  assert.match(approver, /1 action to approve/);
});
