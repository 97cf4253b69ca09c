import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, driveEngine, HOUR_MS, headerOf, onTheWay, theEnrollment } from "../support/engine.ts";
import { armed, authorise, enroll, newContact, newSequence } from "../support/sequences.ts";

const MAIL = { type: "email", subject: "Hi {{first_name}}", body: "Hello", delay_days: 0 };

/** The scopes of an agent for contacts and sequences. */
const SCOPES = ["contacts.write", "sequences.write"];

test("an approval that a newer one replaced does not come back when an agent changes the contact back", async (t) => {
  const { server, clock, run, taken } = await driveEngine(t);
  const steps = [MAIL, { ...MAIL, subject: "Two {{first_name}}", delay_days: 1 }];
  const wrong = { email: "wrong@x.example", first_name: "Wrong" };
  const { ids, sequence, contact } = await armed(server, { sequence: { steps }, contact: wrong });
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "right@x.example", first_name: "Ada" } });
  await authorise(server, sequence.id, [contact.id]);
  await enroll(server, ids);
  await run();
  const key = await server.mint(SCOPES);
  await server.rest("PATCH", `/contacts/${contact.id}`, { key, body: wrong });
  clock.advance(DAY_MS);
  await run();
  assert.deepEqual(
    taken.flatMap(({ to }) => to),
    ["right@x.example"],
  );
  assert.equal((await theEnrollment(server)).held_reason, "contact_changed");
});

test("a person on the do-not-contact list gets nothing at an earlier address under an earlier approval", async (t) => {
  for (const wasEnrolled of [true, false]) {
    const { server, run, taken } = await driveEngine(t);
    const { ids, contact, sequence } = wasEnrolled
      ? await onTheWay(server, [MAIL])
      : await armed(server, { sequence: { steps: [MAIL] } });
    await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
    if (wasEnrolled) await run();
    const before = taken.length;
    const key = await server.mint(SCOPES);
    const setEmail = (email: string) => server.rest("PATCH", `/contacts/${contact.id}`, { key, body: { email } });
    await setEmail("b@x.example");
    await server.operator("add_suppression", { contact_id: contact.id, reason: "asked by telephone" });
    await setEmail(contact.email);
    assert.equal((await server.rest("POST", "/sequences/enroll", { key, body: ids })).status, 201);
    await run();
    assert.equal(taken.length, before);
  }
});

test("if an agent enrolls a contact again after the end of an enrollment, nothing is sent until a person approves it", async (t) => {
  const ends: Record<string, (server: any, enrollment: any, contact: any) => Promise<unknown>> = {
    completed: async () => undefined,
    stopped: (server, { id }) => server.operator("stop_enrollment", { enrollment_id: id }),
    answered: async (server, _, { id }) => {
      const body = { type: "call_received", subject: "Do not write to me again" };
      await server.rest("POST", `/contacts/${id}/activities`, { body });
      const [open] = await server.operator("list_enrollments", { contact_id: id });
      if (open.ended_at === null) await server.operator("stop_enrollment", { enrollment_id: open.id });
    },
  };
  for (const [how, end] of Object.entries(ends)) {
    const { server, clock, run, taken } = await driveEngine(t);
    const steps = how === "completed" ? [MAIL] : [MAIL, { ...MAIL, delay_days: 1 }];
    const { ids, contact, sequence } = await onTheWay(server, steps);
    await run();
    await end(server, await theEnrollment(server), contact);
    clock.advance(1_000);
    const key = await server.mint(SCOPES);
    assert.equal((await server.rest("POST", "/sequences/enroll", { key, body: ids })).status, 201, how);
    await run();
    assert.equal(taken.length, 1, how);
    await authorise(server, sequence.id, [contact.id]);
    await run();
    assert.equal(taken.length, 2, `${how}: approved again`);
  }
});

test("an approval that is not activated before the contact opts out starts nothing, and Review says so", async (t) => {
  const { server, clock, run, taken } = await driveEngine(t);
  const { contact } = await onTheWay(server, [MAIL]);
  await run();
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "new@x.example" } });
  const second = await newSequence(server, { steps: [MAIL] });
  const { id } = await server.operator("approve_sequence", { sequence_id: second.id, contact_ids: [contact.id] });
  clock.advance(HOUR_MS);
  const url = /<(http[^>]+)>/.exec(headerOf(taken[0] as never, "list-unsubscribe") ?? "")?.[1] as string;
  assert.equal((await fetch(url, { method: "POST" })).status, 200);
  const { audience } = await server.operator("get_review", { kind: "sequence", id });
  assert.equal(audience[0].changed, true);
  await server.operator("apply_sequence_approval", { approval_id: id });
  await server.operator("set_sequence_status", { sequence_id: second.id, status: "active" });
  assert.equal((await enroll(server, { sequence_id: second.id, contact_id: contact.id })).status, 201);
  await run();
  assert.deepEqual([(await theEnrollment(server)).held_reason, taken.length], ["contact_changed", 1]);
});

test("an approval that waits while an enrollment ends starts nothing, and Review says so", async (t) => {
  for (const how of ["completed", "stopped"]) {
    const { server, clock, run, taken } = await driveEngine(t);
    const steps = how === "completed" ? [MAIL] : [MAIL, { ...MAIL, delay_days: 1 }];
    const { contact, sequence, ids } = await armed(server, { sequence: { steps } });
    await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
    // A teammate had the page open, and approved the same contact.
    const waits = { sequence_id: sequence.id, contact_ids: [contact.id] };
    const { id: approval_id } = await server.operator("approve_sequence", waits);
    assert.equal((await enroll(server, ids)).status, 201);
    await run();
    const { id: enrollment_id } = await theEnrollment(server);
    if (how === "stopped") await server.operator("stop_enrollment", { enrollment_id });
    clock.advance(HOUR_MS);
    const { audience } = await server.operator("get_review", { kind: "sequence", id: approval_id });
    await server.operator("apply_sequence_approval", { approval_id });
    const key = await server.mint(SCOPES);
    assert.equal((await server.rest("POST", "/sequences/enroll", { key, body: ids })).status, 201, how);
    await run();
    assert.deepEqual([(await theEnrollment(server)).held_reason, taken.length], ["contact_changed", 1], how);
    assert.equal(audience[0].changed, true, how);
  }
});

test("activating another page of an audience leaves a newer approval of an earlier page alone", async (t) => {
  const { server, clock, run } = await driveEngine(t);
  const people = [await newContact(server), await newContact(server), await newContact(server)] as const;
  const [ada, eve] = people;
  const steps = [{ type: "email", subject: "Hi {{first_name}}", body: "Hello.", delay_days: 0 }];
  const { id: sequence_id } = await newSequence(server, { steps });
  await server.operator("set_sequence_status", { sequence_id, status: "active" });
  const contact_ids = people.map(({ id }) => id);
  const { id: approval_id } = await server.operator("approve_sequence", { sequence_id, contact_ids });
  const { audience } = await server.operator("get_review", { kind: "sequence", id: approval_id });
  const activate = ({ id }: { id: string }) => {
    const { copy_hash } = audience.find((one: any) => one.contact_id === id);
    return server.operator("apply_sequence_approval", { approval_id, copy_hashes: { [id]: copy_hash } });
  };
  await activate(ada);
  clock.advance(1_000);
  await server.rest("PATCH", `/contacts/${ada.id}`, { body: { first_name: "Augusta" } });
  await authorise(server, sequence_id, [ada.id]);
  clock.advance(1_000);
  await activate(eve);
  await enroll(server, { sequence_id, contact_id: ada.id });
  await run();
  assert.equal((await theEnrollment(server, ada.id)).held_reason, null);
});
