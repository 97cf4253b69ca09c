import assert from "node:assert/strict";
import { test } from "node:test";
import { newsLabels } from "../../src/console/pages/today/today.tsx";
import { codeLabel } from "../../src/console/ui/labels.ts";
import { SYSTEM_ACTIVITIES, WRITABLE_ACTIVITIES } from "../../src/domain/contacts/activity.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/time.ts";
import { operations } from "../../src/tools/index.ts";
import { DEADLINE_MS, onTheWay, theEnrollment } from "../support/engine.ts";
import { asMember, asOwner } from "../support/http-browser.ts";
import { authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "All about rosters.", delay_days: 0 };
const SIGNED = { ...MAIL, body: "Yours, {{sender_name}}" };
const env = { ROSTRUM_OUTBOUND_GATE: "open" };

const between = (text: string, from: string, to: string) => {
  assert.ok(text.includes(from), from);
  return text.slice(text.indexOf(from), text.indexOf(to, text.indexOf(from) + 1));
};

test("Today shows an enrollment on hold for a missing sender name and where to set it, and does not count it as active", async (t) => {
  const server = await startServer(t, { env, clock: new FakeClock() });
  const { contact, sequence } = await onTheWay(server, [{ ...SIGNED, subject: "For your {{job_title}}" }]);
  await until(async () => (await theEnrollment(server)).held_reason === "unfilled", DEADLINE_MS);
  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}`;
  const { text: today } = await owner.get(at);
  const needsYou = between(today, "Needs attention", "In progress");
  assert.match(
    needsYou,
    /Ada is on hold in the sequence “Welcome”\. No value for \{\{job_title\}\}, \{\{sender_name\}\}\./,
  );
  assert.ok(needsYou.includes(`${at}/sequences/${sequence.id}?show=held`));
  assert.doesNotMatch(today, /active in sequences/);
  // The contact and the reason are before the steps, with a link to the forms.
  const before = between((await owner.get(`${at}/sequences/${sequence.id}`)).text, "<h2>On hold", "<h2>Steps");
  assert.match(before, /show=held#enrollments">Ada<span class="hint">No value for \{\{job_title\}\}/);
  assert.doesNotMatch((await owner.get(`${at}/sequences/${sequence.id}?show=held`)).text, /<h2>On hold/);
  for (const path of [`/sequences/${sequence.id}`, `/contacts/${contact.id}`]) {
    const { text } = await owner.get(`${at}${path}`);
    assert.match(
      text,
      /No value for \{\{job_title\}\}, \{\{sender_name\}\}\. Add the values\. Then approve this contact again and activate the audience\. After that, release the contact\./,
      path,
    );
    assert.ok(text.includes(`<a href="${at}/settings/workspace">Set sender name`), path);
  }
  assert.match((await owner.get(`${at}/sequences/${sequence.id}`)).text, /">Edit contact</);
});

test("several contacts on hold have their cause and way out on Today only if they share it", async (t) => {
  const server = await startServer(t, { env: { ...env, ROSTRUM_WORKERS: "off" }, clock: new FakeClock() });
  const contacts = [await newContact(server), await newContact(server)];
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  await authorise(
    server,
    sequence_id,
    contacts.map(({ id }) => id),
  );
  for (const { id: contact_id } of contacts) {
    await server.rest("PATCH", `/contacts/${contact_id}`, { body: { first_name: "Augusta" } });
    await enroll(server, { sequence_id, contact_id });
  }
  const owner = await asOwner(server);
  const today = async () => {
    const { text } = await owner.get(`/console/w/${server.workspaceId}`);
    return /2 contacts are on hold in the sequence “Welcome”\. ([^<]*)</.exec(text)?.[1];
  };
  assert.equal(await today(), "Their details changed after the approval. To continue, approve these contacts again.");
  await server.rest("PATCH", `/contacts/${contacts[0]?.id}`, { body: { first_name: contacts[0]?.first_name } });
  assert.equal(await today(), "Open the sequence to see why.");
});

test("a sequence with a signature warns of a missing sender name before an audience is approved", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  await newContact(server);
  const signed = await newSequence(server, { steps: [SIGNED] });
  const plain = await newSequence(server, { steps: [MAIL] });
  const at = `/console/w/${server.workspaceId}/sequences`;
  const warns = async (id: string) =>
    Promise.all(
      [`${at}/${id}`, `${at}/${id}/audience`].map(async (path) =>
        /Sender name missing/.test((await owner.get(path)).text),
      ),
    );
  assert.deepEqual(await warns(signed.id), [true, true]);
  assert.deepEqual(await warns(plain.id), [false, false]);
  await server.operator("set_sending_policy", { sender_name: "Robin" });
  assert.deepEqual(await warns(signed.id), [false, false]);
});

test("an email written to a file says why it was not sent, can be read, and is linked from Today", async (t) => {
  const server = await startServer(t, { env, clock: new FakeClock() });
  const { contact } = await onTheWay(server, [MAIL]);
  await until(async () => (await theEnrollment(server)).status === "completed", DEADLINE_MS);
  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}`;
  const led = `${at}/sequences/sends?status=written`;
  const { text: today } = await owner.get(at);
  assert.match(today, /1 email not sent \(saved to a file\)/);
  assert.ok(today.includes(`href="${led}"`));
  const { text: sends } = await owner.get(led);
  assert.match(sends, /Not sent \(saved to a file\)/);
  assert.match(sends, /The email was saved to a file/);
  assert.match(sends, /<details class="more">.*Hello Ada.*All about rosters\./s);
  const { text: timeline } = await owner.get(`${at}/contacts/${contact.id}`);
  assert.match(between(timeline, "Email not sent", "</li>"), /The email was saved to a file/);
});

test("an agent whose session needs a person is on Today, and sending hours without work show an empty queue", async (t) => {
  const agent = await withAgent(t);
  const owner = await asOwner(agent.server, agent.clock.now());
  const at = `/console/w/${agent.server.workspaceId}`;
  const { text: idle } = await owner.get(at);
  assert.doesNotMatch(idle, /can't work/);
  assert.match(idle, /sending hours [^<]*, no approved actions waiting</);
  await agent.heartbeat("captcha");
  const needsYou = between((await owner.get(at)).text, "Needs attention", "In progress");
  assert.match(
    needsYou,
    /Ada's agent can't work\. The professional network asks the account holder to solve a CAPTCHA\./,
  );
});

test("every kind of event has readable words on Today, and API names are replaced", () => {
  for (const kind of [...SYSTEM_ACTIVITIES, ...WRITABLE_ACTIVITIES]) {
    assert.ok(newsLabels({ source: "activity", kind }), kind);
  }
  for (const { name, effect } of operations) {
    if (effect !== "read") assert.ok(newsLabels({ source: "audit", kind: name }), name);
  }
  assert.deepEqual(["sms_sent", "webhook_url", "valid", "email_reply", "socialnet_connect"].map(codeLabel), [
    "SMS sent",
    "Webhook URL",
    "Valid",
    "Email reply",
    "Connection request",
  ]);
});

/** What is primary on a page before any dialog opens: links, and buttons of forms in a line. */
const PRIMARY = /class="button primary"[^>]*>([^<]*)|class="inline"(?:(?!<\/form>).)*?class="primary"[^>]*>([^<]*)/gs;

test("a sequence's page shows the steps until it is sent, and the next one is the primary action", async (t) => {
  const server = await startServer(t, { env });
  const owner = await asOwner(server);
  const contact = await newContact(server);
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  const path = `/console/w/${server.workspaceId}/sequences/${sequence_id}`;
  const seen = async () => {
    const { text } = await owner.get(path);
    const main = text.slice(text.indexOf("<main"));
    const now = /aria-current="step">(.*?)<span/.exec(main)?.[1];
    return [now, [...main.matchAll(PRIMARY)].map(([, link, button]) => link ?? button)];
  };
  assert.deepEqual(await seen(), ["1. Approve audience", ["Approve audience"]]);
  const approval = await server.operator("approve_sequence", { sequence_id, contact_ids: [contact.id] });
  assert.deepEqual(await seen(), ["2. Activate audience", ["Activate audience…"]]);
  await server.operator("apply_sequence_approval", { approval_id: approval.id });
  assert.deepEqual(await seen(), ["3. Enroll contacts", ["Enroll contacts"]]);
  await server.operator("enroll_audience", { approval_id: approval.id });
  assert.deepEqual(await seen(), ["4. Activate sequence", ["Activate sequence…"]]);
  const form = { _do: "set_sequence_status", _form: "activate", sequence_id, status: "active" };
  assert.equal((await owner.post(path, form)).status, 303);
  assert.deepEqual(await seen(), [undefined, []]);
  await server.operator("update_sequence", { sequence_id, steps: [MAIL, MAIL] });
  assert.deepEqual(await seen(), ["1. Approve audience", ["Approve audience"]]);
});

test("an approved action that is blocked is on Today, with the reason", async (t) => {
  const agent = await withAgent(t);
  const owner = await asOwner(agent.server, agent.clock.now());
  const { id } = await agent.planned();
  await agent.server.operator("approve_socialnet_action", { action_id: id });
  const today = async () => (await owner.get(`/console/w/${agent.server.workspaceId}`)).text;
  assert.match(await today(), /1 action ready for its agent/);
  await agent.server.operator("pause_outreach", { reason: "holiday" });
  assert.match(await today(), /1 approved action waiting \(outreach is paused\)/);
  await agent.server.operator("resume_outreach", {});
});

test("a message that an agent couldn't send is on Today with its reason and age, and marked in the activity", async (t) => {
  const agent = await withAgent(t);
  const { server, clock } = agent;
  const at = `/console/w/${server.workspaceId}`;
  const owner = await asOwner(server, clock.now());
  const fix = async () => {
    const { text } = await owner.get(at);
    return text.slice(text.indexOf("<h3>Fix"), text.indexOf("What agents did"));
  };
  const aiko = await agent.contact({ first_name: "Aiko", last_name: "Mori" });
  const failed = await agent.started({ contact: aiko });
  assert.equal((await agent.result(failed, "profile_unavailable", "The profile is gone.")).status, 200);
  clock.advance(2 * HOUR_MS);
  await agent.heartbeat();
  const row = `agents/${agent.account.id}/actions/${failed.id}">Message to Aiko Mori failed. Profile unavailable. “The profile is gone.”</a>`;
  assert.ok((await fix()).includes(row), await fix());
  assert.match(await fix(), /Failed<\/span>.*?2 hours ago</s);
  for (const path of [at, `${at}/agents/work`]) {
    const { text } = await owner.get(path);
    assert.match(text, /Couldn't send message to.*?Aiko Mori<\/a>.*?chip stopped.*?Failed</s, path);
  }
  // A teammate who reads Today but can't plan another action has nothing to do about it.
  const viewer = await asMember(server, { email: "v@b.example", name: "Vic", role: "viewer" });
  assert.doesNotMatch((await viewer.get(at)).text, /Aiko Mori failed/);
  // Another action for the contact, or an opt-out, answers it. A week ends it.
  await agent.planned({ contact: aiko });
  assert.doesNotMatch(await fix(), /Aiko Mori failed/);
  const yuki = await agent.contact({ first_name: "Yuki", last_name: "Tanaka" });
  const second = await agent.started({ contact: yuki });
  assert.equal((await agent.result(second, "not_sent", "The page did not load.")).status, 200);
  assert.match(await fix(), /Message to Yuki Tanaka failed\. “The page did not load\.”/);
  clock.advance(8 * DAY_MS);
  const later = await asMember(server, { email: "a@b.example", name: "Al", role: "admin" });
  assert.doesNotMatch((await later.get(at)).text, /Yuki Tanaka failed/);
});

test("what a teammate marked as not sent is no failure to fix", async (t) => {
  const agent = await withAgent(t);
  const owner = await asOwner(agent.server, agent.clock.now());
  const action = await agent.at("needs_review");
  await agent.server.operator("settle_socialnet_action", { action_id: action.id, outcome: "not_sent" });
  assert.equal(await agent.statusOf(action), "failed");
  assert.doesNotMatch((await owner.get(`/console/w/${agent.server.workspaceId}`)).text, / failed\./);
});

test("the only proposal of a kind is named, with its age", async (t) => {
  const agent = await withAgent(t);
  const owner = await asOwner(agent.server, agent.clock.now());
  const at = `/console/w/${agent.server.workspaceId}`;
  await agent.planned({ contact: await agent.contact({ first_name: "Yuki", last_name: "Tanaka" }) });
  agent.clock.advance(3 * HOUR_MS);
  const { text } = await owner.get(at);
  assert.match(text, />Message to Yuki Tanaka needs review<\/a>.*?3 hours ago<\/time>/s);
  await agent.planned({});
  assert.match((await owner.get(at)).text, />2 actions to approve<\/a>.*?3 hours ago<\/time>/s);
});

test("Today counts all blocked actions of an account", async (t) => {
  const agent = await withAgent(t);
  const owner = await asOwner(agent.server, agent.clock.now());
  for (let i = 0; i < 21; i++) {
    const { id } = await agent.planned();
    await agent.server.operator("hold_socialnet_action", { action_id: id, note: "Later." });
  }
  const { text } = await owner.get(`/console/w/${agent.server.workspaceId}`);
  assert.match(text, /21 actions from social account Ada are on hold\. Edit, release or cancel each of them\./);
});
