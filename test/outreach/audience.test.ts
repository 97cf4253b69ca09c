import assert from "node:assert/strict";
import { test } from "node:test";
import { fillTemplate } from "../../src/domain/outreach/template.ts";
import { bounceOf, driveEngine, headerOf, onTheWay, theEnrollment, told } from "../support/engine.ts";
import { armed, authorise, enroll, newContact, newSequence, STEPS } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";

const OPEN = { env: { ROSTRUM_OUTBOUND_GATE: "open" } };
const MAIL = { type: "email", subject: "Hi {{first_name}}", body: "{{job_title}} at {{company}}", delay_days: 0 };

const patch = (server: TestServer, id: string, body: object) => server.rest("PATCH", `/contacts/${id}`, { body });
const look = (server: TestServer, sequence_id: string, contact_ids: string[]) =>
  server.operator("preview_audience", { sequence_id, contact_ids });
const hashesOf = (shown: any) =>
  Object.fromEntries(shown.contacts.map(({ contact_id, copy_hash }: any) => [contact_id, copy_hash]));
const fieldOf = (shown: any, field: string, at = 0) =>
  shown.contacts[at].values.find((value: any) => value.field === field);

test("an approval covers what was shown: a contact changed in between is refused and named", async (t) => {
  const server = await startServer(t);
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  const people = [await newContact(server), await newContact(server), await newContact(server)];
  const contact_ids = people.map(({ id }) => id);
  const changes = [
    { email: "elsewhere@x.example" },
    { job_title: "Call 0800 555 0199 now" },
    { company: "Evil Corp" },
    { socialnet_url: "https://socialnet.example/in/elsewhere" },
  ];
  for (const change of changes) {
    const shown = await look(server, sequence_id, contact_ids);
    const given = { sequence_id, contact_ids, steps_hash: shown.steps_hash, copy_hashes: hashesOf(shown) };
    assert.equal((await patch(server, contact_ids[1], change)).status, 200);
    await assert.rejects(server.operator("approve_sequence", given), (error: any) => {
      assert.equal(error.code, "version_conflict");
      assert.match(error.message, new RegExp(`^copy_hashes: contact ${contact_ids[1]} changed after`));
      assert.deepEqual(error.extra, { changed_contact_ids: [contact_ids[1]] });
      return true;
    });
    const copy_hashes = hashesOf(await look(server, sequence_id, contact_ids));
    assert.equal((await server.operator("approve_sequence", { ...given, copy_hashes })).status, "approved");
  }
});

test("a company that an approval records was shown, even if no step renders it", async (t) => {
  const server = await startServer(t, OPEN);
  const { id: sequence_id } = await newSequence(server, { steps: [{ ...MAIL, body: "Hello" }] });
  const ada = await newContact(server, { company: "Acme" });
  const contact_ids = [ada.id];
  const copy_hashes = hashesOf(await look(server, sequence_id, contact_ids));
  await patch(server, ada.id, { company: "Evil" });
  const approve = server.operator("approve_sequence", { sequence_id, contact_ids, copy_hashes });
  await assert.rejects(approve, { code: "version_conflict" });
  const { id: approval_id } = await server.operator("approve_sequence", { sequence_id, contact_ids });
  await patch(server, ada.id, { company: "Evil again" });
  const [shown] = (await server.operator("get_review", { kind: "sequence", id: approval_id })).audience;
  assert.equal(shown.changed, false, "nothing that is sent to them has changed");
});

test("hashes of contacts that are not approved are ignored, a missing one is refused, and none means the current values", async (t) => {
  const server = await startServer(t);
  const { id: sequence_id } = await newSequence(server);
  const [ada, bob] = [await newContact(server), await newContact(server)];
  const copy_hashes = hashesOf(await look(server, sequence_id, [ada.id, bob.id]));
  await patch(server, bob.id, { company: "Changed" });
  const approve = (given: object) => server.operator("approve_sequence", { sequence_id, ...given });
  await approve({ contact_ids: [ada.id], copy_hashes });
  const partial = { contact_ids: [ada.id, bob.id], copy_hashes: { [ada.id]: copy_hashes[ada.id] } };
  await assert.rejects(approve(partial), { code: "validation_failed", message: new RegExp(bob.id) });
  await approve({ contact_ids: [ada.id, bob.id] });
});

test("the audience shows every value exactly as it is sent, and marks what a person should check", async (t) => {
  const server = await startServer(t);
  await server.operator("set_sending_policy", { sender_name: "Robin" });
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  const job_title = `${"Very senior ".repeat(20)}see http://evil.example`;
  const ada = await newContact(server, { first_name: "A\u202Eda\u200B", job_title, last_name: "Lovelace" });
  const shown = await look(server, sequence_id, [ada.id]);
  assert.deepEqual([shown.sender.name, shown.contacts[0].suppressed], ["Robin", false]);
  assert.match(shown.contacts[0].name, /U\+202E/);
  assert.deepEqual(fieldOf(shown, "email"), { field: "email", value: ada.email, use: "recipient", marks: ["agent"] });
  assert.deepEqual(fieldOf(shown, "first_name"), {
    field: "first_name",
    value: "Ada",
    use: "copy",
    marks: ["agent", "hidden"],
  });
  assert.deepEqual(fieldOf(shown, "job_title"), {
    field: "job_title",
    value: job_title,
    use: "copy",
    marks: ["agent", "long", "link"],
  });
  const { id } = await newContact(server, { email: "ada@\u0430cme.example" });
  const alike = fieldOf(await look(server, sequence_id, [id]), "email");
  assert.deepEqual(alike.marks, ["agent", "letters"], "a Cyrillic letter");
  assert.equal(fieldOf(shown, "company").use, "copy");
  assert.equal(fieldOf(shown, "last_name"), undefined, "it reaches nobody");
});

test("links are removed from a value before it is shown, except an agent's value, which is shown and sent unchanged", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const job_title = "Head of evil.example/login";
  const { sequence, contact } = await onTheWay(server, [MAIL], { job_title });
  assert.equal(fieldOf(await look(server, sequence.id, [contact.id]), "job_title").value, job_title);
  await run();
  assert.match((taken[0] as any).raw, /Head of evil\.example\/login/);
  const company = "Navy evil.xn--p1ai/login";
  const row = { email: "grace@x.example", first_name: "Grace", company, job_title };
  const file = { fingerprint: "b".repeat(64), from_row: 0, rows: [row], last: true };
  await server.operator("import_contacts", file);
  const [grace] = await server.operator("search_contacts", { text: "grace@" });
  const shown = fieldOf(await look(server, sequence.id, [grace.id]), "job_title");
  assert.deepEqual([shown.value, shown.marks], ["Head of", []]);
  assert.equal(fieldOf(await look(server, sequence.id, [grace.id]), "company").value, "Navy");
  const none = { first_name: null, last_name: null, job_title: null, sender_name: null };
  const sent = (value: string) => (fillTemplate("({{company}})", { ...none, company: value }) as { text: string }).text;
  assert.equal(sent("203.0.113.7/x v1.2/beta"), "(v1.2/beta)");
  assert.equal(sent("0177.0.0.1/x 0x7f.0x0.0x0.0x1/x http://2130706433/ 1.2/3"), "(1.2/3)");
  assert.equal(sent("Acme evil.example./x evil.example.:80/x Foo Inc./Bar"), "(Acme Foo Inc./Bar)");
  assert.equal(sent("Acme उदाहरण.भारत/x இந்தியா.இந்தியா/y"), "(Acme)");
});

test("who wrote a value affects how it is sent, so a contact is on hold after an agent changes a value back and forth", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const row = { email: "grace@x.example", first_name: "Grace", company: "Navy", job_title: "See http://evil.example" };
  await server.operator("import_contacts", { fingerprint: "c".repeat(64), from_row: 0, rows: [row], last: true });
  const [grace] = await server.operator("search_contacts", { text: "grace@" });
  const sequence = await newSequence(server, { steps: [MAIL] });
  await authorise(server, sequence.id, [grace.id]);
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
  for (const job_title of ["Other", row.job_title]) await patch(server, grace.id, { job_title });
  await enroll(server, { sequence_id: sequence.id, contact_id: grace.id });
  await run();
  assert.deepEqual([taken.length, (await theEnrollment(server)).held_reason], [0, "contact_changed"]);
});

test("an address that compares equal but reaches another person puts the contact on hold", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const profile_url = "https://socialnet.example/in/robin";
  await server.operator("create_socialnet_account", { label: "Robin", profile_url, automation_mode: "automatic" });
  const message = { type: "socialnet_message", body: "Hi {{first_name}}", delay_days: 0 };
  const profile = (id: number) => `https://socialnet.example/profile?id=${id}`;
  for (const [step, was, is] of [
    [MAIL, { email: "Kim@x.example", job_title: "A" }, { email: "\u212Aim@x.example" }],
    [message, { socialnet_url: profile(1) }, { socialnet_url: profile(2) }],
  ] as const) {
    const { contact } = await onTheWay(server, [step], was);
    assert.equal((await patch(server, contact.id, is)).status, 200);
    await run();
    assert.equal((await theEnrollment(server, contact.id)).held_reason, "contact_changed");
  }
  assert.deepEqual([taken.length, await server.operator("list_planned_actions", {})], [0, []]);
});

test("an address that differs from a do-not-contact entry only by its tag is pointed out, for any form of its domain", async (t) => {
  const server = await startServer(t);
  const { id: sequence_id } = await newSequence(server);
  const similar = async (email: string) => {
    const { id } = await newContact(server, { email });
    return (await look(server, sequence_id, [id])).contacts[0].similar_suppressed;
  };
  await server.rest("POST", "/suppression", { body: { email: "Ada@x.example" } });
  await server.rest("POST", "/suppression", { body: { email: "bob+news@x.example" } });
  assert.equal(await similar("ada+sales@x.example"), "ada@x.example");
  assert.equal(await similar("bob@x.example"), "bob+news@x.example");
  assert.equal(await similar("Bob+other@X.example"), "bob+news@x.example");
  await server.rest("POST", "/suppression", { body: { email: "eve+a@exämple.example" } });
  await server.rest("POST", "/suppression", { body: { email: "pat@xn--exmple-cua.example" } });
  assert.equal(await similar("eve@XN--exmple-cua.example"), "eve+a@exämple.example");
  assert.equal(await similar("pat@EXÄMPLE.example"), null, "it is the suppressed address itself");
  assert.equal(await similar("eve@example.example"), null);
  for (const other of ["adam+x@x.example", "ada+x@y.example", "bobby@x.example", "bob@y.example"]) {
    assert.equal(await similar(other), null, other);
  }
});

test("reviewers are warned of an opted-out person under a new address or as a second contact, no matter what an agent does", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const { id: sequence_id } = await newSequence(server, { steps: [{ ...MAIL, body: "Hello" }] });
  const optOut = (email: string) => server.rest("POST", "/suppression", { body: { email } });
  const similar = async (id: string) =>
    (await look(server, sequence_id, [id])).contacts[0].similar_suppressed as string | null;
  const person = async (email: string | null, more: object = {}) => (await newContact(server, { email, ...more })).id;

  const after = await person("after@x.example");
  await optOut("after@x.example");
  await patch(server, after, { email: "next@x.example" });
  assert.equal(await similar(after), "after@x.example", "the address changes after the opt-out");
  await patch(server, after, { email: "" });
  assert.equal(await similar(after), "after@x.example", "and is taken away");
  await patch(server, after, { email: "After@x.example" });
  assert.equal(await similar(after), null, "with the address itself, nothing is sent at all");

  await optOut("tagged@x.example");
  const tagged = await person("tagged+news@x.example");
  assert.equal(await similar(tagged), "tagged@x.example");
  await patch(server, tagged, { email: "untagged@y.example" });
  assert.equal(await similar(tagged), "tagged@x.example", "only the tag differed from the address before");

  await optOut("before@x.example");
  const before = await person("before@x.example");
  await patch(server, before, { email: "BEFORE@x.example" });
  await patch(server, before, { email: "later@x.example" });
  await patch(server, before, { email: "latest@x.example" });
  assert.equal(await similar(before), "before@x.example", "the contact is added after the opt-out");

  const socialnet_url = "https://socialnet.example/in/twin";
  await person("twin@x.example", { socialnet_url });
  const twin = await person(null, { socialnet_url: `${socialnet_url}/` });
  assert.equal(await similar(twin), null);
  await optOut("twin@x.example");
  assert.equal(await similar(twin), "twin@x.example", "a second contact has the profile");

  const mailed = await onTheWay(server, [{ ...MAIL, body: "Hello" }], { email: "link@x.example" });
  await run();
  await patch(server, mailed.contact.id, { email: "other@x.example" });
  const links = headerOf(taken[0] as never, "list-unsubscribe") ?? "";
  for (let again = 0; again < 2; again += 1) {
    await fetch(/<(http[^>]+)>/.exec(links)?.[1] as string, { method: "POST", body: "List-Unsubscribe=One-Click" });
  }
  assert.equal(await similar(mailed.contact.id), "link@x.example", "the link of a message to the address before");
  assert.deepEqual((await told(server, mailed.contact.id)).filter((type) => type === "suppressed").length, 1);
});

test("an opt-out keeps the profile of the contact who was emailed, even if an agent gave the address to another contact", async (t) => {
  for (const profile of [{}, { socialnet_url: "https://socialnet.example/in/nobody" }]) {
    const { server, run } = await driveEngine(t);
    const steps = [{ ...MAIL, body: "Hello" }];
    const { contact, sequence } = await onTheWay(server, steps, { email: "ada@x.example", socialnet_url: PROFILE });
    await run();
    const { id: twin } = await newContact(server, { email: "new@y.example", socialnet_url: PROFILE });
    await patch(server, contact.id, { email: "b@y.example" });
    await newContact(server, { email: "ada@x.example", ...profile });
    await server.rest("POST", "/suppression", { body: { email: "ada@x.example" } });
    const { contacts } = await look(server, sequence.id, [twin]);
    assert.equal(contacts[0].similar_suppressed, "ada@x.example");
  }
});

const PROFILE = "https://socialnet.example/in/ada";

/** How the suppressed contact is no longer linked to its second contact. */
const HIDING: Record<string, (server: TestServer, listed: string, older: readonly string[]) => Promise<unknown>> = {
  "an agent edits the listed contact's profile": (server, listed) =>
    patch(server, listed, { socialnet_url: "https://socialnet.example/in/nobody" }),
  "an agent gives the profile to many older contacts": async (server, _, older) => {
    for (const id of older) await patch(server, id, { socialnet_url: PROFILE });
  },
  "a person archives the listed contact": (server, listed) =>
    server.operator("archive_contact", { contact_id: listed }),
};

for (const [what, hide] of Object.entries(HIDING)) {
  test(`an opt-out counts for its profile even if ${what}`, async (t) => {
    const server = await startServer(t, OPEN);
    const { id: sequence_id } = await newSequence(server);
    const older: string[] = [];
    for (let i = 0; i < 50; i += 1) older.push((await newContact(server)).id);
    const { id: listed } = await newContact(server, { email: "ada@x.example", socialnet_url: PROFILE });
    await server.rest("POST", "/suppression", { body: { contact_id: listed } });
    const { id: twin } = await newContact(server, { email: "new@y.example", socialnet_url: PROFILE });
    await hide(server, listed, older);
    const { contacts } = await look(server, sequence_id, [twin]);
    assert.equal(contacts[0].similar_suppressed, "ada@x.example");
  });
}

test("an opt-out of an address that an agent replaced earlier ends what is open, and is pointed out", async (t) => {
  const { server, clock, taken, run } = await driveEngine(t);
  const later = { ...MAIL, body: "Hello", delay_days: 5 };
  const { contact, sequence } = await onTheWay(server, [later], { email: "ada@x.example" });
  await patch(server, contact.id, { email: "b@y.example" });
  for (let i = 0; i < 60; i += 1) await patch(server, contact.id, { email: `other${i}@y.example` });
  await patch(server, contact.id, { email: "b@y.example" });
  assert.equal((await server.rest("POST", "/suppression", { body: { email: "Ada@X.example" } })).status, 201);
  assert.equal((await theEnrollment(server, contact.id)).status, "stopped_suppressed");
  const { contacts } = await look(server, sequence.id, [contact.id]);
  assert.deepEqual([contacts[0].suppressed, contacts[0].similar_suppressed], [false, "ada@x.example"]);
  assert.equal((await told(server, contact.id)).filter((type) => type === "suppressed").length, 1);
  await server.rest("POST", "/suppression", { body: { email: "ada@x.example" } });
  assert.equal((await told(server, contact.id)).filter((type) => type === "suppressed").length, 1, "it is noted once");
  clock.advance(6 * 86_400_000);
  await run();
  assert.deepEqual(taken, []);
});

test("a corrected address after a bounce is not an opt-out", async (t) => {
  const { server, taken, run, receive } = await driveEngine(t);
  const { contact, sequence } = await onTheWay(server, [{ ...MAIL, body: "Hello" }], { email: "tipo@x.example" });
  await run();
  await receive(bounceOf(taken[0] as never, "5.1.1", "550 no such user"));
  await patch(server, contact.id, { email: "typo@x.example" });
  const { contacts } = await look(server, sequence.id, [contact.id]);
  assert.deepEqual([contacts[0].suppressed, contacts[0].similar_suppressed], [false, null]);
});

test("a company written by a key counts once a person wrote, confirmed or approved it", async (t) => {
  const server = await startServer(t, OPEN);
  const sequence = await newSequence(server, { steps: [{ ...MAIL, body: "Hello" }] });
  const enrolled = async (contact_id: string) => {
    const { status, body } = await enroll(server, { sequence_id: sequence.id, contact_id });
    return body.code ?? status;
  };
  const blank = await newContact(server, { company: null });
  await authorise(server, sequence.id, [blank.id]);
  await patch(server, blank.id, { company: "Made up" });
  assert.equal(await enrolled(blank.id), "company_confirmation_required", "an empty company pins nothing");
  await server.operator("confirm_company", { contact_id: blank.id, company: "Made up" });
  assert.equal(await enrolled(blank.id), 201);

  const approved = await newContact(server, { company: "Acme" });
  await authorise(server, sequence.id, [approved.id]);
  await patch(server, approved.id, { company: "Evil" });
  assert.equal(await enrolled(approved.id), "company_confirmation_required", "another value than people approved");
  await patch(server, approved.id, { company: "Acme" });
  assert.equal(await enrolled(approved.id), 201, "the approval pins it, though no step renders it");

  const row = { email: "imported@x.example", first_name: "Imported", company: "From a file" };
  await server.operator("import_contacts", { fingerprint: "d".repeat(64), from_row: 0, rows: [row], last: true });
  const [imported] = await server.operator("search_contacts", { text: "imported@" });
  await authorise(server, sequence.id, [imported.id]);
  assert.equal(await enrolled(imported.id), 201);
});

test("an audience is enrolled except contacts whose company only a key has written since", async (t) => {
  const server = await startServer(t, OPEN);
  const { id: sequence_id } = await newSequence(server, { steps: [STEPS[1]] });
  const people = [await newContact(server), await newContact(server), await newContact(server, { company: null })];
  const { id: approval_id } = await authorise(
    server,
    sequence_id,
    people.map(({ id }) => id),
  );
  await patch(server, people[1].id, { company: "Evil" });
  await patch(server, people[2].id, { company: "Made up" });
  const { enrolled, left } = await server.operator("enroll_audience", { approval_id });
  assert.deepEqual([enrolled, left], [1, 0]);
  await server.operator("confirm_company", { contact_id: people[1].id, company: "Evil" });
  assert.equal((await server.operator("enroll_audience", { approval_id })).enrolled, 1);
});

test("approve, edit, activate, enroll and send can race in any order, and only approved content is sent", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const evil = "Evil http://evil.example";
  for (let round = 0; round < 12; round += 1) {
    const { sequence, contact, ids } = await armed(server, {
      sequence: { steps: [MAIL] },
      contact: { job_title: "A" },
    });
    await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
    const shown = await look(server, sequence.id, [contact.id]);
    const approve = async () => {
      const given = { sequence_id: sequence.id, contact_ids: [contact.id], copy_hashes: hashesOf(shown) };
      const { id } = await server.operator("approve_sequence", given);
      await server.operator("apply_sequence_approval", { approval_id: id });
    };
    const racers = [
      () => patch(server, contact.id, { job_title: evil }),
      () => approve(),
      () => enroll(server, ids),
      () => run(),
    ];
    const turned = [...racers.slice(round % 4), ...racers.slice(0, round % 4)];
    await Promise.allSettled((round < 4 ? turned : round < 8 ? turned.toReversed() : racers).map((race) => race()));
    await run();
  }
  for (const { raw } of taken) assert.doesNotMatch(raw, /evil/i);
});
