import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  answerTo,
  bounceOf,
  DAY_MS,
  driveEngine,
  HOUR_MS,
  headerOf,
  onTheWay,
  theEnrollment,
} from "../support/engine.ts";
import { asMember, formOf } from "../support/http-browser.ts";
import { authorise, enroll, newSequence } from "../support/sequences.ts";
import { Agent } from "../support/socialnet.ts";

/** A sequence continues after a reply only if nothing else speaks against it, and sends nothing twice. */

const MAIL = { type: "email", subject: "Hello", body: "Hi.", delay_days: 0 };
const LATER = { ...MAIL, subject: "Again", delay_days: 3 };
const BOSS = { email: "ap@b.example", name: "Boss", role: "admin", approve_outbound: true };
const NEVER = "Never write to me again.";

/** A contact who answered the first email of a sequence. */
async function replied(t: TestContext, contact: object = {}) {
  const driven = await driveEngine(t);
  const made = await onTheWay(driven.server, [MAIL, LATER], contact);
  await driven.run();
  driven.clock.advance(HOUR_MS);
  const [first] = driven.taken;
  await driven.receive(answerTo(first as never, {}, "I am away."));
  return { ...driven, ...made, first, contact_id: made.contact.id as string };
}

const claims = async (agent: Agent, actionId: string) => (await agent.command("claim", { actionId })).status;

test("out of office continues nothing once another contact who is the same person has replied", async (t) => {
  const profile = { socialnet_url: "https://socialnet.example/in/twin" };
  const { server, clock, run, taken, receive, contact_id } = await replied(t, profile);
  const twin = await onTheWay(server, [{ ...MAIL, subject: "To the twin" }], profile);
  await run();
  assert.equal(taken.length, 2);
  clock.advance(2 * HOUR_MS);
  await receive(answerTo(taken[1] as never, {}, NEVER));
  const conversation = await server.operator("get_conversation", { contact_id });
  const marked = await server.operator("mark_out_of_office", { contact_id }).catch((error) => error);
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 2, `left after "${NEVER}" ${JSON.stringify(marked.resumed)} ${twin.contact.id}`);
  assert.deepEqual(conversation.resumable, []);
});

test("a reply that was not read is not marked as out of office", async (t) => {
  const { server, clock, receive, first, contact_id } = await replied(t);
  const read_reply_id = (await server.operator("get_conversation", { contact_id })).conversation.last_reply.id;
  clock.advance(HOUR_MS);
  await receive(answerTo(first as never, {}, NEVER));
  const marked = server.operator("mark_out_of_office", { contact_id, read_reply_id });
  await assert.rejects(marked, { code: "version_conflict" });
  const { conversation } = await server.operator("get_conversation", { contact_id });
  assert.deepEqual([conversation.status, conversation.unread], ["open", true]);
});

for (const outcome of ["message_sent", "outcome_unknown"]) {
  test(`out of office plans no message again that an agent has executed: ${outcome}`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock, run, taken, receive } = driven;
    const agent = await Agent.of(server, clock, { automation_mode: "automatic" });
    await agent.heartbeat();
    const message = { type: "socialnet_message", body: "About the offer", delay_days: 0 };
    const profile = { socialnet_url: "https://socialnet.example/in/once" };
    const { contact } = await onTheWay(server, [MAIL, message, LATER], profile);
    await run();
    const [planned] = await server.operator("list_planned_actions", { contact_id: contact.id });
    const action = await agent.claim({ id: planned.id, contact, leaseToken: "" });
    await agent.start(action);
    clock.advance(60_000);
    await receive(answerTo(taken[0] as never, {}, "I am away."));
    assert.equal((await agent.result(action, outcome)).status, 200);
    await server.operator("mark_out_of_office", { contact_id: contact.id });
    clock.advance(7 * DAY_MS);
    await run();
    const actions = await server.operator("list_planned_actions", { contact_id: contact.id });
    const statuses = actions.map(({ status }: any) => status);
    const sent = outcome === "message_sent";
    assert.deepEqual(statuses, [sent ? "completed" : "needs_review"]);
    assert.equal((await theEnrollment(server, contact.id)).status, sent ? "completed" : "stopped_replied");
  });
}

test("out of office plans nothing again that a person had put on hold", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const agent = await Agent.of(server, clock, { automation_mode: "automatic" });
  await agent.heartbeat();
  const message = { type: "socialnet_message", body: "About the offer", delay_days: 0 };
  const { contact } = await onTheWay(server, [MAIL, message], { socialnet_url: "https://socialnet.example/in/held" });
  await run();
  const [planned] = await server.operator("list_planned_actions", { contact_id: contact.id });
  await server.operator("hold_socialnet_action", { action_id: planned.id, note: "Don't send: they are suing us." });
  clock.advance(60_000);
  await receive(answerTo(taken[0] as never, {}, "I am away."));
  await server.operator("mark_out_of_office", { contact_id: contact.id });
  clock.advance(7 * DAY_MS);
  await run();
  const actions = await server.operator("list_planned_actions", { contact_id: contact.id });
  const claimed = await Promise.all(actions.map(({ id }: any) => claims(agent, id)));
  assert.deepEqual([actions.length, claimed], [1, [409]], actions[0].status);
});

test("out of office plans no text again that a person had replaced", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const agent = await Agent.of(server, clock, { automation_mode: "automatic" });
  await agent.heartbeat();
  const message = { type: "socialnet_message", body: "Half the price, guaranteed", delay_days: 0 };
  const { contact } = await onTheWay(server, [MAIL, message], { socialnet_url: "https://socialnet.example/in/edited" });
  await run();
  const [planned] = await server.operator("list_planned_actions", { contact_id: contact.id });
  await server.operator("edit_socialnet_action", { action_id: planned.id, copy: "A small discount" });
  clock.advance(60_000);
  await receive(answerTo(taken[0] as never, {}, "I am away."));
  assert.deepEqual((await server.operator("get_conversation", { contact_id: contact.id })).resumable, []);
  await server.operator("mark_out_of_office", { contact_id: contact.id });
  clock.advance(7 * DAY_MS);
  await run();
  const actions = await server.operator("list_planned_actions", { contact_id: contact.id });
  assert.deepEqual(
    actions.map(({ status, copy }: any) => [status, copy]),
    [["cancelled", "A small discount"]],
  );
});

test("out of office continues nothing once the same person is not interested as another contact", async (t) => {
  const { server, clock, run, taken } = await driveEngine(t);
  const profile = { socialnet_url: "https://socialnet.example/in/both" };
  const one = await onTheWay(server, [MAIL, LATER], profile);
  const other = await onTheWay(server, [{ ...MAIL, subject: "To the other" }, LATER], profile);
  await run();
  assert.equal(taken.length, 2);
  const agent = await Agent.of(server, clock);
  clock.advance(HOUR_MS);
  const observedAt = new Date(clock.now()).toISOString();
  const seen = {
    kind: "reply",
    profileUrl: profile.socialnet_url,
    observedAt,
    externalKey: "r",
    excerpt: "No, thanks.",
  };
  await agent.done("sync", { observations: [seen] });
  const resumable = async () => (await server.operator("get_conversation", { contact_id: one.contact.id })).resumable;
  assert.equal((await resumable()).length, 1);
  await server.operator("mark_not_interested", { contact_id: other.contact.id });
  assert.deepEqual(await resumable(), []);
  await server.operator("mark_out_of_office", { contact_id: one.contact.id });
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 2);
});

for (const [when, before] of [
  ["before", true],
  ["after", false],
] as const) {
  test(`out of office continues nothing if an email came back because of our account ${when} the reply`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock, run, taken, receive } = driven;
    const { contact } = await onTheWay(server, [MAIL, LATER]);
    await run();
    const [first] = taken as any[];
    const refusal = "550 5.7.1 relaying denied: sender not authenticated";
    const messages = [bounceOf(first, "5.7.1", refusal), answerTo(first, { From: "office@x.example" }, "I am away.")];
    for (const message of before ? messages : messages.toReversed()) {
      clock.advance(60_000);
      await receive(message);
    }
    await server.operator("mark_out_of_office", { contact_id: contact.id });
    clock.advance(30 * DAY_MS);
    await run();
    assert.equal(taken.length, 1);
    assert.equal((await theEnrollment(server, contact.id)).status, "stopped_replied");
  });
}

test("a page that was read before takes nothing back of not interested: out of office is refused", async (t) => {
  const { server, clock, run, taken, contact_id } = await replied(t);
  const browser = await asMember(server, BOSS);
  const path = `/console/w/${server.workspaceId}/inbox/${contact_id}`;
  const form = formOf(await browser.open(path), "mark_out_of_office") ?? {};
  await server.operator("mark_not_interested", { contact_id });
  await browser.post(path, form);
  // The first call only replaced the mark, and the second one continued the sequence.
  const again = server.operator("mark_out_of_office", { contact_id });
  await assert.rejects(again, { code: "version_conflict" });
  clock.advance(30 * DAY_MS);
  await run();
  const { conversation } = await server.operator("get_conversation", { contact_id });
  assert.deepEqual([conversation.mark, taken.length], ["not_interested", 1]);
});

test("out of office restores no approval that an opt-out of an earlier address has spent since", async (t) => {
  const { server, clock, run, taken, receive } = await driveEngine(t);
  const { contact } = await onTheWay(server, [{ ...MAIL, subject: "To the old address" }], { email: "old@x.example" });
  await run();
  const contact_id = contact.id;
  await server.rest("PATCH", `/contacts/${contact_id}`, { body: { email: "new@x.example" } });
  const { id: sequence_id } = await newSequence(server, { name: "Second", steps: [MAIL, LATER] });
  await authorise(server, sequence_id, [contact_id]);
  await server.operator("set_sequence_status", { sequence_id, status: "active" });
  await enroll(server, { sequence_id, contact_id });
  await run();
  clock.advance(HOUR_MS);
  await receive(answerTo(taken[1] as never, {}, "I am away."));
  const resumable = async () => (await server.operator("get_conversation", { contact_id })).resumable.length;
  assert.equal(await resumable(), 1);
  clock.advance(HOUR_MS);
  const link = new URL(/<(http[^>]+)>/.exec(headerOf(taken[0] as never, "list-unsubscribe") ?? "")?.[1] ?? "");
  await fetch(new URL(link.pathname + link.search, server.listening), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  });
  const listed = await server.operator("list_suppressions", {});
  assert.deepEqual(
    listed.map(({ email }: any) => email),
    ["old@x.example"],
  );
  assert.equal(await resumable(), 0);
  assert.deepEqual((await server.operator("mark_out_of_office", { contact_id })).resumed, []);
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 2);
});

test("out of office continues nothing once an older conversation of the same person is marked as not interested", async (t) => {
  const profile = { socialnet_url: "https://socialnet.example/in/older" };
  const { server, clock, run, taken, receive } = await driveEngine(t);
  const other = await onTheWay(server, [{ ...MAIL, subject: "To the other" }], profile);
  await run();
  clock.advance(HOUR_MS);
  await receive(answerTo(taken[0] as never, {}, "Tell me more."));
  clock.advance(2 * DAY_MS);
  const one = await onTheWay(server, [MAIL, LATER], profile);
  await run();
  clock.advance(HOUR_MS);
  await receive(answerTo(taken[1] as never, {}, "I am away."));
  await server.operator("mark_not_interested", { contact_id: other.contact.id });
  assert.deepEqual((await server.operator("mark_out_of_office", { contact_id: one.contact.id })).resumed, []);
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 2);
});

test("out of office continues only the sequences that the page named", async (t) => {
  const { server, clock, run, taken, contact_id, sequence } = await replied(t);
  const sequence_id = sequence.id;
  await server.operator("set_sequence_status", { sequence_id, status: "archived" });
  const browser = await asMember(server, BOSS);
  const path = `/console/w/${server.workspaceId}/inbox/${contact_id}`;
  const page = await browser.open(path);
  assert.match(page.text, /There is no sequence to resume\./);
  await server.operator("set_sequence_status", { sequence_id, status: "active" });
  // An empty value is written without quotes, so `formOf` misses it.
  assert.match(page.text, /<form[^>]* id="mark_out_of_office".*?name="read_resumable:list" value\/>.*?<\/form>/s);
  const form = { ...formOf(page, "mark_out_of_office"), "read_resumable:list": "" };
  const refused = await browser.post(path, form);
  assert.match(refused.text, /the list of sequences that “Out of office” resumes has changed/);
  assert.equal((await theEnrollment(server, contact_id)).status, "stopped_replied");
  await browser.post(path, formOf(await browser.open(path), "mark_out_of_office") ?? {});
  clock.advance(7 * DAY_MS);
  await run();
  assert.equal(taken.length, 2);
});

test("out of office restores no approval that a newer one replaced after the reply", async (t) => {
  const { server, clock, run, taken, contact_id, sequence } = await replied(t, { email: "old@x.example" });
  const set = (email: string) => server.rest("PATCH", `/contacts/${contact_id}`, { body: { email } });
  clock.advance(2 * HOUR_MS);
  await set("new@x.example");
  await authorise(server, sequence.id, [contact_id]);
  const { resumed } = await server.operator("mark_out_of_office", { contact_id });
  assert.equal(resumed.length, 1, "the newer approval covers the contact");
  await set("old@x.example");
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 1, "nothing leaves for the address of the earlier approval");
  const enrollment = await theEnrollment(server, contact_id);
  assert.equal(enrollment.held_reason, "contact_changed");
  await set("new@x.example");
  await server.operator("release_enrollment", { enrollment_id: enrollment.id });
  await run();
  assert.deepEqual([taken.length, taken.at(-1)?.to], [2, ["new@x.example"]]);
});

test("out of office continues no sequence whose steps moved since, and so sends nothing twice", async (t) => {
  const { server, clock, run, taken, sequence, contact_id } = await replied(t);
  const change = (steps: object[]) => server.operator("update_sequence", { sequence_id: sequence.id, steps });
  const read = async () => (await server.operator("get_conversation", { contact_id })).resumable.length;
  clock.advance(HOUR_MS);
  await change([MAIL, { ...LATER, subject: "Once more" }]);
  await authorise(server, sequence.id, [contact_id]);
  assert.equal(await read(), 1, "another text at the same position");
  await change([{ ...MAIL, subject: "New" }, MAIL, LATER]);
  await authorise(server, sequence.id, [contact_id]);
  assert.equal(await read(), 0, "the step that is due is one that was sent");
  await server.operator("mark_out_of_office", { contact_id });
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 1);
});

test("out of office continues no sequence whose steps moved after the clock was set back", async (t) => {
  const { server, clock, run, taken, sequence, contact_id } = await replied(t);
  clock.advance(-3 * HOUR_MS);
  await server.operator("update_sequence", {
    sequence_id: sequence.id,
    steps: [{ ...MAIL, subject: "New" }, MAIL, LATER],
  });
  await authorise(server, sequence.id, [contact_id]);
  await server.operator("mark_out_of_office", { contact_id });
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 1);
});

test("out of office continues no sequence in which the contact was enrolled again", async (t) => {
  const { server, clock, run, taken, sequence, contact_id } = await replied(t);
  clock.advance(HOUR_MS);
  await authorise(server, sequence.id, [contact_id]);
  assert.equal((await enroll(server, { sequence_id: sequence.id, contact_id })).status, 201);
  clock.advance(DAY_MS);
  await run();
  clock.advance(30 * DAY_MS);
  await run();
  assert.deepEqual(
    taken.map((one) => headerOf(one, "subject")),
    ["Hello", "Hello", "Again"],
  );
  await authorise(server, sequence.id, [contact_id]);
  assert.deepEqual((await server.operator("get_conversation", { contact_id })).resumable, []);
  assert.deepEqual((await server.operator("mark_out_of_office", { contact_id })).resumed, []);
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 3, "the newer enrollment has sent the last email");
});

test("out of office continues nothing if an agent reported another reply in the same call", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken } = driven;
  const profileUrl = "https://socialnet.example/in/kate";
  const { contact } = await onTheWay(server, [MAIL, LATER], { socialnet_url: profileUrl });
  await run();
  const agent = await Agent.of(server, clock);
  clock.advance(HOUR_MS);
  const observedAt = new Date(clock.now()).toISOString();
  const said = (externalKey: string, excerpt: string) => ({
    kind: "reply",
    profileUrl,
    observedAt,
    externalKey,
    excerpt,
  });
  await agent.done("sync", { observations: [said("1", NEVER), said("2", "I am away until Monday.")] });
  const { resumable } = await server.operator("get_conversation", { contact_id: contact.id });
  await server.operator("mark_out_of_office", { contact_id: contact.id });
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(taken.length, 1, `left after "${NEVER}"`);
  assert.deepEqual(resumable, []);
});
