import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { readWeek, writeWeek } from "../../src/console/app/form-data.ts";
import { formatRule } from "../../src/console/pages/socialnet/runs.tsx";
import { ProfileLink } from "../../src/console/ui/basics.tsx";
import { measurement } from "../support/agent-screens.ts";
import { asMember, asOwner, type Browser, formOf, type Page } from "../support/http-browser.ts";
import { startServer } from "../support/server.ts";
import { type Agent, DAY_MS, engineAction, iso, MINUTE_MS, type Underway, withAgent } from "../support/socialnet.ts";

/** The text of a page, without its markup. */
const text = ({ text: html }: Page) =>
  html
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");

interface Room {
  agent: Agent;
  owner: Browser;
  /** Fields on the account's own pages. */
  path: (rest?: string) => string;
  look: (rest?: string) => Promise<string>;
  submit: (rest: string, form: Record<string, string | string[]>) => Promise<Page>;
}

async function room(t: TestContext, options: Parameters<typeof withAgent>[1] = {}): Promise<Room> {
  const agent = await withAgent(t, options);
  const owner = await asOwner(agent.server, agent.clock.now());
  const path = (rest = "") => `/console/w/${agent.server.workspaceId}/agents/${agent.account.id}${rest}`;
  const look = async (rest = "") => {
    const page = await owner.get(path(rest));
    assert.equal(page.status, 200, page.text);
    return text(page);
  };
  const submit = (rest: string, form: Record<string, string | string[]>) => owner.post(path(rest), form);
  return { agent, owner, path, look, submit };
}

const account = ({ agent }: Room) => agent.person("get_socialnet_account", { account_id: agent.account.id });
const actionPath = ({ id }: Underway) => `/actions/${id}`;

test("without an account the page explains accounts, and the form creates the first and continues to its agent", async (t) => {
  const { server, clock } = await withAgent(t);
  const other = await server.operator("create_workspace", { name: "other" });
  const admin = { email: "a@b.example", name: "A", role: "admin" };
  const browser = await asMember(server, admin, other.id);
  const base = `/console/w/${other.id}/agents`;
  const empty = await browser.get(base);
  assert.match(text(empty), /No social accounts yet.*Add your first social account/);
  const form = { _do: "create_socialnet_account", _then: "agents/{id}/connect", label: "Robin" };
  const wrong = await browser.post(`${base}/new`, { ...form, profile_url: "robin", time_zone: "UTC" });
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /<input(?=[^>]*name="profile_url")(?=[^>]*aria-invalid="true")/);
  const made = await browser.post(`${base}/new`, {
    ...form,
    profile_url: "https://socialnet.example/in/robin",
    time_zone: "CET",
    automation_mode: "off",
    "owner_member_id:nullable": "",
  });
  assert.match(made.location ?? "", new RegExp(`^${base}/[0-9a-f-]{36}/connect$`));
  const fresh = (await browser.get((made.location ?? "").replace("/connect", ""))).text;
  assert.match(fresh, /No check-in yet.*<a [^>]*\/connect"[^>]*>Connect agent</s);
  assert.equal(fresh.split("button primary").length - 1, 1, "one thing comes first");
  assert.match(text(await browser.get(base)), /Robin.*No check-in yet.*0 of 20 today.*0 of 40 today/);
  assert.ok(clock.now() > 0);
});

test("a card shows session and since when, last heartbeat, mode, sending hours and today's use of the limits", async (t) => {
  const windows = [{ days: [1], from: "09:00", to: "17:00" }];
  const { agent, owner } = await room(t, {
    account: { windows, daily_limits: { connection_requests: 3, messages: 2 } },
  });
  await agent.started();
  await agent.started();
  agent.clock.advance(61 * MINUTE_MS);
  await agent.heartbeat();
  agent.clock.advance(2 * MINUTE_MS);
  const drawn = await owner.get(`/console/w/${agent.server.workspaceId}/agents`);
  const page = text(drawn);
  assert.match(drawn.text, /<svg(?=[^>]*role="img")(?=[^>]*aria-label="Messages: 2 of 2 today, limit reached")/);
  assert.match(page, /Session Ready since Nov 20, 2026/);
  assert.match(page, /Last check-in 2 minutes ago/);
  assert.match(page, /Mode Approval required/);
  assert.match(page, /Sending hours Closed, opens Mon, Nov 23, 9:00 \(UTC\) , in 3 days/);
  assert.match(page, /Connection requests 0 of 3 today/);
  assert.match(page, /Messages 2 of 2 today, limit reached/);
});

test("the action list shows each action's state, what blocks it and when it can run, by state and page by page", async (t) => {
  const windows = [{ days: [1], from: "09:00", to: "17:00" }];
  const inRoom = await room(t, { account: { windows } });
  const { agent, look, owner, path } = inRoom;
  const engine = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: engine.id });
  await agent.at("needs_review");
  const held = await agent.at("held");
  const page = await owner.get(path());
  assert.match(text(page), /Approved Sending hours , Mon, Nov 23, 9:00 \(UTC\) , in 3 days/);
  assert.match(page.text, /<time dateTime="2026-11-23T09:00:00.000Z"/i);
  assert.match(text(page), /Unconfirmed Confirmation of the outcome/);
  assert.match(text(page), /On hold Release by a teammate/);
  const onlyHeld = await owner.get(path("?status=held"));
  assert.ok(onlyHeld.text.includes(held.id));
  assert.ok(!onlyHeld.text.includes(engine.id));
  assert.match(await look("?status=failed"), /No actions with status “Failed”/);
  assert.match(await look("?status=nonsense"), /On hold Release by a teammate/);
  for (let i = 0; i < 25; i += 1) await agent.planned();
  assert.match(await look(), /1–25 of 28/);
  assert.match(await look("?offset=25"), /26–28 of 28/);
  await agent.person("pause_outreach", {});
  assert.match(await look("?status=approved"), /Approved Outreach to be resumed/);
});

test("sending hours are entered day by day: equal days share a window, and an empty week is always open", async (t) => {
  const inRoom = await room(t);
  const { submit, owner, path } = inRoom;
  const set = async (week: string[], more: object = {}) =>
    submit("/rules", {
      _do: "update_socialnet_account",
      _form: "hours",
      account_id: inRoom.agent.account.id,
      time_zone: "Europe/Berlin",
      "windows:week": week,
      ...more,
    });
  const workdays = ["9-12:30, 14 - 18", "9-12:30,14-18", "9-12:30; 14-18", "09:00–12:30, 14:00 to 18:00", "9-13"];
  assert.equal((await set([...workdays, "", " "])).status, 303);
  const { windows, time_zone } = await account(inRoom);
  assert.equal(time_zone, "Europe/Berlin");
  assert.deepEqual(windows, [
    { days: [1, 2, 3, 4], from: "09:00", to: "12:30" },
    { days: [1, 2, 3, 4], from: "14:00", to: "18:00" },
    { days: [5], from: "09:00", to: "13:00" },
  ]);
  const shown = [...(await owner.get(path("/rules"))).text.matchAll(/<input[^>]*name="windows:week"[^>]*>/g)];
  const typed = shown.map(([field]) => / value="([^"]*)"/.exec(field)?.[1] ?? "");
  assert.deepEqual(typed, [...Array(4).fill("09:00-12:30, 14:00-18:00"), "09:00-13:00", "", ""]);
  assert.match(shown[6]?.[0] ?? "", /placeholder="Closed"/);
  const limits = (await owner.get(path("/rules"))).text.match(/<input[^>]*name="daily_limits\.[^>]*>/g) ?? [];
  assert.deepEqual(
    limits.map((field) => / required/.test(field)),
    [true, true],
    "a limit that is cleared is not ignored",
  );
  assert.equal((await set(Array(7).fill(""))).status, 303);
  assert.deepEqual((await account(inRoom)).windows, []);
  assert.match(text(await owner.get(path("/rules"))), /If every day is blank, they can be sent at any hour\./);
});

test("only members who can list keys see each agent's key, permissions and last use", async (t) => {
  const { agent, owner } = await room(t);
  const { server } = agent;
  const at = `/console/w/${server.workspaceId}/agents`;
  const { id } = await server.operator("create_key", { name: "Gone", scopes: ["deals.write"] });
  await server.operator("revoke_key", { key_id: id });
  await server.operator("create_key", { name: "Researcher", scopes: ["contacts.read", "social_checklist.submit"] });
  const page = await owner.get(at);
  assert.match(
    text(page),
    /Researcher Contacts and deals \(read only\), Submit posts and documents for review None Never/,
  );
  assert.doesNotMatch(text(page), /Gone/);
  assert.ok(page.text.includes(`href="/console/w/${server.workspaceId}/settings/keys"`));
  const viewer = await asMember(server, { email: "v@b.example", name: "V", role: "viewer" });
  assert.doesNotMatch(text(await viewer.get(at)), /Agents and connected clients|Researcher/);
});

test("an invalid day is refused with the focus on that day, and the typed text stays", async (t) => {
  const inRoom = await room(t);
  for (const wrong of ["nine to five", "17-9", "9", "9-25:00", "9-10-11"]) {
    const page = await inRoom.submit("/rules", {
      _do: "update_socialnet_account",
      _form: "hours",
      account_id: inRoom.agent.account.id,
      time_zone: "UTC",
      "windows:week": ["9-17", "", wrong, "9-17", "", "", ""],
    });
    assert.equal(page.status, 400, wrong);
    const fields = [...page.text.matchAll(/<input[^>]*name="windows:week"[^>]*>/g)].map(([field]) => field);
    assert.deepEqual(
      fields.map((field) => /autofocus/i.test(field) && field.includes('aria-invalid="true"')),
      [false, false, true, false, false, false, false],
      wrong,
    );
    assert.ok(fields[2]?.includes(`value="${wrong}"`), wrong);
    assert.match(
      text(page),
      /Wednesday: (?:use 24-hour times, such as “9-17” or “9-12:30, 14-18”|the end time must be later than the start time)\. .* Save hours/,
      "told before the button",
    );
    assert.deepEqual((await account(inRoom)).windows, []);
  }
  const zone = await inRoom.submit("/rules", {
    _do: "update_socialnet_account",
    _form: "hours",
    account_id: inRoom.agent.account.id,
    time_zone: "Mars",
    "windows:week": ["9-17", "", "", "", "", "", ""],
  });
  assert.match(zone.text, /<input(?=[^>]*name="time_zone")(?=[^>]*aria-invalid="true")(?=[^>]*value="Mars")/);
  assert.match(zone.text, /name="windows:week" value="9-17"/);
});

test("parsing and formatting a week gives the same week", () => {
  const windows = [
    { days: [1, 3], from: "00:00", to: "24:00" },
    { days: [2], from: "09:15", to: "10:45" },
  ];
  const order = (list: typeof windows) => list.map((window) => JSON.stringify(window)).sort();
  assert.deepEqual(order(readWeek(writeWeek(windows))), order(windows));
});

test("automatic mode warns, is offered only to members with the approval permission, and turns off with one click", async (t) => {
  const inRoom = await room(t);
  const { agent, path, look, submit } = inRoom;
  const waiting = await agent.planned();
  const form = { _do: "update_socialnet_account", _form: "mode-automatic", account_id: agent.account.id };
  const admin = await asMember(agent.server, { email: "a@b.example", name: "A", role: "admin" });
  const theirs = await admin.get(path("/rules"));
  assert.doesNotMatch(text(theirs), /Turn on automatic sending…/);
  assert.match(text(theirs), /Only teammates who can approve outbound messages can turn on automatic sending/);
  const forced = await admin.post(path("/rules"), { ...form, automation_mode: "automatic" });
  assert.equal(forced.status, 403);
  assert.equal((await account(inRoom)).automation_mode, "approve_each");
  assert.match(
    await look("/rules"),
    /Turn on automatic sending….*If you turn this on, most actions are sent without review/,
  );
  const shown = await inRoom.owner.get(path("/rules"));
  const read = new RegExp(`name="read_profile_url" value="${agent.account.profile_url}"`);
  assert.match(/<form[^>]* id="mode-automatic".*?<\/form>/s.exec(shown.text)?.[0] ?? "", read);
  assert.match(text(shown), /Turning it on approves 1 planned action\./);
  const { copy_hash, copy, recipient_url } = await agent.look(waiting);
  const [, list = ""] = /aria-label="Planned actions that this approves">(.*?)<\/ul>/s.exec(shown.text) ?? [];
  for (const part of [copy, recipient_url]) assert.ok(list.includes(part), "each is shown in full");
  const automatic = { ...form, automation_mode: "automatic", "copy_hashes:hashes": ["", `${waiting.id} ${copy_hash}`] };
  const stale = { ...automatic, read_profile_url: `${agent.account.profile_url}-before` };
  assert.equal((await submit("/rules", stale)).status, 409);
  assert.equal((await account(inRoom)).automation_mode, "approve_each");
  await agent.person("edit_socialnet_action", { action_id: waiting.id, copy: "Never read." });
  const unread = await agent.planned();
  const refused = await submit("/rules", automatic);
  assert.equal(refused.status, 409);
  assert.match(
    text(refused),
    /2 planned actions are new or changed since you opened this page\. Review them, then turn on automatic sending\./,
  );
  for (const { id } of [waiting, unread]) assert.ok(refused.text.includes(`${path(`/actions/${id}`)}">View action`));
  assert.equal(await agent.statusOf(unread), "planned");
  assert.equal((await submit("/rules", { ...automatic, "copy_hashes:hashes": "" })).status, 409, "none was shown");
  const again = [...refused.text.matchAll(/name="copy_hashes:hashes" value(?:="([^"]*)")?/g)].map(
    ([, value = ""]) => value,
  );
  assert.deepEqual(again.length, 3);
  assert.equal((await submit("/rules", { ...automatic, "copy_hashes:hashes": again })).status, 303);
  assert.equal(await agent.statusOf(waiting), "approved");
  assert.equal((await admin.post(path("/rules"), { ...form, automation_mode: "approve_each" })).status, 303);
  assert.equal(await agent.statusOf(waiting), "planned");
});

test("viewers see sending hours, limits and owner, without a form to change them", async (t) => {
  const { agent, path } = await room(t, { account: { windows: [{ days: [2], from: "09:00", to: "12:00" }] } });
  const viewer = await asMember(agent.server, { email: "v@b.example", name: "V", role: "viewer" });
  const page = await viewer.get(path("/rules"));
  assert.doesNotMatch(page.text, /name="_do"/);
  assert.match(text(page), /Tuesday.*09:00-12:00.*Wednesday Closed/);
  assert.match(text(page), /Connection requests 20 Messages 40/);
  assert.equal((await viewer.get(path("/connect"))).status, 403);
});

test("an account's page offers a viewer nothing that they can't do", async (t) => {
  const { agent, owner } = await room(t);
  const viewer = await asMember(agent.server, { email: "v@b.example", name: "V", role: "viewer" });
  const { id } = await agent.person("create_socialnet_account", {
    label: "New",
    profile_url: "https://socialnet.example/in/new",
  });
  const path = `/console/w/${agent.server.workspaceId}/agents/${id}`;
  const [all, seen] = [text(await owner.get(path)), text(await viewer.get(path))];
  for (const offer of [/Edit hours and limits/, /plan an action above/, /create an API key/]) {
    assert.match(all, offer);
    assert.doesNotMatch(seen, offer);
  }
  assert.match(seen, /Ask an admin to connect an agent\./);
  assert.match(seen, /View hours and limits/);
});

test("a member finds a contact, plans an action, and is led to it, where it is approved as it was shown", async (t) => {
  const { agent, look, submit, path, owner } = await room(t);
  const reachable = await agent.contact({ first_name: "Adele", last_name: "Goldberg" });
  await agent.server.rest("POST", "/contacts", { body: { first_name: "Adam" } });
  const found = await owner.get(path("/plan?q=ad"));
  assert.match(found.text, new RegExp(`plan\\?q=ad&amp;contact=${reachable.id}`));
  assert.match(text(found), /Adam.*No profile/);
  assert.match(await look(`/plan?contact=${reachable.id}`), /Plan action to Adele Goldberg/);
  const plan = {
    _do: "plan_socialnet_action",
    account_id: agent.account.id,
    contact_id: reachable.id,
    kind: "message",
  };
  const empty = await submit(`/plan?contact=${reachable.id}`, { ...plan, copy: " " });
  assert.equal(empty.status, 400);
  assert.match(empty.text, /<textarea(?=[^>]*name="copy")(?=[^>]*aria-invalid="true")/);
  const read = { ...plan, copy: "Hello", recipient_url: reachable.socialnet_url };
  const elsewhere = { socialnet_url: `${reachable.socialnet_url}-elsewhere` };
  await agent.server.rest("PATCH", `/contacts/${reachable.id}`, { body: elsewhere });
  const changed = await submit(`/plan?contact=${reachable.id}`, read);
  assert.equal(changed.status, 409, "the profile is not the one that the page showed");
  assert.match(changed.text, new RegExp(`name="recipient_url" value="${elsewhere.socialnet_url}"`));
  const then = `agents/${agent.account.id}/actions/{id}`;
  const planned = await submit(`/plan?contact=${reachable.id}`, { ...plan, copy: "Hello <b>Adele</b>.", _then: then });
  assert.equal(planned.status, 303);
  const page = await owner.get(planned.location ?? "");
  assert.match(page.text, /Hello &lt;b>Adele&lt;\/b>\./);
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? "";
  const approve = { _do: "approve_socialnet_action", action_id: hidden("action_id"), copy_hash: hidden("copy_hash") };
  await agent.person("edit_socialnet_action", { action_id: approve.action_id, copy: "Changed meanwhile." });
  const stale = await owner.post(planned.location ?? "", approve);
  assert.equal(stale.status, 409, "what was read is not what is there");
  await agent.person("pause_outreach", { reason: "A fair." });
  const paused = text(await owner.get(planned.location ?? ""));
  assert.match(
    paused,
    /After an approval, Ada's agent waits for outreach to be resumed, then sends this message once, at its next check-in\./,
  );
  assert.doesNotMatch(paused, /Approve and send/);
  const { copy_hash } = await agent.person("get_planned_action", { action_id: approve.action_id });
  const said = { ...approve, copy_hash };
  assert.equal((await owner.post(planned.location ?? "", said)).status, 303);
  const after = text(await owner.get(planned.location ?? ""));
  assert.match(after, /Action approved\. The action is waiting for outreach to be resumed\./);
  assert.match(after, /Olive Owner approved it.*edited the text.*Olive Owner planned this action/);
});

test("the history tells a change of the text from a change of what the action depends on", async (t) => {
  const { agent, look } = await room(t);
  const action = await agent.approved();
  await agent.person("edit_socialnet_action", { action_id: action.id, copy: "Hello again." });
  const profile = "https://socialnet.example/in/elsewhere";
  await agent.person("update_contact", { id: action.contact.id, socialnet_url: profile });
  assert.match(
    await look(actionPath(action)),
    /changed the contact's profile, the sender or the sequence.*“The contact's profile changed\..*edited the text, which canceled the approval.*approved it/,
  );
});

test("an approval says what the account waits for before its agent can send, here and in Review", async (t) => {
  const inRoom = await room(t);
  const { agent, owner, path, look } = inRoom;
  const review = ({ id }: Underway) => `/console/w/${agent.server.workspaceId}/review/action/${id}`;
  const [first, second] = [await agent.planned(), await agent.planned()];
  await agent.result(await agent.started(), "login_required");
  const waits = /Ada's agent waits for the account holder to sign in, then sends this message once/;
  for (const page of [await look(actionPath(first)), text(await owner.get(review(second)))]) {
    assert.match(page, waits);
    assert.doesNotMatch(page, /Approve and send/);
  }
  const approve = async (action: Underway, at: string, id: string) => {
    const { copy_hash } = await agent.person("get_planned_action", { action_id: action.id });
    const form = { _do: "approve_socialnet_action", _form: id, action_id: action.id, copy_hash };
    const { location } = await owner.post(at, form);
    return text(await owner.get(location ?? ""));
  };
  const told = /approved\. The action is waiting for the account holder to sign in\./;
  const approved = await approve(first, path(actionPath(first)), "approve_socialnet_action");
  assert.match(approved, told);
  assert.match(approved, /Waiting for The account holder to sign in/);
  assert.match(await approve(second, review(second), "approve"), told);
  assert.match(await look(), /Approved The account holder to sign in/);
  await agent.heartbeat("captcha");
  assert.match(await look(), /Approved The account holder to sign in and the account holder to solve the CAPTCHA/);
  await agent.heartbeat();
  assert.match(await look(), /Approved The agent's next check-in/);
  await agent.person("update_socialnet_account", { account_id: agent.account.id, daily_limits: { messages: 0 } });
  assert.match(await look(), /Approved The daily limit to reset or be raised/);
});

test("an action offers what its state allows, and hold, release, edit and cancel work", async (t) => {
  const { agent, look, submit } = await room(t);
  const action = await agent.approved();
  const at = actionPath(action);
  const act = async (name: string, more: object = {}) => {
    const page = await submit(at, { _do: `${name}_socialnet_action`, action_id: action.id, ...more });
    assert.equal(page.status, 303, page.text);
  };
  const offers = async () =>
    (await look(at)).match(/(Approve and send|Release…|Edit…|Request changes…|Put on hold…|Cancel action…)/g);
  assert.deepEqual(await offers(), ["Edit…", "Put on hold…", "Cancel action…"]);
  await act("hold", { "note:optional": "After the fair." });
  assert.deepEqual(await offers(), ["Release…", "Edit…", "Cancel action…"]);
  assert.match(await look(at), /“After the fair.”/);
  await act("release", { "note:optional": "" });
  assert.equal(await agent.statusOf(action), "approved");
  await act("edit", { copy: "Other words." });
  assert.deepEqual(await offers(), ["Approve and send", "Edit…", "Request changes…", "Put on hold…", "Cancel action…"]);
  await act("cancel");
  assert.equal(await offers(), null);
  assert.match(
    await look(at),
    /Olive Owner canceled it (waits for you → cancelled|needs review → canceled).*Details Cancell?ed/,
  );
});

test("a member settles an unknown outcome, with each choice explained; trying again needs the approval permission", async (t) => {
  const inRoom = await room(t);
  const { agent, look, submit, path } = inRoom;
  const rep = await asMember(agent.server, { email: "r@b.example", name: "Rep", role: "rep" });
  for (const [outcome, status] of [
    ["sent", "completed"],
    ["not_sent", "failed"],
    ["retry", "approved"],
  ] as const) {
    const action = await agent.at("needs_review");
    const at = actionPath(action);
    const page = await look(at);
    assert.match(
      page,
      /Mark as sent….*Completes the action.*Mark as not sent….*isn't retried.*Send again….*gets it twice/,
    );
    assert.match(page, /“The network showed it\.”/);
    assert.doesNotMatch(page, /sequence/, "the action belongs to none");
    const form = { _do: "settle_socialnet_action", action_id: action.id, outcome };
    if (outcome === "retry") {
      assert.doesNotMatch(text(await rep.get(path(at))), /Send again/);
      assert.equal((await rep.post(path(at), form)).status, 403);
    }
    assert.equal((await submit(at, form)).status, 303);
    assert.equal(await agent.statusOf(action), status);
  }
});

test("the outcome of a sequence step says what becomes of the sequence", async (t) => {
  const { agent, look } = await room(t);
  const action = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: action.id });
  const claimed = await agent.claim(action);
  await agent.start(claimed);
  await agent.result(claimed, "outcome_unknown");
  const page = await look(actionPath(action));
  assert.match(page, /Completes the action, logs it for [^,]+, and continues their sequence\./);
  assert.match(page, /Marks the action as failed and stops its sequence for this contact\. The action isn't retried/);
});

test("Today says with a date until when an account sends", async (t) => {
  const { agent, owner } = await room(t);
  const windows = [{ days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "23:59" }];
  await agent.person("update_socialnet_account", { account_id: agent.account.id, time_zone: "UTC", windows });
  const page = text(await owner.get(`/console/w/${agent.server.workspaceId}`));
  assert.match(page, /sending hours (open until|start) \w{3}, \w{3} \d+, \d{1,2}:\d\d \(UTC\)/);
});

test("an action is found only under its own account", async (t) => {
  const { agent, owner } = await room(t);
  const action = await agent.planned();
  const other = await agent.person("create_socialnet_account", {
    label: "Other",
    profile_url: "https://socialnet.example/in/other",
  });
  const path = `/console/w/${agent.server.workspaceId}/agents/${other.id}/actions/${action.id}`;
  assert.equal((await owner.get(path)).status, 404);
});

test("hidden characters in the copy are shown by their numbers", async (t) => {
  const { agent, look } = await room(t);
  const action = await agent.planned({ copy: "Hello\u202e there" });
  assert.match(await look(actionPath(action)), /Hidden characters.*Hello\[U\+202E\] there/);
});

test("a reconnect shows its progress: requested, acknowledged, signed in, ready", async (t) => {
  const { agent, owner, path, submit } = await room(t);
  const steps = async () => {
    const { text: html } = await owner.get(path());
    const list = /<ol class="steps">(.*?)<\/ol>/s.exec(html)?.[1] ?? "";
    return [...list.matchAll(/<li([^>]*)>/g)].map(([, said = ""]) =>
      said.includes('class="done"') ? "done" : said.includes("aria-current") ? "waits" : "",
    );
  };
  assert.deepEqual(await steps(), [], "an agent that is signed in takes one button");
  assert.match(text(await owner.get(path())), /Request sign-in/);
  await agent.heartbeat("login_required");
  assert.deepEqual(await steps(), ["", "", "", ""]);
  assert.equal((await submit("", { _do: "request_reconnect", account_id: agent.account.id })).status, 303);
  assert.deepEqual(await steps(), ["done", "waits", "", ""]);
  await agent.done("reconnect_ack");
  assert.deepEqual(await steps(), ["done", "done", "waits", ""]);
  agent.clock.advance(MINUTE_MS);
  await agent.heartbeat("restricted");
  assert.deepEqual(await steps(), ["done", "done", "done", "waits"]);
  await agent.heartbeat();
  assert.deepEqual(await steps(), []);
  assert.match(text(await owner.get(path())), /Last requested sign-in: just now/);
});

test("a hold shows its start, its reason, and what ends it", async (t) => {
  const { agent, look } = await room(t);
  await agent.result(await agent.started(), "rate_limited");
  const page = await look();
  assert.match(page, /On hold: professional network limit reached since Nov 20, 2026/);
  assert.match(
    page,
    /The professional network limited this account for today\. Sending resumes Sat, Nov 21, 0:00 \(UTC\) , in 15 hours/,
  );
  agent.clock.advance(DAY_MS);
  assert.doesNotMatch(await look(), /On hold:/);
});

test("the health chart has a title and a point per day, and a table lists every point with its evidence", async (t) => {
  const { agent, owner, path, look } = await room(t);
  assert.match(await look("/health"), /No measurements yet/);
  const now = agent.clock.now();
  const told = [
    measurement(now - 2 * DAY_MS, { invitationsSent: 40, invitationsAccepted: 10, evidence: "Two days ago." }),
    measurement(now - DAY_MS - 60_000, { invitationsSent: 1, invitationsAccepted: 1, evidence: "Earlier that day." }),
    measurement(now - DAY_MS, { invitationsSent: 20, invitationsAccepted: null, evidence: "Yesterday." }),
  ];
  for (const observation of told) await agent.done("health_observation", { observation });
  const page = await owner.get(path("/health"));
  const svg = /<svg[^>]*role="img".*?<\/svg>/s.exec(page.text)?.[0] ?? "";
  assert.match(svg, /aria-labelledby="health-title health-desc".*<title id="health-title">/s);
  assert.doesNotMatch(svg, /viewBox/, "its words are not scaled with it");
  assert.match(svg, /<text[^>]*>Nov 18<\/text>/);
  assert.doesNotMatch(page.text, /<svg class="key"/, "that is how keys of the keyboard are drawn");
  const points = [...svg.matchAll(/<g><title>(.*?)<\/title>/g)].map(([, title]) => title);
  assert.deepEqual(points, [
    "Measured Nov 18, 2026: 40 sent, 10 accepted. Two days ago.",
    "Measured Nov 19, 2026: 20 sent, unknown accepted. Yesterday.",
  ]);
  const height = (name: string) =>
    [...svg.matchAll(new RegExp(`class="${name}"[^>]* height="([\\d.]+)"`, "g"))].map(([, h]) => Number(h));
  const [forty = 0, twenty = 0] = height("sent");
  assert.ok(Math.abs(forty - 2 * twenty) < 0.01 && twenty > 0, `${forty} ${twenty}`);
  assert.equal(height("accepted").length, 1, "what is not known is not drawn");
  for (const said of ["Two days ago.", "Earlier that day.", "Yesterday."]) assert.ok(text(page).includes(said), said);
  assert.match(text(page), /40 10 25%/);
});

test("runs and the agent's own schedule are shown as reported", async (t) => {
  const { agent, look } = await room(t);
  assert.match(await look("/runs"), /No runs yet.*hasn't reported a schedule/);
  const now = agent.clock.now();
  await agent.done("run_report", {
    runId: "0f8fad5b-d9cb-469f-a165-708677289501",
    startedAt: iso(now - 12 * MINUTE_MS),
    finishedAt: iso(now),
    status: "partial",
    claimed: 3,
    completed: 2,
    failed: 1,
    synced: 4,
    notes: "One hung.",
  });
  await agent.done("run_report", {
    runId: "0f8fad5b-d9cb-469f-a165-708677289502",
    startedAt: iso(now - MINUTE_MS),
    finishedAt: iso(now),
    status: "ok",
    claimed: 3,
    completed: 2,
    failed: 1,
    synced: 0,
  });
  const schedules = [
    { label: "Morning", rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9", timezone: "Europe/London" },
    { label: "Odd", rrule: "FREQ=MONTHLY;BYDAY=2MO", timezone: "UTC" },
  ];
  await agent.done("schedule_report", { schedules, checkInMinutes: 45 });
  const page = await look("/runs");
  assert.match(page, /(Went in part|Partly succeeded) 12 min 3 2 1 4 One hung\..*every 45 minutes/);
  assert.match(page, /1 failed 1 min 3 2 1 0/, "not all well");
  assert.match(page, /Morning: Mon–Fri at 09:00 \( ?Europe\/London ?\).*Odd: FREQ=MONTHLY;BYDAY=2MO/);
});

test("a recurrence rule is described in one line where possible", () => {
  for (const [rule, words] of [
    ["FREQ=DAILY", "Every day"],
    ["RRULE:FREQ=DAILY;BYHOUR=9,17;BYMINUTE=30", "Every day at 09:30 and 17:30"],
    ["FREQ=WEEKLY;BYDAY=WE,MO", "Mon and Wed"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;BYHOUR=8", "Every 2 weeks on Sat at 08:00"],
    ["FREQ=HOURLY;INTERVAL=4;BYDAY=MO,TU,WE,TH,FR", "Every 4 hours on Mon–Fri"],
    ["FREQ=MINUTELY;INTERVAL=15", "Every 15 minutes"],
    ["FREQ=HOURLY;BYMINUTE=30", undefined],
    ["FREQ=MONTHLY", undefined],
    ["FREQ=WEEKLY;BYDAY=-1FR", undefined],
    ["FREQ=DAILY;COUNT=3", undefined],
  ] as const) {
    assert.equal(formatRule(rule), words, rule);
  }
});

test("an agent is connected from its page alone: the key is shown once, bound to the account, in working commands", async (t) => {
  const { agent, submit, owner, path, look } = await room(t);
  const html = (await owner.get(path("/connect"))).text;
  const scopes = [...html.matchAll(/name="scopes:list" value="([^"]+)"/g)].map(([, scope]) => scope as string);
  const made = await submit("/connect", {
    _do: "create_key",
    socialnet_account_id: agent.account.id,
    name: "Ada's agent",
    "scopes:list": scopes,
    "expires_in_days:number": "",
  });
  assert.equal(made.status, 200);
  const key = /ros_live_[\w-]{43}/.exec(made.text)?.[0] ?? "";
  const unquoted = text(made).replaceAll("&quot;", '"');
  const [, address = ""] = /MCP endpoint (\S+)/.exec(unquoted) ?? [];
  assert.ok(unquoted.includes(`"Authorization": "Bearer ${key}"`), unquoted);
  const answer = await fetch(address.replace(/\/mcp$/, "/socialnet/actions"), {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: '{"command":"setup"}',
  });
  const { data } = (await answer.json()) as { data: { bound: boolean; account: { id: string } } };
  assert.deepEqual([data.bound, data.account.id], [true, agent.account.id]);
  const contacts = await agent.server.rest("GET", "/contacts", { key });
  assert.equal(contacts.status, 403, "it opens nothing else");
  assert.ok(!(await owner.get(path("/connect"))).text.includes(key), "shown once");
  assert.match(await look("/connect"), /Ada's agent ros_live_/);
});

const SETTINGS = /OUTBOUND_GATE|SOCIALNET_EXECUTION/;

/** The page without its header, which also tells what is off. */
const main = ({ text: html, ...page }: Page) => text({ ...page, text: /<main.*<\/main>/s.exec(html)?.[0] ?? "" });

test("a server that sends no social actions says so, and only to its admin where the settings are explained", async (t) => {
  for (const env of [
    { ROSTRUM_SOCIALNET_EXECUTION: "off", ROSTRUM_OUTBOUND_GATE: "closed" },
    { ROSTRUM_SOCIALNET_EXECUTION: "on", ROSTRUM_OUTBOUND_GATE: "closed" },
  ]) {
    const { agent, owner, path } = await room(t, { env });
    const admin = { email: "root@b.example", name: "Root", role: "super_admin" };
    const root = await asMember(agent.server, admin);
    for (const at of [path(), path("/connect")]) {
      const page = main(await owner.get(at));
      assert.match(page, /Social sending is off on this server\. Only your server admin can turn it on\./);
      assert.match(page, /Agents can read and report, but not send\./);
      assert.doesNotMatch(page, SETTINGS);
      const theirs = await root.get(at);
      assert.match(theirs.text, /\/settings\/server#sending">How to turn it on<\/a>/);
      assert.doesNotMatch(main(theirs), SETTINGS);
    }
    const explained = main(await root.get(`/console/w/${agent.server.workspaceId}/settings/server`));
    assert.match(explained, /Social actions Off.*ROSTRUM_OUTBOUND_GATE=open/);
    assert.equal(explained.includes("ROSTRUM_SOCIALNET_EXECUTION=on"), env.ROSTRUM_SOCIALNET_EXECUTION === "off");
  }
  const on = await room(t);
  assert.doesNotMatch(main(await on.owner.get(on.path())), /Social sending is off/);
});

test("an account without an account holder asks for one where the sign-in is requested, and then names them", async (t) => {
  const { agent, owner, path, submit } = await room(t);
  await agent.result(await agent.started(), "login_required");
  await submit("", { _do: "request_reconnect", account_id: agent.account.id });
  const page = await owner.get(path());
  assert.match(
    text(page),
    /A sign-in was requested, but no teammate was asked, because no account holder is set\. Choose the teammate who signs in/,
  );
  assert.doesNotMatch(text(page), /Waiting for the account holder/);
  const body = page.text.slice(page.text.indexOf("<main"));
  const primary = [...body.matchAll(/<button type="submit" class="primary">([^<]*)/g)].map(([, name]) => name);
  assert.deepEqual(primary, ["Save account holder"]);
  assert.match(text(await owner.get(path("/rules"))), /no account holder is set, so no one was asked/);
  const viewer = await asMember(agent.server, { email: "v@b.example", name: "V", role: "viewer" });
  const theirs = await viewer.get(path());
  assert.match(text(theirs), /Ask an admin to choose the teammate who signs in/);
  assert.equal(formOf(theirs, "holder"), undefined);
  const [holder] = (await agent.server.operator("list_members", {})) as { id: string; name: string }[];
  const form = formOf(page, "holder");
  assert.ok(form);
  const saved = await owner.post(path(), { ...form, "owner_member_id:nullable": holder?.id ?? "" });
  assert.equal(saved.status, 303, saved.text);
  const after = text(await owner.get(path()));
  assert.ok(after.includes(`Waiting for ${holder?.name} to sign in.`), after);
  assert.ok(after.includes(`${holder?.name} signs in to the professional network`));
  assert.doesNotMatch(after, /No account holder/);
  assert.match((await owner.get(path())).text, /class="primary">Request sign-in again</);
});

test("one client at a time is shown to connect, and what only developers need is closed", async (t) => {
  const { owner, path } = await room(t);
  const { text: html } = await owner.get(path("/connect"));
  const clients = [...html.matchAll(/<details name="client"( open)?><summary>([^<]*)/g)];
  assert.deepEqual([clients[0]?.[1], clients[0]?.[2]?.trim()], [" open", "Claude Code"]);
  assert.ok(clients.length > 5 && clients.slice(1).every(([, open]) => open === undefined));
  assert.match(html, /<summary>For developers<\/summary>.*examples\/browser-agent.*<\/details>/s);
  assert.match(html, /Test a key with socialnet\.execute.*\/socialnet\/actions .*setup/s);
});

test("the profile to check is a link, unless it isn't one that a browser opens as it reads", async (t) => {
  const { agent, owner, path } = await room(t);
  const action = await agent.at("needs_review");
  const { recipient_url } = await agent.look(action);
  const page = (await owner.get(path(actionPath(action)))).text;
  const link = `<a href="${recipient_url}" target="_blank" rel="noopener noreferrer">`;
  assert.equal(page.split(link).length - 1, 2, "where the outcome is confirmed, and in the details");
  const shown = (url: string) => renderToString(h(ProfileLink, { url }));
  for (const url of ["javascript:alert(1)", "data:text/html,x", "https://a.example/\u202ecod"]) {
    assert.doesNotMatch(shown(url), /<a /, url);
  }
});

test("only members can be the owner of an account", async (t) => {
  const { agent, owner, path } = await room(t);
  const members = (await agent.server.operator("list_members", {})) as { id: string }[];
  assert.notEqual((await agent.server.operator("list_keys", {})).length, 0);
  for (const page of [path("/rules"), `/console/w/${agent.server.workspaceId}/agents/new`]) {
    const html = (await owner.get(page)).text;
    const select = /<select[^>]*name="owner_member_id:nullable".*?<\/select>/s.exec(html)?.[0] ?? "";
    const offered = [...select.matchAll(/<option[^>]* value="([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(offered.sort(), members.map(({ id }) => id).sort(), page);
  }
});

test("the form for a second social account says what that does to sequences", async (t) => {
  const server = await startServer(t);
  const alone = await asOwner(server);
  const hint = /If you add a second one, your server admin must set the account of each of these sequences/;
  assert.doesNotMatch((await alone.get(`/console/w/${server.workspaceId}/agents/new`)).text, hint);
  const { agent, owner } = await room(t);
  assert.match((await owner.get(`/console/w/${agent.server.workspaceId}/agents/new`)).text.replace(/\s+/g, " "), hint);
});

test("a contact's page links to planning an action, if the member can plan one and the contact has a profile", async (t) => {
  const { agent, owner, path } = await room(t);
  const { server } = agent;
  const made = async (input: object) => (await server.rest("POST", "/contacts", { body: input })).body.data.id;
  const written = await made({
    email: "p@b.example",
    first_name: "Pia",
    socialnet_url: "https://socialnet.example/in/p",
  });
  const other = await made({ email: "q@b.example" });
  const contactPath = (id: string) => `/console/w/${server.workspaceId}/contacts/${id}`;
  const plan = `${path("/plan")}?contact=${written}`;
  assert.ok((await owner.get(contactPath(written))).text.includes(`href="${plan}"`));
  assert.match(text(await owner.get(plan)), /Plan action to Pia/);
  const without = await owner.get(contactPath(other));
  assert.ok(!without.text.includes("/plan?contact="));
  assert.match(text(without), /Add a profile URL to message this contact/);
  const viewer = await asMember(server, { email: "v@b.example", name: "V", role: "viewer" });
  const looked = await viewer.get(contactPath(written));
  assert.equal(looked.status, 200);
  assert.ok(!looked.text.includes("/plan?contact="));
});

test("the activity and the audit log name what an agent did with an action, rather than the command it sent", async (t) => {
  const { agent, owner } = await room(t);
  await agent.result(await agent.started(), "not_sent");
  const base = `/console/w/${agent.server.workspaceId}`;
  const work = text(await owner.get(`${base}/agents/work`));
  assert.match(work, /Couldn't send message to Ada.*Started sending message to Ada.*Claimed message to Ada/s);
  const audit = text(await owner.get(`${base}/audit`));
  assert.match(audit, /Report action as failed.*Start sending action.*Claim action/s);
  for (const page of [work, audit]) assert.doesNotMatch(page, /Work as a social agent/);
  assert.match(work, /Checked in as/);
});

test("editing an action of an automatic account says whether that approves the new text, as it then does", async (t) => {
  const { agent, owner, path } = await room(t, { account: { automation_mode: "approve_each" } });
  const rep = await asMember(agent.server, { email: "r@b.example", name: "R", role: "rep" });
  const [byPerson, another] = [await agent.approved(), await agent.approved()];
  await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
  const byItself = await agent.planned();
  const shown = async (browser: Browser, action: Underway) => text(await browser.get(path(actionPath(action))));
  const edit = async (browser: Browser, action: Underway) => {
    const form = { _do: "edit_socialnet_action", action_id: action.id, copy: `Hello from ${browser === rep}` };
    assert.equal((await browser.post(path(actionPath(action)), form)).status, 303);
    return (await agent.person("get_planned_action", { action_id: action.id })).status;
  };
  assert.match(
    await shown(rep, byItself),
    /also approves the new text\. If the contact has replied or might have opted/,
  );
  assert.equal(await edit(rep, byItself), "approved");
  assert.match(await shown(owner, byPerson), /also approves the new text\. .*Save and approve/);
  assert.equal(await edit(owner, byPerson), "approved");
  assert.match(await shown(rep, another), /The new text needs review, because you can't approve outbound messages\./);
  assert.equal(await edit(rep, another), "planned");
});

test("a sequence step says when it is sent, and that a manual account doesn't send it, here and in Review", async (t) => {
  const windows = [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }];
  const { agent, owner, path } = await room(t, { account: { windows, automation_mode: "approve_each" } });
  const action = await engineAction(agent);
  const pages = async () => [
    text(await owner.get(path(actionPath(action)))),
    text(await owner.get(`/console/w/${agent.server.workspaceId}/review/action/${action.id}`)),
  ];
  for (const page of await pages()) {
    assert.match(page, /once( to this profile)?, within sending hours: Mon–Fri 09:00–17:00/);
    assert.match(page, /Approve and send/);
  }
  const block = (day: number) => ({ days: [day], from: "08:00", to: "10:00" });
  const update = (changes: object) =>
    agent.person("update_socialnet_account", { account_id: agent.account.id, ...changes });
  await update({ windows: [...windows, block(6)] });
  for (const page of await pages()) assert.match(page, /hours: Mon–Fri 09:00–17:00 and Sat 08:00–10:00 \(/);
  await update({ windows: [1, 2, 3, 4, 5].map(block) });
  for (const page of await pages())
    assert.match(page, /once( to this profile)?, within the account's sending hours \(/);
  await update({ automation_mode: "off" });
  for (const page of await pages()) {
    assert.match(page, /The account Ada is manual only, so its agent doesn't send sequence steps\./);
    assert.doesNotMatch(page, /Approve and send|within sending hours/);
  }
});

test("releasing or editing an action on hold from a page opened before a reply is refused, and the page says what changed", async (t) => {
  const { agent, owner, path } = await room(t);
  const action = await agent.at("held");
  await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
  const review = `/console/w/${agent.server.workspaceId}/review/action/${action.id}`;
  const forms = [
    [path(actionPath(action)), "edit_socialnet_action", { copy: "Hello again." }],
    [path(actionPath(action)), "release_socialnet_action", {}],
    [review, "release_socialnet_action", {}],
  ] as const;
  const opened = await Promise.all(forms.map(async ([at, id]) => formOf(await owner.get(at), id)));
  const observation = { kind: "reply", profileUrl: action.contact.socialnet_url, externalKey: "1" };
  await agent.done("sync", { observations: [{ ...observation, observedAt: iso(agent.clock.now()) }] });
  for (const [i, [at, id, typed]] of forms.entries()) {
    const form = opened[i];
    assert.ok(form, id);
    const refused = await owner.post(at, { ...form, ...typed });
    assert.equal(refused.status, 409, `${id} on ${at}`);
    assert.match(text(refused), /This action is now on hold and not approved\. Review the page again/);
    assert.equal((await agent.look(action)).approved_at, null);
    assert.equal(await agent.statusOf(action), "held");
  }
  const [[at]] = forms;
  const again = formOf(await owner.get(at), "release_socialnet_action");
  assert.ok(again);
  assert.equal((await owner.post(at, again)).status, 303);
  assert.equal(await agent.statusOf(action), "approved");
});

test("a page says whether releasing an action keeps its approval, and what a reply did to it", async (t) => {
  const { agent, look } = await room(t);
  const [approved, started] = [await agent.approved(), await agent.started()];
  await agent.person("hold_socialnet_action", { action_id: approved.id });
  assert.match(await look(actionPath(approved)), /The action keeps its approval\./);
  for (const { contact } of [approved, started]) {
    const observation = { kind: "reply", profileUrl: contact.socialnet_url, externalKey: contact.id };
    await agent.done("sync", { observations: [{ ...observation, observedAt: iso(agent.clock.now()) }] });
  }
  const held = await look(actionPath(approved));
  assert.match(held, /The action returns to review\./);
  assert.match(held, /agent reported or changed something that requires a new approval/);
  assert.match(
    await look(actionPath(started)),
    /reported or changed something that stops it, unless it was already sent/,
  );
});

test("an edit on an automatic account says that it approved the text", async (t) => {
  const { agent, owner, path } = await room(t, { account: { automation_mode: "automatic" } });
  const at = path(actionPath(await agent.planned()));
  const form = formOf(await owner.get(at), "edit_socialnet_action");
  const { location } = await owner.post(at, { ...form, copy: "Hello again." });
  assert.match(text(await owner.get(location ?? "")), /Text updated and approved\./);
});
