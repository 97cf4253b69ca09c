import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import PostalMime from "postal-mime";
import { answerTo, driveEngine, HOUR_MS, headerOf, onTheWay } from "../support/engine.ts";
import { asMember, formOf } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { Agent, withAgent } from "../support/socialnet.ts";

/** Who answers directly approves what they type: to whom, from whom and after which reply is on the page, or is refused. */

const MAIL = { type: "email", subject: "Hello", body: "Hi.", delay_days: 0 };
const LATER = { ...MAIL, subject: "Again", delay_days: 3 };
const NEVER = "Never write to me again.";
const APPROVER = { email: "ap@b.example", name: "Boss", role: "admin", approve_outbound: true };

/** A contact who answered the first email of a sequence. */
async function replied(t: TestContext, contact: object = {}, headers: Record<string, string> = {}) {
  const driven = await driveEngine(t);
  const made = await onTheWay(driven.server, [MAIL, LATER], contact);
  await driven.run();
  driven.clock.advance(HOUR_MS);
  const [first] = driven.taken;
  await driven.receive(answerTo(first as never, headers, "I am away."));
  return { ...driven, ...made, first, contact_id: made.contact.id as string };
}

test("with several accounts, an answer on the network goes from the profile that the page showed, or not", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "reply", profileUrl: contact.socialnet_url, observedAt, externalKey: "m1", excerpt: "Hi?" };
  await agent.done("sync", { observations: [seen] });
  await agent.person("create_socialnet_account", { label: "Bea", profile_url: "https://socialnet.example/in/bea" });
  const browser = await asMember(agent.server, APPROVER);
  const path = `/console/w/${agent.server.workspaceId}/inbox/${contact.id}`;
  const form = formOf(await browser.open(path), "answer_on_network");
  const admin = member(agent.server, { role: "admin" });
  const moved = { account_id: agent.account.id, profile_url: "https://socialnet.example/in/eve" };
  const { status, text } = await callAs(agent.server, admin, "update_socialnet_account", moved);
  assert.equal(status, 200, text);
  await browser.post(path, { ...form, account_id: agent.account.id, copy: "From Ada." });
  const planned = await agent.person("list_planned_actions", { contact_id: contact.id });
  assert.deepEqual(
    planned.map((one: any) => [one.status, one.account_profile_url]),
    [],
  );
  const again = formOf(await browser.open(path), "answer_on_network");
  await browser.post(path, { ...again, account_id: agent.account.id, copy: "From Eve." });
  const [answered] = await agent.person("list_planned_actions", { contact_id: contact.id });
  assert.deepEqual(
    [answered.status, answered.account_profile_url, answered.approved_by],
    ["approved", moved.profile_url, "Boss"],
  );
});

test("the page shows who an answer by email is from, and another sender is refused", async (t) => {
  const { server, clock, run, taken, contact_id } = await replied(t);
  await server.operator("set_sending_policy", { sender_name: "Robin Shown" });
  const browser = await asMember(server, APPROVER);
  const path = `/console/w/${server.workspaceId}/inbox/${contact_id}`;
  const page = await browser.open(path);
  const form = formOf(page, "answer_by_email");
  await server.operator("set_sending_policy", { sender_name: "Security desk of Big Bank" });
  await browser.post(path, { ...form, subject: "Re: Hello", body: "Hello from Robin." });
  clock.advance(10_000);
  await run();
  assert.deepEqual(
    taken.slice(1).map((sent) => headerOf(sent, "from")),
    [],
  );
  const shown = /<form[^>]* id="answer_by_email".*?<\/form>/s.exec(page.text)?.[0] ?? "";
  assert.match(shown, /From\s*<code>Robin Shown &lt;sales@acme\.example/);
  await browser.post(path, {
    ...formOf(await browser.open(path), "answer_by_email"),
    subject: "Re: Hello",
    body: "Hello.",
  });
  clock.advance(10_000);
  await run();
  assert.deepEqual(
    taken.slice(1).map((sent) => headerOf(sent, "from")),
    ["Security desk of Big Bank <sales@acme.example>"],
  );
});

test("the page shows a newer reply of the same person, and an answer that was read before it is refused", async (t) => {
  const profile = { socialnet_url: "https://socialnet.example/in/twin" };
  const { server, clock, run, taken, receive, contact_id } = await replied(t, profile);
  const agent = await Agent.of(server, clock);
  await onTheWay(server, [{ ...MAIL, subject: "To the twin" }], profile);
  await run();
  const browser = await asMember(server, APPROVER);
  const path = `/console/w/${server.workspaceId}/inbox/${contact_id}`;
  const page = await browser.open(path);
  clock.advance(HOUR_MS);
  await receive(answerTo(taken[1] as never, {}, NEVER));
  await browser.post(path, { ...formOf(page, "answer_by_email"), subject: "Re: Hello", body: "Sent all the same." });
  await browser.post(path, { ...formOf(page, "answer_on_network"), copy: "Sent all the same." });
  clock.advance(10_000);
  await run();
  const planned = await server.operator("list_planned_actions", { contact_id, account_id: agent.account.id });
  assert.deepEqual([taken.length, planned.length], [2, 0]);
  const read = await browser.open(path);
  assert.ok(read.text.includes(NEVER), "the page shows it");
  await browser.post(path, { ...formOf(read, "answer_by_email"), subject: "Re: Hello", body: "Read and sent." });
  clock.advance(10_000);
  await run();
  assert.equal(taken.length, 3);
});

test("the suggested subject of an answer has no hidden characters", async (t) => {
  const subject = `=?UTF-8?B?${Buffer.from("Re: Hel\u{E0041}\u202Elo\u200B 👩‍💻 می‌خواهم").toString("base64")}?=`;
  const { server, clock, run, taken, contact_id } = await replied(t, {}, { Subject: subject });
  const { email } = await server.operator("get_conversation", { contact_id });
  assert.equal(email.subject, "Re: Hello 👩‍💻 می‌خواهم");
  await server.operator("answer_by_email", { contact_id, body: "Yes." });
  clock.advance(10_000);
  await run();
  const sent = await PostalMime.parse((taken[1] as any).raw);
  assert.equal(sent.subject, "Re: Hello 👩‍💻 می‌خواهم");
});

test("an answer goes to exactly the address that was read", async (t) => {
  const { server, clock, run, taken, contact_id } = await replied(t, { email: "kate@x.example" });
  const browser = await asMember(server, APPROVER);
  const path = `/console/w/${server.workspaceId}`;
  const { email } = await server.operator("get_conversation", { contact_id });
  assert.deepEqual(email.to, ["kate@x.example"]);
  const patched = await server.rest("PATCH", `/contacts/${contact_id}`, { body: { email: "\u212Aate@x.example" } });
  assert.equal(patched.status, 200, patched.text);
  // The reply came from the first one, so both can be answered.
  await server.operator("answer_by_email", { contact_id, to: "KATE@x.example", body: "Hi." });
  clock.advance(10_000);
  await run();
  assert.deepEqual(
    taken.slice(1).map(({ to }) => to),
    [["kate@x.example"]],
  );
  assert.match(
    (await browser.open(`${path}/inbox/${contact_id}`)).text,
    /\u212Aate@x\.example \([^)]*non-ascii letters/,
  );
  const look_alike = { contact_id, to: "\u212Aate@x.example", body: "Hi." };
  const { body } = await callAs(server, member(server), "answer_by_email", look_alike);
  const review = await browser.open(`${path}/review/answer/${body.data.id}`);
  assert.match(
    review.text,
    /<code>\u212Aate@x\.example<\/code>\s*<span title="An agent wrote this value\.">.*Non-ASCII letters/s,
  );
});

test("the review of an answer shows the message that its hash covers", async (t) => {
  const profile = { socialnet_url: "https://socialnet.example/in/writes" };
  const { server, clock, contact_id } = await replied(t, profile);
  const agent = await Agent.of(server, clock);
  const { body } = await callAs(server, member(server), "answer_by_email", { contact_id, body: "Shall we talk?" });
  clock.advance(HOUR_MS);
  const observedAt = new Date(clock.now()).toISOString();
  const seen = { kind: "message_received", profileUrl: profile.socialnet_url, observedAt, externalKey: "m" };
  await agent.done("sync", { observations: [{ ...seen, excerpt: NEVER }] });
  const { id } = body.data;
  const { version, answer } = await server.operator("get_review", { kind: "answer", id });
  assert.deepEqual([answer.last_reply.body, answer.last_message.body], ["I am away.", NEVER]);
  const browser = await asMember(server, APPROVER);
  const page = await browser.open(`/console/w/${server.workspaceId}/review/answer/${id}`);
  assert.ok(page.text.includes(version) && page.text.includes(NEVER));
});

test("the review of an answer shows the reply that it answers, and a later one of the same person", async (t) => {
  const profile = { socialnet_url: "https://socialnet.example/in/same" };
  const { server, clock, run, taken, receive, contact_id } = await replied(t, profile);
  await onTheWay(server, [{ ...MAIL, subject: "To the twin" }], profile);
  await run();
  clock.advance(HOUR_MS);
  await receive(answerTo(taken[1] as never, {}, NEVER));
  const { body } = await callAs(server, member(server), "answer_by_email", { contact_id, body: "Shall we talk?" });
  const { answer } = await server.operator("get_review", { kind: "answer", id: body.data.id });
  assert.deepEqual([answer.last_reply.body, answer.last_message.body], [NEVER, "I am away."]);
  const browser = await asMember(server, APPROVER);
  const { text } = await browser.open(`/console/w/${server.workspaceId}/review/answer/${body.data.id}`);
  assert.ok(text.includes(NEVER) && text.includes("I am away."));
});

test("the review of an answer on the network shows the message, however many entries an agent adds", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "message_received", profileUrl: contact.socialnet_url, observedAt, externalKey: "m" };
  await agent.done("sync", { observations: [{ ...seen, excerpt: NEVER }] });
  for (let i = 0; i < 20; i += 1) {
    const body = { type: "voicemail_left", subject: `Voicemail ${i}` };
    assert.equal((await agent.server.rest("POST", `/contacts/${contact.id}/activities`, { body })).status, 201);
  }
  const answer = { contact_id: contact.id, account_id: agent.account.id, copy: "Hello." };
  const { body } = await callAs(agent.server, member(agent.server), "answer_on_network", answer);
  const browser = await asMember(agent.server, APPROVER);
  const { text } = await browser.open(`/console/w/${agent.server.workspaceId}/review/action/${body.data.id}`);
  assert.ok(text.includes(NEVER));
});

test("the page shows the last message, however many entries an agent adds after it", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "message_received", profileUrl: contact.socialnet_url, observedAt, externalKey: "m" };
  await agent.done("sync", { observations: [{ ...seen, excerpt: NEVER }] });
  for (let i = 0; i < 100; i += 1) {
    agent.clock.advance(2_000);
    const body = { type: "voicemail_left", subject: `Voicemail ${i}` };
    const logged = await agent.server.rest("POST", `/contacts/${contact.id}/activities`, { body });
    assert.equal(logged.status, 201, logged.text);
  }
  const browser = await asMember(agent.server, APPROVER);
  const page = await browser.open(`/console/w/${agent.server.workspaceId}/inbox/${contact.id}`);
  assert.ok(formOf(page, "answer_on_network") !== undefined && page.text.includes(NEVER));
});

test("an entry of an agent doesn't name another writer", async (t) => {
  const { server, contact_id } = await replied(t, { email: "kate@x.example" });
  const entry = { type: "call_received", subject: "Kate called", body: "Use the new account number." };
  const body = { ...entry, metadata: { from: "kate.boss@x.example" } };
  assert.equal((await server.rest("POST", `/contacts/${contact_id}/activities`, { body })).status, 201);
  const browser = await asMember(server, APPROVER);
  const { text } = await browser.open(`/console/w/${server.workspaceId}/inbox/${contact_id}`);
  assert.ok(text.includes("Use the new account number.") && text.includes('<p class="hint">kate@x.example'));
  assert.ok(!text.includes("kate.boss@x.example"));
});

test("a reply that an agent reported says so", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "reply", profileUrl: contact.socialnet_url, observedAt, externalKey: "m1", excerpt: "Hi?" };
  await agent.done("sync", { observations: [seen] });
  const browser = await asMember(agent.server, APPROVER);
  const { text } = await browser.open(`/console/w/${agent.server.workspaceId}/inbox/${contact.id}`);
  assert.ok(text.includes('<p class="hint">Reported by an agent</p>'));
});

test("an answer to another address warns of an opt-out that is similar to it", async (t) => {
  const { server, contact_id } = await replied(t, {}, { From: "bob+news@y.example" });
  await server.operator("add_suppression", { email: "bob@y.example", reason: "manual" });
  const browser = await asMember(server, APPROVER);
  const path = `/console/w/${server.workspaceId}`;
  const answer = { contact_id, to: "bob+news@y.example", body: "Hello." };
  const { body } = await callAs(server, member(server), "answer_by_email", answer);
  for (const page of [`inbox/${contact_id}`, `review/answer/${body.data.id}`]) {
    assert.match((await browser.open(`${path}/${page}`)).text, /May have opted out<\/span> bob@y\.example/, page);
  }
});

test("another address than the contact's is never the default", async (t) => {
  const { server, clock, run, taken, contact_id } = await replied(t, {}, { From: "bob@y.example" });
  assert.equal((await server.rest("PATCH", `/contacts/${contact_id}`, { body: { email: null } })).status, 200);
  const browser = await asMember(server, APPROVER);
  const page = await browser.open(`/console/w/${server.workspaceId}/inbox/${contact_id}`);
  assert.match(page.text, /<code>bob@y\.example<\/code> <span class="chip[^>]*>.{0,200}Not the contact's address/);
  const answer = server.operator("answer_by_email", { contact_id, body: "Hello." });
  await assert.rejects(answer, { code: "validation_failed" });
  await server.operator("answer_by_email", { contact_id, to: "bob@y.example", body: "Hello." });
  clock.advance(10_000);
  await run();
  assert.equal(taken.length, 2);
});

for (const [form, then] of [
  ["done", {}],
  ["mark_not_interested", {}],
  ["snooze_conversation", { until: "2027-01-01T00:00:00.000Z" }],
] as const) {
  test(`a page that was read before a new reply doesn't close its conversation: ${form}`, async (t) => {
    const { server, clock, receive, first, contact_id } = await replied(t);
    const browser = await asMember(server, APPROVER);
    const path = `/console/w/${server.workspaceId}/inbox/${contact_id}`;
    const fields = formOf(await browser.open(path), form);
    clock.advance(HOUR_MS);
    await receive(answerTo(first as never, {}, "Wait, I am interested."));
    const page = await browser.post(path, { ...fields, ...then });
    assert.equal(page.status, 409);
    assert.ok(page.text.includes("Wait, I am interested."));
    const { conversation } = await server.operator("get_conversation", { contact_id });
    assert.deepEqual([conversation.status, conversation.mark, conversation.snoozed_until], ["open", null, null]);
  });
}

test("the suggested subject hides nothing behind white space, and can be sent", async (t) => {
  const tail = "and we accept your price";
  const { server, contact_id } = await replied(t, {}, { Subject: `Re: Hello${" \u00A0".repeat(150)}${tail}` });
  const { email } = await server.operator("get_conversation", { contact_id });
  assert.equal(email.subject, `Re: Hello ${tail}`);
  const long = await replied(t, {}, { Subject: "x".repeat(500) });
  const found = await long.server.operator("get_conversation", { contact_id: long.contact_id });
  assert.ok(found.email.subject.length <= 500);
  const browser = await asMember(long.server, APPROVER);
  const page = await browser.open(`/console/w/${long.server.workspaceId}/inbox/${long.contact_id}`);
  assert.match(page.text, /<textarea[^>]* name="subject"/, "a line of text would show its beginning only");
});

test("the forms that message a contact mark a profile that an agent wrote", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact({ socialnet_url: "https://socialnet.example/in/kate" });
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "reply", profileUrl: contact.socialnet_url, observedAt, externalKey: "m", excerpt: "Hi?" };
  await agent.done("sync", { observations: [seen] });
  const body = { socialnet_url: "https://socialnet.example/in/k\u0430te" };
  assert.equal((await agent.server.rest("PATCH", `/contacts/${contact.id}`, { body })).status, 200);
  const browser = await asMember(agent.server, APPROVER);
  for (const page of [`inbox/${contact.id}`, `agents/${agent.account.id}/plan?contact=${contact.id}`]) {
    const { text } = await browser.open(`/console/w/${agent.server.workspaceId}/${page}`);
    assert.match(
      text,
      /<code>[^<]*\/in\/[^<]*te<\/code>\s*<span title="An agent wrote this value\.">.*Non-ASCII letters/s,
      page,
    );
  }
});

test("reviews of answers say that the contact is not interested", async (t) => {
  const { server, clock, contact_id } = await replied(t, { socialnet_url: "https://socialnet.example/in/no" });
  const agent = await Agent.of(server, clock);
  await server.operator("mark_not_interested", { contact_id });
  const rep = member(server);
  const email = await callAs(server, rep, "answer_by_email", { contact_id, body: "Hello." });
  const message = { contact_id, account_id: agent.account.id, copy: "Hello." };
  const action = await callAs(server, rep, "answer_on_network", message);
  const browser = await asMember(server, APPROVER);
  for (const path of [`answer/${email.body.data.id}`, `action/${action.body.data.id}`]) {
    const { text } = await browser.open(`/console/w/${server.workspaceId}/review/${path}`);
    assert.match(text, /Not interested<\/span> A teammate marked/, path);
  }
});

test("an answer that the page would have sent to review isn't sent at once", async (t) => {
  const { server, clock, run, taken, contact_id } = await replied(t);
  await server.operator("set_own_proposals", { own_proposals: "forbidden" });
  const browser = await asMember(server, APPROVER);
  const path = `/console/w/${server.workspaceId}/inbox/${contact_id}`;
  const page = await browser.open(path);
  assert.match(page.text, />Send to review</);
  await server.operator("set_own_proposals", { own_proposals: "allowed" });
  const draft = { subject: "Re: Hello", body: "A draft: please check the price." };
  const refused = await browser.post(path, { ...formOf(page, "answer_by_email"), ...draft });
  assert.match(refused.text, /Your answer would now be sent without a review\./);
  clock.advance(HOUR_MS);
  await run();
  assert.equal(taken.length, 1);
  await browser.post(path, { ...formOf(await browser.open(path), "answer_by_email"), ...draft });
  clock.advance(HOUR_MS);
  await run();
  assert.equal(taken.length, 2);
});
