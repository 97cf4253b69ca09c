import assert from "node:assert/strict";
import { test } from "node:test";
import type { Taken } from "../mail/smtp.ts";
import { answerTo, DAY_MS, driveEngine, HOUR_MS, onTheWay, theEnrollment } from "../support/engine.ts";
import { callAs, member } from "../support/member.ts";
import { armed, authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { Agent, engineAction, withAgent } from "../support/socialnet.ts";

const MAIL = { type: "email", subject: "Hi {{first_name}}", body: "One", delay_days: 0 };
const TWO = [MAIL, { ...MAIL, subject: "Second", delay_days: 2 }];

for (const [what, stop] of Object.entries({
  reply: (driven: Awaited<ReturnType<typeof driveEngine>>) => driven.receive(answerTo(driven.taken[0] as Taken)),
  "teammate's stop": async ({ server }: Awaited<ReturnType<typeof driveEngine>>) =>
    server.operator("stop_enrollment", { enrollment_id: (await theEnrollment(server)).id }),
})) {
  test(`after a ${what}, setting the clock back does not let an agent start again`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock } = driven;
    clock.advance(HOUR_MS);
    const { sequence, ids } = await armed(server, { sequence: { steps: TWO } });
    await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
    await enroll(server, ids);
    await driven.run();
    assert.equal(driven.taken.length, 1);
    clock.advance(-30_000);
    await stop(driven);
    const again = await enroll(server, ids);
    assert.equal(again.status, 201);
    const rows: { id: string; held_reason: string | null }[] = await server.operator("list_enrollments", {});
    assert.equal(rows.find(({ id }) => id === again.body.data.id)?.held_reason, "contact_changed");
    clock.advance(3 * DAY_MS);
    await driven.run();
    assert.equal(driven.taken.length, 1);
  });
}

test("contacts that an agent adds with the same profile do not hide a contact from a reply", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock } = driven;
  const socialnet_url = "https://socialnet.example/in/real";
  const { contact } = await onTheWay(server, TWO, { socialnet_url });
  await driven.run();
  for (let i = 0; i < 51; i++) await newContact(server, { socialnet_url });
  const agent = await Agent.of(server, clock, {});
  await agent.heartbeat();
  const observedAt = new Date(clock.now()).toISOString();
  const seen = { kind: "reply", profileUrl: socialnet_url, observedAt, externalKey: "k" };
  await agent.done("sync", { observations: [seen] });
  assert.equal((await theEnrollment(server, contact.id)).status, "stopped_replied");
});

test("a reply reaches the contact that its query names, among more with that page than are looked at", async (t) => {
  const agent = await withAgent(t);
  const profile = (id: number) => `https://socialnet.example/profile?id=${id}`;
  const sequence = await newSequence(agent.server, { steps: TWO });
  const contacts = [];
  for (let id = 0; id < 55; id++) contacts.push(await agent.contact({ socialnet_url: profile(id) }));
  await authorise(
    agent.server,
    sequence.id,
    contacts.map(({ id }) => id),
  );
  for (const { id } of contacts) await enroll(agent.server, { sequence_id: sequence.id, contact_id: id });
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "reply", profileUrl: profile(0), observedAt, externalKey: "k" };
  await agent.done("sync", { observations: [seen] });
  assert.equal((await theEnrollment(agent.server, contacts[0].id)).status, "stopped_replied");
});

test("a reply finds a profile in any spelling of its escapes and its host", async (t) => {
  const agent = await withAgent(t);
  for (const [stored, seen] of [
    ["https://socialnet.example/in/%61da", "https://socialnet.example/in/ada"],
    ["https://socialnet.example./in/bob", "https://socialnet.example/in/bob"],
    ["https://socialnet.example/in/jos%c3%a9", "https://socialnet.example/in/josé"],
  ]) {
    await agent.contact({ socialnet_url: stored });
    const observedAt = new Date(agent.clock.now()).toISOString();
    const reply = { kind: "reply", profileUrl: seen, observedAt, externalKey: stored };
    const { results } = await agent.done("sync", { observations: [reply] });
    assert.equal(results[0].status, "recorded", stored);
  }
});

test("an invisible company name opens no gate", async (t) => {
  const { server } = await driveEngine(t);
  for (const company of ["\u3164", "\u200b", "\u00ad", "\u115f\u1160"]) {
    const sequence = await newSequence(server, { steps: [MAIL] });
    const contact = await newContact(server, { company });
    const approval = await authorise(server, sequence.id, [contact.id]);
    const refused = await enroll(server, { sequence_id: sequence.id, contact_id: contact.id });
    assert.equal(refused.body.code, "company_confirmation_required", JSON.stringify(company));
    const { data } = (await callAs(server, member(server), "enroll_audience", { approval_id: approval.id })).body;
    assert.equal(data.enrolled, 0, JSON.stringify(company));
  }
});

test("a replaced approval no longer pins a company", async (t) => {
  const { server } = await driveEngine(t);
  const sequence = await newSequence(server, { steps: [MAIL] });
  const contact = await newContact(server, { company: "First" });
  const name = (company: string) => server.rest("PATCH", `/contacts/${contact.id}`, { body: { company } });
  const first = await authorise(server, sequence.id, [contact.id]);
  await name("Second");
  await authorise(server, sequence.id, [contact.id]);
  await name("First");
  const { data } = (await callAs(server, member(server), "enroll_audience", { approval_id: first.id })).body;
  assert.equal(data.enrolled, 0);
});

test("two contacts' replies with one Message-ID both stop their sequences", async (t) => {
  const driven = await driveEngine(t);
  const { server } = driven;
  const made = [
    await onTheWay(server, TWO, { email: "a@x.example" }),
    await onTheWay(server, TWO, { email: "b@x.example" }),
  ];
  await driven.run();
  for (const { contact } of made) {
    const sent = driven.taken.find(({ to }) => to.includes(contact.email));
    await driven.receive(answerTo(sent as Taken).replace(/^message-id:.*$/im, "Message-ID: <same@x.example>"));
  }
  for (const { contact } of made)
    assert.equal((await theEnrollment(server, contact.id)).status, "stopped_replied", contact.email);
});

test("members can pause a sequence and archive a contact while billing is read-only", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const action = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: action.id });
  await server.operator("set_billing", { state: "delinquent" });
  const set = (status: string) =>
    callAs(server, member(server), "set_sequence_status", { sequence_id: action.sequence.id, status });
  assert.equal((await set("paused")).status, 200);
  assert.equal((await agent.command("claim", { actionId: action.id })).status, 409);
  assert.equal((await set("active")).status, 402);
  const archived = await callAs(server, member(server), "archive_contact", { contact_id: action.contact.id });
  assert.equal(archived.status, 200);
});
