import assert from "node:assert/strict";
import { test } from "node:test";
import type { Taken } from "../mail/smtp.ts";
import {
  answerTo,
  bounceOf,
  complaintOf,
  DAY_MS,
  type Driven,
  driveEngine,
  HOUR_MS,
  headerOf,
  onTheWay,
  theEnrollment,
  theSend,
  told,
} from "../support/engine.ts";
import { authorise, enroll, newContact, newSequence, UNKNOWN } from "../support/sequences.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const LATER = { ...MAIL, delay_days: 3 };
const CONNECT = { type: "socialnet_connect", note: "Hello", delay_days: 0 };
const PROFILE = "https://socialnet.example/in/ada";

/** A contact with one sent and one future message, a pending action of another sequence, and a member's own action. */
async function underWay(driven: Driven) {
  const { server, run } = driven;
  const account = await server.operator("create_socialnet_account", {
    label: "Robin",
    profile_url: "https://socialnet.example/in/robin",
  });
  const made = await onTheWay(server, [MAIL, LATER], { socialnet_url: PROFILE });
  driven.clock.advance(1_000);
  const second = await server.operator("create_sequence", { name: "Second", steps: [CONNECT, LATER] });
  await server.operator("set_sequence_status", { sequence_id: second.id, status: "active" });
  await authorise(server, second.id, [made.contact.id]);
  await enroll(server, { sequence_id: second.id, contact_id: made.contact.id });
  const own = { account_id: account.id, contact_id: made.contact.id, kind: "message", copy: "By hand" };
  await server.operator("plan_socialnet_action", own);
  await run();
  const actions = async () =>
    (await server.operator("list_planned_actions", {})).map(({ origin, status }: any) => [origin, status]).toSorted();
  assert.deepEqual(await actions(), [
    ["engine", "planned"],
    ["member", "planned"],
  ]);
  const statuses = async () =>
    (await server.operator("list_enrollments", { contact_id: made.contact.id })).map(({ status }: any) => status);
  assert.deepEqual(await statuses(), ["waiting_on_action", "active"]);
  return { ...made, actions, statuses };
}

/** Asserts that nothing more is sent, however much time passes. */
async function quietFrom({ clock, run, taken }: Driven): Promise<void> {
  const before = taken.length;
  clock.advance(30 * 86_400_000);
  await run();
  assert.equal(taken.length, before);
}

test("a reply by email stops everything open for its contact on every channel, and is reported once", async (t) => {
  const driven = await driveEngine(t);
  const { contact, actions, statuses } = await underWay(driven);
  const answer = answerTo(driven.taken[0] as never);
  await driven.receive(answer);
  await driven.receive(answer);
  assert.deepEqual(await statuses(), ["stopped_replied", "stopped_replied"]);
  assert.deepEqual(await actions(), [
    ["engine", "cancelled"],
    ["member", "held"],
  ]);
  assert.deepEqual(await told(driven.server, contact.id), ["email_sent", "email_reply"]);
  await quietFrom(driven);
});

test("an automatic reply is marked as one, and stops nothing", async (t) => {
  const driven = await driveEngine(t);
  const { contact, statuses } = await underWay(driven);
  await driven.receive(answerTo(driven.taken[0] as never, { "Auto-Submitted": "auto-replied" }, "On holiday."));
  assert.deepEqual(await statuses(), ["waiting_on_action", "active"]);
  assert.deepEqual(await told(driven.server, contact.id), ["email_sent", "email_auto_reply"]);
  driven.clock.advance(3 * 86_400_000);
  await driven.run();
  assert.equal(driven.taken.length, 2);
});

test("unrelated mail, and replies to messages that were never sent, change nothing", async (t) => {
  const driven = await driveEngine(t);
  const { contact, statuses } = await underWay(driven);
  const none = "<rostrum.0190aaaa-0000-7000-8000-00000000abcd@acme.example>";
  for (const id of ["", none, "<a@b.example>"]) {
    await driven.receive(answerTo(driven.taken[0] as never, { "In-Reply-To": id }));
  }
  assert.deepEqual(await statuses(), ["waiting_on_action", "active"]);
  assert.deepEqual(await told(driven.server, contact.id), ["email_sent"]);
});

test("a permanent bounce of a dead address ends everything for it, and adds it to the do-not-contact list", async (t) => {
  const driven = await driveEngine(t);
  const { contact, actions, statuses } = await underWay(driven);
  await driven.receive(bounceOf(driven.taken[0] as never, "5.1.1", "550 5.1.1 user unknown"));
  assert.deepEqual(await statuses(), ["stopped_suppressed", "failed"]);
  assert.deepEqual(await actions(), [
    ["engine", "cancelled"],
    ["member", "cancelled"],
  ]);
  assert.deepEqual(await told(driven.server, contact.id), ["email_sent", "email_bounced", "suppressed"]);
  assert.equal((await theSend(driven.server)).status, "failed");
  await quietFrom(driven);
});

test("a bounce that is not about the address, or is about another, ends only its own enrollment", async (t) => {
  for (const [status, diagnostic, recipient] of [
    ["5.2.2", "552 5.2.2 mailbox full", undefined],
    ["5.1.1", "550 5.1.1 user unknown", "somebody@else.example"],
  ] as const) {
    const driven = await driveEngine(t);
    const { contact, statuses } = await underWay(driven);
    await driven.receive(bounceOf(driven.taken[0] as never, status, diagnostic, recipient));
    assert.deepEqual(await statuses(), ["waiting_on_action", "failed"]);
    assert.deepEqual(await told(driven.server, contact.id), ["email_sent", "email_bounced"]);
    assert.deepEqual(await driven.server.operator("list_suppressions", {}), []);
  }
});

test("a report matches its address in any spelling", async (t) => {
  const driven = await driveEngine(t);
  const { contact } = await onTheWay(driven.server, [MAIL], { email: "a@exämple.com" });
  await driven.run();
  await driven.receive(bounceOf(driven.taken[0] as never, "5.1.1", "550 5.1.1 user unknown", "A@xn--exmple-cua.com"));
  const listed = await driven.server.operator("list_suppressions", {});
  assert.deepEqual(
    listed.map(({ email, reason }: any) => [email, reason]),
    [[contact.email, "bounce"]],
  );
});

test("a late bounce withdraws the action that its sequence has reached", async (t) => {
  const driven = await driveEngine(t);
  const { server, taken, run, receive } = driven;
  await server.operator("create_socialnet_account", { label: "R", profile_url: "https://socialnet.example/in/r" });
  await onTheWay(server, [MAIL, CONNECT], { socialnet_url: PROFILE });
  await run();
  assert.equal((await theEnrollment(server)).status, "waiting_on_action");
  await receive(bounceOf(taken[0] as never, "5.2.2", "552 5.2.2 mailbox full"));
  assert.equal((await theEnrollment(server)).status, "failed");
  assert.equal((await server.operator("list_planned_actions", {}))[0].status, "cancelled");
});

test("a complaint ends everything for the sender of the complaint, also at their current address", async (t) => {
  const driven = await driveEngine(t);
  const { contact, statuses } = await underWay(driven);
  await driven.server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "new@x.example" } });
  await driven.receive(complaintOf(driven.taken[0] as never));
  assert.deepEqual(await statuses(), ["stopped_suppressed", "stopped_suppressed"]);
  const [listed] = await driven.server.operator("list_suppressions", {});
  assert.deepEqual([listed.email, listed.reason], [contact.email, "complaint"]);
});

test("a person's answer with our own subject is a reply, even if that reads like an out-of-office notice", async (t) => {
  for (const [subject, status] of [
    ["Out of office", "stopped_replied"],
    ["Auto-reply: Out of office", "active"],
  ] as const) {
    const driven = await driveEngine(t);
    const { server, taken, run, receive } = driven;
    await onTheWay(server, [{ ...MAIL, subject: "Out of office" }, LATER]);
    await run();
    await receive(answerTo(taken[0] as Taken, { Subject: subject }));
    assert.equal((await theEnrollment(server)).status, status, subject);
  }
});

test("a reply on the professional network stops the email", async (t) => {
  const driven = await driveEngine(t);
  const { server } = driven;
  const { contact, statuses } = await underWay(driven);
  const [{ id }] = await server.operator("list_socialnet_accounts", {});
  const { key } = await server.operator("create_key", {
    name: "agent",
    scopes: ["socialnet.execute"],
    socialnet_account_id: id,
  });
  const observation = { kind: "reply", profileUrl: PROFILE, observedAt: new Date(driven.clock.now()).toISOString() };
  const body = { command: "sync", observations: [{ ...observation, externalKey: "1", excerpt: "Yes" }] };
  assert.equal((await server.rest("POST", "/socialnet/actions", { key, body })).status, 200);
  assert.deepEqual(await statuses(), ["stopped_replied", "stopped_replied"]);
  assert.deepEqual(await told(server, contact.id), ["email_sent", "socialnet_reply"]);
  await quietFrom(driven);
});

test("a reply is matched by the Message-ID that a server assigned in place of ours", async (t) => {
  const theirs = "<DB9PR01MB1@DB9PR01MB1.eurprd01.prod.outlook.com>";
  const driven = await driveEngine(t, { smtp: { answer: () => `2.0.0 OK ${theirs} [Hostname=x]` } });
  const { server, taken, run, receive, clock } = driven;
  await onTheWay(server, [MAIL, LATER]);
  await run();
  assert.equal((await theSend(server)).message_id, theirs);
  clock.advance(3 * 86_400_000);
  await run();
  assert.equal(headerOf(taken[1] as never, "in-reply-to"), theirs, "the thread is that which its reader has");
  await receive(answerTo(taken[0] as never, { "In-Reply-To": theirs }));
  assert.deepEqual(await told(server, (await theEnrollment(server)).contact_id), [
    ...["email_sent", "email_sent", "email_reply"],
  ]);
});

test("a late-read reply ends the enrollment it was written to, and none begun after it arrived", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run, taken, receive } = driven;
  const { contact, enrollment } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 9 }]);
  await run();
  const answeredAt = clock.now() + DAY_MS;
  clock.advance(5 * DAY_MS);
  const later = await newSequence(server, { steps: [{ ...MAIL, delay_days: 9 }] });
  await authorise(server, later.id, [contact.id]);
  await server.operator("set_sequence_status", { sequence_id: later.id, status: "active" });
  const since = await enroll(server, { sequence_id: later.id, contact_id: contact.id });
  await receive(answerTo(taken[0] as never), answeredAt);
  const all = await server.operator("list_enrollments", { contact_id: contact.id });
  const statusOf = (id: string) => all.find((one: any) => one.id === id).status;
  assert.deepEqual([statusOf(enrollment.id), statusOf(since.body.data.id)], ["stopped_replied", "active"]);
  await receive(answerTo(taken[0] as never));
  assert.equal((await theEnrollment(server)).status, "stopped_replied", "a new answer ends that too");
});

test("a reply in another mail system's thread is matched by the message of ours that it names", async (t) => {
  const { server, run, taken, receive } = await driveEngine(t);
  await onTheWay(server, [MAIL, LATER]);
  await run();
  const ours = headerOf(taken[0] as never, "message-id");
  const theirs = `<rostrum.${UNKNOWN}@elsewhere.example>`;
  await receive(answerTo(taken[0] as never, { "In-Reply-To": theirs, References: `${ours} ${theirs}` }));
  assert.equal((await theEnrollment(server)).status, "stopped_replied");
});

/** How the address that was written to comes to another contact. */
const MOVES_ADDRESS: Record<string, (driven: Driven, contact: any) => Promise<unknown>> = {
  "from a contact who has another one by now": ({ server }, { id }) =>
    server.rest("PATCH", `/contacts/${id}`, { body: { email: "moved@x.example" } }),
  "from an archived contact": ({ server }, { id }) => server.operator("archive_contact", { contact_id: id }),
};

for (const [how, move] of Object.entries(MOVES_ADDRESS)) {
  test(`a reply stops who has the address ${how}`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock, run, taken, receive } = driven;
    const { contact, sequence } = await onTheWay(server, [MAIL, LATER]);
    await run();
    await move(driven, contact);
    const owner = await newContact(server, { email: contact.email });
    const next = await newSequence(server, { steps: [LATER] });
    await authorise(server, next.id, [owner.id]);
    await server.operator("set_sequence_status", { sequence_id: next.id, status: "active" });
    await enroll(server, { sequence_id: next.id, contact_id: owner.id });
    clock.advance(3 * HOUR_MS);
    await receive(answerTo(taken[0] as never, { From: "else@x.example" }));
    assert.equal((await theEnrollment(server, owner.id)).status, "stopped_replied");
    assert.deepEqual(await told(server, owner.id), ["email_reply"]);
    await quietFrom(driven);
    const ids = [owner.id, (await newContact(server)).id];
    const { contacts } = await server.operator("preview_audience", { sequence_id: sequence.id, contact_ids: ids });
    assert.deepEqual(
      ids.map((id) => contacts.find((one: any) => one.contact_id === id).last_reply_at !== null),
      [true, false],
    );
  });
}

test("a contact who answers another one's message gets no more email, at an address since either", async (t) => {
  const driven = await driveEngine(t);
  const { server, run, taken, receive } = driven;
  const { contact, sequence } = await onTheWay(server, [MAIL, LATER]);
  const others = [await newContact(server), await newContact(server)];
  await authorise(
    server,
    sequence.id,
    others.map(({ id }) => id),
  );
  for (const { id } of others) await enroll(server, { sequence_id: sequence.id, contact_id: id });
  await run();
  const [answers, moved] = others;
  await server.rest("PATCH", `/contacts/${moved.id}`, { body: { email: "since@x.example" } });
  const mine = taken.find(({ to }) => to[0] === contact.email) as never;
  await receive(answerTo(mine, { From: `Y <${answers.email}>` }));
  await receive(answerTo(mine, { From: `Z <${moved.email}>` }));
  for (const { id } of [contact, ...others]) assert.equal((await theEnrollment(server, id)).status, "stopped_replied");
  await quietFrom(driven);
});

/** Multiparts inside multiparts, more than a parser follows. */
const NESTED = Array.from({ length: 400 }, (_, i) => {
  return `--b${i}\nContent-Type: multipart/mixed; boundary="b${i + 1}"\n\n`;
}).join("");

/** Replies whose header or body is hard to read, each made of one that is not. */
const HARD_TO_READ: Record<string, (reply: string) => string> = {
  "with a body that the parser refuses": (reply) =>
    reply.replace("\n\n", `\nContent-Type: multipart/mixed; boundary="b0"\n\n${NESTED}`),
  "below so many header lines that the parser does not see what it answers": (reply) =>
    `${"X:\n".repeat(10_050)}${reply}`,
  "with a line of white space above what it answers": (reply) =>
    reply.replace("In-Reply-To", "X-Note: a\n\t\nIn-Reply-To"),
  "with more header above what it answers than is fetched first": (reply) =>
    reply.replace("In-Reply-To", `X-Note: ${"a".repeat(70_000)}\nIn-Reply-To`),
};

for (const [what, make] of Object.entries(HARD_TO_READ)) {
  test(`a reply ${what} stops the sequence`, async (t) => {
    const driven = await driveEngine(t);
    const { contact } = await onTheWay(driven.server, [MAIL, LATER]);
    await driven.run();
    await driven.receive(make(answerTo(driven.taken[0] as never)));
    assert.deepEqual(await told(driven.server, contact.id), ["email_sent", "email_reply"]);
    await quietFrom(driven);
  });
}
