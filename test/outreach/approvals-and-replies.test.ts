import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Taken } from "../mail/smtp.ts";
import { answerTo, DAY_MS, type Driven, driveEngine, HOUR_MS, onTheWay, theEnrollment } from "../support/engine.ts";
import { callAs, member } from "../support/member.ts";
import { authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { Agent } from "../support/socialnet.ts";

/** A reply uses up every earlier approval of its contact: a person who knows about it starts what comes next. */

const MAIL = { type: "email", subject: "First", body: "Hello.", delay_days: 0 };
const SECOND = { ...MAIL, subject: "Second" };
const PROFILE = "https://socialnet.example/in/ada-l";

/** The scopes of an agent for contacts and sequences. */
const SCOPES = ["contacts.write", "sequences.write"];

const subjects = (taken: readonly Taken[]) => taken.map(({ raw }) => /^subject: (.*?)\r?$/im.exec(raw)?.[1]);

/** An active sequence with an approval for the contacts. */
async function approved(driven: Driven, steps: object[], ...contactIds: string[]) {
  const sequence = await newSequence(driven.server, { steps });
  const approval = await authorise(driven.server, sequence.id, contactIds);
  await driven.server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
  return { id: sequence.id, approval };
}

async function sync(agent: Agent, profileUrl: string): Promise<void> {
  const observedAt = new Date(agent.clock.now()).toISOString();
  const observations = [{ kind: "reply", profileUrl, observedAt, externalKey: profileUrl, excerpt: "Stop." }];
  await agent.done("sync", { observations });
}

/** Enrolls with only a key, and runs the engine. */
async function enrollByKey(driven: Driven, sequenceId: string, contactId: string): Promise<any> {
  const key = await driven.server.mint(SCOPES);
  const body = { sequence_id: sequenceId, contact_id: contactId };
  const { status, text } = await driven.server.rest("POST", "/sequences/enroll", { key, body });
  assert.equal(status, 201, text);
  await driven.run();
  return theEnrollment(driven.server, contactId);
}

/** A contact who received the first email of a sequence, and has an approval for a second sequence. */
async function betweenTwo(t: TestContext) {
  const driven = await driveEngine(t);
  const { contact } = await onTheWay(driven.server, [MAIL, { ...MAIL, delay_days: 1 }]);
  const second = await approved(driven, [SECOND], contact.id);
  await driven.run();
  driven.clock.advance(HOUR_MS);
  return { driven, contact, second };
}

test("after a reply by email, a key can't start another campaign approved before", async (t) => {
  const { driven, contact, second } = await betweenTwo(t);
  const { server, clock, run, taken, receive } = driven;
  await receive(answerTo(taken[0] as Taken, {}, "Never write to me again."));
  clock.advance(3 * HOUR_MS);
  const { held_reason } = await enrollByKey(driven, second.id, contact.id);
  assert.deepEqual([held_reason, subjects(taken)], ["contact_changed", ["First"]]);
  const { contacts } = await server.operator("preview_audience", {
    sequence_id: second.id,
    contact_ids: [contact.id],
  });
  assert.ok(contacts[0].last_reply_at, "the approver is told of the reply");
  await authorise(server, second.id, [contact.id]);
  await run();
  assert.deepEqual(subjects(taken), ["First", "Second"], "a person approved again");
});

test("an audience read before the reply can be neither approved nor activated", async (t) => {
  const { driven, contact, second } = await betweenTwo(t);
  const { server, taken, receive } = driven;
  const asked = { sequence_id: second.id, contact_ids: [contact.id] };
  const read = async () => {
    const { contacts } = await server.operator("preview_audience", asked);
    return { [contact.id]: contacts[0].copy_hash };
  };
  const early = await read();
  const approval = await server.operator("approve_sequence", { ...asked, copy_hashes: early });
  await receive(answerTo(taken[0] as Taken, {}, "Never write to me again."));
  const changed = { code: "version_conflict" };
  await assert.rejects(server.operator("approve_sequence", { ...asked, copy_hashes: early }), changed);
  const activate = { approval_id: approval.id, copy_hashes: early };
  await assert.rejects(server.operator("apply_sequence_approval", activate), changed);
  await server.operator("approve_sequence", { ...asked, copy_hashes: await read() });
});

test("a contact who lost approvals to another contact's reply is shown with that reply", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const before = await newContact(server);
  const earlier = before.email;
  await server.rest("PATCH", `/contacts/${before.id}`, { body: { email: "moved@x.example" } });
  const twin = await newContact(server, { email: earlier });
  const first = await approved(driven, [MAIL], before.id);
  assert.equal((await enroll(server, { sequence_id: first.id, contact_id: before.id })).status, 201);
  await run();
  const second = await approved(driven, [SECOND], twin.id);
  const asked = { sequence_id: second.id, contact_ids: [twin.id] };
  const read = async () => (await server.operator("preview_audience", asked)).contacts[0];
  const early = await read();
  clock.advance(HOUR_MS);
  await receive(answerTo(taken[0] as Taken, {}, "Never write to me again."));
  const late = await read();
  assert.equal(early.last_reply_at, null);
  assert.equal(late.last_reply_at, new Date(clock.now()).toISOString());
  const copy_hashes = { [twin.id]: early.copy_hash };
  await assert.rejects(server.operator("approve_sequence", { ...asked, copy_hashes }), { code: "version_conflict" });
  const { held_reason } = await enrollByKey(driven, second.id, twin.id);
  assert.deepEqual([held_reason, subjects(taken)], ["contact_changed", ["First"]]);
});

test("after a reply, a member without the approval permission can't start a campaign approved before", async (t) => {
  const { driven, contact, second } = await betweenTwo(t);
  const { server, clock, run, taken, receive } = driven;
  await receive(answerTo(taken[0] as Taken));
  await server.operator("confirm_company", { contact_id: contact.id, company: contact.company });
  clock.advance(1_000);
  const { body } = await callAs(server, member(server), "enroll_audience", { approval_id: second.approval.id });
  assert.equal(body.data.enrolled, 1);
  await run();
  assert.deepEqual(subjects(taken), ["First"]);
  assert.equal((await theEnrollment(server, contact.id)).held_reason, "contact_changed");
});

test("an approval not activated before the reply can't start anything either, and Review says so", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const { contact } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 1 }]);
  const second = await newSequence(server, { steps: [SECOND] });
  const { id } = await server.operator("approve_sequence", { sequence_id: second.id, contact_ids: [contact.id] });
  await run();
  clock.advance(HOUR_MS);
  await receive(answerTo(taken[0] as Taken));
  const { audience } = await server.operator("get_review", { kind: "sequence", id });
  assert.equal(audience[0].changed, true);
  await server.operator("apply_sequence_approval", { approval_id: id });
  await server.operator("set_sequence_status", { sequence_id: second.id, status: "active" });
  const { held_reason } = await enrollByKey(driven, second.id, contact.id);
  assert.deepEqual([held_reason, subjects(taken)], ["contact_changed", ["First"]]);
});

test("a reply on the professional network uses up approvals too, even if nothing was in progress", async (t) => {
  const driven = await driveEngine(t);
  const agent = await Agent.of(driven.server, driven.clock, { automation_mode: "automatic" });
  await agent.heartbeat();
  const contact = await agent.contact();
  const mail = await approved(driven, [SECOND], contact.id);
  const social = await approved(driven, [{ type: "socialnet_message", body: "Second", delay_days: 0 }], contact.id);
  await sync(agent, contact.socialnet_url);
  driven.clock.advance(1_000);
  for (const { id } of [mail, social]) {
    assert.equal((await enrollByKey(driven, id, contact.id)).held_reason, "contact_changed");
    driven.clock.advance(1_000);
  }
  assert.deepEqual(driven.taken, []);
  assert.deepEqual(await agent.person("list_planned_actions", {}), []);
});

test("a late-read reply puts older approvals on hold, and keeps newer ones", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const { contact } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 9 }]);
  const before = await approved(driven, [{ ...SECOND, delay_days: 2 }], contact.id);
  await run();
  const repliedAt = clock.now() + 60_000;
  clock.advance(3 * HOUR_MS);
  const held = (await enroll(server, { sequence_id: before.id, contact_id: contact.id })).body.data;
  const since = await approved(driven, [{ ...MAIL, subject: "Third", delay_days: 2 }], contact.id);
  const kept = (await enroll(server, { sequence_id: since.id, contact_id: contact.id })).body.data;
  await receive(answerTo(taken[0] as Taken, {}, "Never again."), repliedAt);
  const all = await server.operator("list_enrollments", { contact_id: contact.id });
  const stateOf = ({ id }: { id: string }) => {
    const { status, held_reason } = all.find((one: any) => one.id === id);
    return [status, held_reason];
  };
  assert.deepEqual(
    [stateOf(held), stateOf(kept)],
    [
      ["active", "contact_changed"],
      ["active", null],
    ],
  );
  clock.advance(3 * DAY_MS);
  await run();
  assert.deepEqual(subjects(taken), ["First", "Third"]);
});

test("a late-read reply withdraws what an automatic account approved for a newer enrollment", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const agent = await Agent.of(server, clock, { automation_mode: "automatic" });
  await agent.heartbeat();
  const { contact } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 9 }], { socialnet_url: PROFILE });
  const second = await approved(driven, [{ type: "socialnet_message", body: "Second", delay_days: 0 }], contact.id);
  await run();
  const repliedAt = clock.now() + 60_000;
  clock.advance(3 * HOUR_MS);
  await enrollByKey(driven, second.id, contact.id);
  const planned = async () => (await agent.person("list_planned_actions", {})).map(({ status }: any) => status);
  assert.deepEqual(await planned(), ["approved"]);
  await receive(answerTo(taken[0] as Taken), repliedAt);
  assert.deepEqual(await planned(), ["held"]);
});

for (const archived of [false, true]) {
  const who = archived ? "who was archived" : "who is live";
  test(`a reply by email of a contact ${who} stops others with the same profile, and uses up their approvals`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock, run, taken, receive } = driven;
    const { contact, sequence } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 1 }], {
      socialnet_url: PROFILE,
    });
    const twin = await newContact(server, { socialnet_url: `${PROFILE}/` });
    const approvedOnly = await newContact(server, { socialnet_url: PROFILE });
    const other = await newContact(server, { socialnet_url: `${PROFILE}-else` });
    await authorise(server, sequence.id, [twin.id, approvedOnly.id, other.id]);
    for (const { id } of [twin, other]) await enroll(server, { sequence_id: sequence.id, contact_id: id });
    await run();
    // Contacts added by an agent do not hide those who can be contacted.
    for (let i = 0; i < 51; i += 1) await newContact(server, { socialnet_url: PROFILE });
    if (archived) await server.operator("archive_contact", { contact_id: contact.id });
    await receive(answerTo(taken.find(({ to }) => to[0] === contact.email) as Taken, {}, "Stop."));
    clock.advance(2 * DAY_MS);
    await run();
    const sentTo = (email: string) => taken.filter(({ to }) => to[0] === email).length;
    assert.deepEqual([sentTo(contact.email), sentTo(twin.email), sentTo(other.email)], [1, 1, 2]);
    assert.equal((await theEnrollment(server, twin.id)).status, "stopped_replied");
    assert.equal((await enrollByKey(driven, sequence.id, approvedOnly.id)).held_reason, "contact_changed");
  });
}

const NEXT_PROFILE = "https://socialnet.example/in/ada-next";
const sentTo = (taken: readonly Taken[], email: string) => taken.filter(({ to }) => to[0] === email).length;

test("a reply on the network stops other contacts with the profile of who replied", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken } = driven;
  const agent = await Agent.of(server, clock);
  await agent.heartbeat();
  const contact = await newContact(server, { socialnet_url: PROFILE });
  await agent.result(await agent.started({ contact }), "message_sent");
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { socialnet_url: NEXT_PROFILE } });
  const twin = await newContact(server, { socialnet_url: NEXT_PROFILE });
  const sequence = await approved(driven, [MAIL, { ...SECOND, delay_days: 1 }], twin.id);
  await enroll(server, { sequence_id: sequence.id, contact_id: twin.id });
  const action = await agent.approved({ contact: twin });
  await run();
  clock.advance(HOUR_MS);
  await sync(agent, PROFILE);
  clock.advance(2 * DAY_MS);
  await run();
  assert.deepEqual([sentTo(taken, twin.email), (await theEnrollment(server, twin.id)).status], [1, "stopped_replied"]);
  assert.equal(await agent.statusOf(action), "held");
});

test("a reply on the network stops the contact who has an earlier address of who replied", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken } = driven;
  const agent = await Agent.of(server, clock);
  await agent.heartbeat();
  const { contact } = await onTheWay(server, [MAIL], { socialnet_url: PROFILE, email: "ada@x.example" });
  await run();
  const key = await server.mint(SCOPES);
  const moved = await server.rest("PATCH", `/contacts/${contact.id}`, { key, body: { email: "ada2@x.example" } });
  assert.equal(moved.status, 200);
  const owner = await newContact(server, { email: "ada@x.example" });
  const sequence = await approved(driven, [MAIL, { ...SECOND, delay_days: 1 }], owner.id);
  await enroll(server, { sequence_id: sequence.id, contact_id: owner.id });
  await run();
  clock.advance(HOUR_MS);
  await sync(agent, PROFILE);
  clock.advance(2 * DAY_MS);
  await run();
  assert.deepEqual(
    [sentTo(taken, "ada@x.example"), (await theEnrollment(server, owner.id)).status],
    [2, "stopped_replied"],
  );
});

for (const [who, socialnet_url] of [
  ["who replied", NEXT_PROFILE],
  ["who replied", null],
  ["the other", null],
] as const) {
  const edit = socialnet_url === null ? "cleared" : "changed";
  test(`a profile of ${who}, ${edit} by a key before the reply is read, hides no contact`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock, run, taken, receive } = driven;
    const steps = [MAIL, { ...MAIL, delay_days: 1 }];
    const { contact, sequence } = await onTheWay(server, steps, { socialnet_url: PROFILE });
    const twin = await newContact(server, { socialnet_url: PROFILE });
    await authorise(server, sequence.id, [twin.id]);
    await enroll(server, { sequence_id: sequence.id, contact_id: twin.id });
    await run();
    const repliedAt = clock.now() + 60_000;
    clock.advance(120_000);
    const key = await server.mint(SCOPES);
    const { id } = who === "the other" ? twin : contact;
    assert.equal((await server.rest("PATCH", `/contacts/${id}`, { key, body: { socialnet_url } })).status, 200);
    await receive(answerTo(taken.find(({ to }) => to[0] === contact.email) as Taken, {}, "Stop."), repliedAt);
    clock.advance(2 * DAY_MS);
    await run();
    assert.deepEqual(
      [sentTo(taken, twin.email), (await theEnrollment(server, twin.id)).status],
      [1, "stopped_replied"],
    );
    const later = await newContact(server, { socialnet_url: PROFILE });
    const { activities } = server.running.store.read(server.workspaceId);
    assert.equal((await activities.lastReply(later.id))?.type, "email_reply", "they have the profile that replied");
  });
}

test("a profile that a key changes while the agent reports a reply doesn't make a stranger of the contact", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken } = driven;
  const agent = await Agent.of(server, clock);
  await agent.heartbeat();
  const { contact } = await onTheWay(server, [MAIL, { ...SECOND, delay_days: 1 }], { socialnet_url: PROFILE });
  await run();
  const key = await server.mint(SCOPES);
  const change = (socialnet_url: string) =>
    server.rest("PATCH", `/contacts/${contact.id}`, { key, body: { socialnet_url } });
  assert.equal((await change(NEXT_PROFILE)).status, 200);
  clock.advance(HOUR_MS);
  await sync(agent, PROFILE);
  assert.equal((await change(PROFILE)).status, 200);
  clock.advance(2 * DAY_MS);
  await run();
  assert.deepEqual([subjects(taken), (await theEnrollment(server, contact.id)).status], [["First"], "stopped_replied"]);
});

for (const subject of ["unsubscribe v1.0a1b2c3d.x_-", "unsubscribe v1.00000000.AAAA"]) {
  test(`a reply whose subject is "${subject}", which can't be read, is a reply`, async (t) => {
    const { server, clock, run, taken, receive } = await driveEngine(t);
    const { contact } = await onTheWay(server, [MAIL, { ...SECOND, delay_days: 1 }]);
    await run();
    await receive(answerTo(taken[0] as Taken, { Subject: subject }, "Please stop."));
    clock.advance(2 * DAY_MS);
    await run();
    assert.deepEqual(
      [subjects(taken), (await theEnrollment(server, contact.id)).status],
      [["First"], "stopped_replied"],
    );
  });
}

test("an audience read before a second reply can't be approved either, even if the clock was set back in between", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const { contact } = await onTheWay(server, [MAIL]);
  await run();
  const { id: sequence_id } = await newSequence(server, { steps: [SECOND] });
  clock.advance(HOUR_MS);
  await receive(answerTo(taken[0] as Taken, { "message-id": "<r1@x.example>" }, "Tell me more."));
  clock.advance(-300_000);
  const asked = { sequence_id, contact_ids: [contact.id] };
  const read = async () => (await server.operator("preview_audience", asked)).contacts[0];
  const early = await read();
  clock.advance(60_000);
  await receive(answerTo(taken[0] as Taken, { "message-id": "<r2@x.example>" }, "Never write to me again."));
  assert.equal((await read()).last_reply_at, new Date(clock.now()).toISOString());
  const copy_hashes = { [contact.id]: early.copy_hash };
  await assert.rejects(server.operator("approve_sequence", { ...asked, copy_hashes }), { code: "version_conflict" });
});

test("a reply uses up what was approved before it, even if the clock was set back in between", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const { contact } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 1 }], { socialnet_url: PROFILE });
  await run();
  const begun = await approved(driven, [{ ...SECOND, delay_days: 1 }], contact.id);
  await enroll(server, { sequence_id: begun.id, contact_id: contact.id });
  const third = await approved(driven, [{ ...MAIL, subject: "Third" }], contact.id);
  const agent = await Agent.of(server, clock);
  await agent.heartbeat();
  const action = await agent.approved({ contact });
  clock.advance(-3 * HOUR_MS);
  await receive(answerTo(taken[0] as Taken, {}, "Never write to me again."));
  clock.advance(3 * DAY_MS);
  const { held_reason } = await enrollByKey(driven, third.id, contact.id);
  assert.deepEqual([held_reason, subjects(taken)], ["contact_changed", ["First"]]);
  assert.equal(await agent.statusOf(action), "held");
});
