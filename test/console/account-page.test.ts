import assert from "node:assert/strict";
import { test } from "node:test";
import { asMember, asOwner, formOf } from "../support/http-browser.ts";
import { newReply } from "../support/inbox.ts";
import { authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const ACME = { name: "Acme Ltd", domain: "acme.example" };

/** A company, and contacts that are linked to it. */
async function company(server: TestServer, ...names: string[]) {
  const account = await server.operator("create_account", ACME);
  const people: any[] = [];
  for (const first_name of names) {
    const contact = await newContact(server, { first_name });
    await server.operator("update_contact", { id: contact.id, account_id: account.id });
    people.push(contact);
  }
  return { account, people, at: `/console/w/${server.workspaceId}/accounts/${account.id}` };
}

const log = (server: TestServer, id: string, subject: string) =>
  server.rest("POST", `/contacts/${id}/activities`, { body: { type: "call_made", subject } });

test("a company's page tells the timelines of all its contacts as one, with names, replies and confirmed meetings", async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 9));
  const server = await startServer(t, { clock });
  const { people, at } = await company(server, "Ada", "Grace");
  const [ada, grace] = people;
  const other = await newContact(server, { first_name: "Nobody" });
  const owner = await asOwner(server, clock.now());
  const steps = [
    () => log(server, ada.id, "First call"),
    () => server.operator("confirm_meeting", { contact_id: grace.id, held_on: "2026-11-19", note: "In Lisbon." }),
    () => log(server, grace.id, "Second call"),
    () => newReply(server, ada, "Yes, please."),
    () => log(server, other.id, "Elsewhere"),
  ];
  for (const step of steps) {
    await step();
    clock.advance(60_000);
  }
  const { text } = await owner.get(at);
  const order = ["Yes, please.", "Second call", "Meeting confirmed", "First call"].map((said) => text.indexOf(said));
  assert.ok(
    order.every((found, i) => found > (order[i - 1] ?? 0)),
    String(order),
  );
  assert.match(text, /Meeting confirmed<\/strong>: Nov 19, 2026[\s\S]*?In Lisbon\.[\s\S]*?contacts\/[^"]*">Grace</);
  assert.doesNotMatch(text, /Elsewhere/);
  assert.match(text, /<span class="initials[^"]* company large"/);
});

test("older activity of a company is pages back, and a confirmed meeting is on exactly one of them", async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 9));
  const server = await startServer(t, { clock });
  const { people, account } = await company(server, "Ada", "Grace");
  for (let i = 0; i < 60; i += 1) {
    const { id } = people[i % 2];
    await log(server, id, `Call ${i}.`);
    clock.advance(60_000);
    // Between the entries at the ends of two pages as well.
    if (i === 34 || i === 4) await server.operator("confirm_meeting", { contact_id: id, held_on: "2026-11-19" });
    clock.advance(60_000);
  }
  const pages: any[] = [];
  for (let before: string | null | undefined; before !== null; before = pages.at(-1).older) {
    pages.push(await server.operator("get_account_record", { id: account.id, ...(before && { before }) }));
  }
  const subjects = pages.flatMap(({ timeline }) => timeline.map(({ subject }: any) => subject));
  assert.deepEqual(
    subjects,
    Array.from({ length: 60 }, (_, i) => `Call ${59 - i}.`),
  );
  assert.deepEqual(
    pages.map(({ confirmed_meetings: held }) => held.length),
    [0, 1, 1],
  );
  const contact = await server.operator("get_contact_record", { id: people[0].id });
  const older = await server.operator("get_contact_record", { id: people[0].id, before: contact.older });
  assert.deepEqual(
    [contact, older].map(({ confirmed_meetings: held }) => held.length),
    [1, 1],
  );
});

test("the one primary action links a first contact, and then adds a deal with one of them", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { account, at } = await company(server);
  const primary = async () =>
    /<summary class="button primary"[^>]*>\s*([^<]*[^<\s])/.exec((await owner.get(at)).text)?.[1];
  assert.equal(await primary(), undefined);
  const named = await newContact(server, { first_name: "Ada", company: ACME.name });
  assert.equal(await primary(), "Link contact…");
  const page = await owner.get(at);
  const linked = await owner.post(at, { ...formOf(page, "link"), id: named.id });
  assert.equal(linked.status, 303, linked.text);
  assert.equal((await server.operator("get_account_record", { id: account.id })).contacts.total, 1);
  assert.deepEqual((await server.operator("get_account_record", { id: account.id })).unlinked, []);
  assert.equal(await primary(), "Add deal…");
  const deal = { ...formOf(await owner.get(at), "create_deal"), contact_id: named.id, title: "Two depots" };
  assert.equal((await owner.post(at, deal)).status, 303);
  assert.match((await owner.get(at)).text, /deals\/[^"]*">Two depots<\/a>/);
});

test("a company's page marks and names who must not be contacted, and whose each enrollment is", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const owner = await asOwner(server);
  const { people, at, account } = await company(server, "Ada", "Grace");
  const [ada, grace] = people;
  assert.match((await owner.get(at)).text, /<dt>Do not contact<\/dt><dd><span>None</);
  await server.operator("add_suppression", { email: grace.email });
  const steps = [{ type: "email", subject: "Hello", body: "Hi", delay_days: 5 }];
  const sequence = await newSequence(server, { name: "Fall", steps });
  await authorise(server, sequence.id, [ada.id]);
  assert.equal((await enroll(server, { sequence_id: sequence.id, contact_id: ada.id })).status, 201);
  const { text } = await owner.get(at);
  const link = (id: string, name: string) => `contacts/${id}">${name}</a>`;
  assert.match(text, new RegExp(`<dt>Do not contact</dt><dd><span><a href="[^"]*${link(grace.id, "Grace")}`));
  const list = text.slice(text.indexOf("Contacts (2)"), text.indexOf("<h2>Deals"));
  const row = (name: string) => list.split("<li").find((one) => one.includes(`>${name}</a>`)) ?? "";
  assert.match(row("Grace"), /Do not contact</);
  assert.doesNotMatch(row("Ada"), /Do not contact</);
  const sequences = text.slice(text.indexOf("<h2>Sequences"));
  assert.match(sequences, new RegExp(`${link(ada.id, "Ada")}.*?sequences/${sequence.id}">Fall</a>`, "s"));
  // Over or not, that they replied says more.
  await newReply(server, ada, "Yes.");
  const { enrollments } = await server.operator("get_account_record", { id: account.id });
  assert.equal(enrollments[0].contact_id, ada.id);
  assert.ok(enrollments[0].last_reply_at >= enrollments[0].enrolled_at);
});

test("fields are edited in place, and a viewer reads the page without forms", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { at } = await company(server, "Ada");
  const form = formOf(await owner.get(at), "edit-industry");
  assert.equal((await owner.post(at, { ...form, industry: "Freight" })).status, 303);
  const { text } = await owner.get(at);
  assert.match(text, /Freight/);
  assert.match(text, />Prospect</);
  const viewer = await asMember(server, { email: "v@b.example", name: "Vic", role: "viewer" });
  const read = (await viewer.get(at)).text;
  assert.match(read, /Freight/);
  assert.doesNotMatch(read, /update_account|create_deal|log_activity/);
});
