import assert from "node:assert/strict";
import { test } from "node:test";
import { dataKeyFile } from "../../src/lib/data-folder.ts";
import { openVault } from "../../src/lib/vault.ts";
import { createOptOuts } from "../../src/services/outreach/suppression.ts";
import { driveEngine, headerOf, onTheWay, theEnrollment, timeline, told } from "../support/engine.ts";
import { authorise, enroll, newContact } from "../support/sequences.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const TWO = [MAIL, { ...MAIL, delay_days: 1 }];

test("a message's link stops everything without a sign-in, even if billing is read-only or outreach is paused", async (t) => {
  const { server, clock, taken, run } = await driveEngine(t);
  const { contact } = await onTheWay(server, TWO);
  await run();
  const links = headerOf(taken[0] as never, "list-unsubscribe") ?? "";
  const url = /<(http[^>]+)>/.exec(links)?.[1] as string;
  assert.equal(headerOf(taken[0] as never, "list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  await server.operator("set_billing", { state: "delinquent" });
  await server.operator("pause_outreach", { reason: "holiday" });
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "other@x.example" } });
  for (let again = 0; again < 2; again += 1) {
    const reply = await fetch(url, { method: "POST", body: "List-Unsubscribe=One-Click" });
    assert.equal(reply.status, 200);
  }
  const listed = await server.operator("list_suppressions", {});
  assert.deepEqual(
    listed.map(({ email, reason, source }: any) => [email, reason, source]),
    [[contact.email, "unsubscribe", "unsubscribe_link"]],
  );
  assert.equal((await theEnrollment(server)).status, "stopped_suppressed");
  await server.operator("set_billing", { state: "active" });
  await server.operator("resume_outreach", {});
  clock.advance(86_400_000);
  await run();
  assert.equal(taken.length, 1);
  assert.deepEqual(await told(server, contact.id), ["email_sent", "suppressed"]);
  const { subject, metadata } = (await timeline(server, contact.id)).at(-1);
  assert.deepEqual([subject, metadata.reason], ["Added to the do-not-contact list", "unsubscribe"]);
});

test("an email to the header's address unsubscribes as well", async (t) => {
  const { server, taken, run, receive } = await driveEngine(t);
  const { contact } = await onTheWay(server, TWO);
  await run();
  const subject = /<mailto:[^?]+\?subject=([^>]+)>/.exec(headerOf(taken[0] as never, "list-unsubscribe") ?? "")?.[1];
  await receive(`From: ${contact.email}\nTo: sales@acme.example\nSubject: ${decodeURIComponent(subject ?? "")}\n\n\n`);
  assert.equal((await theEnrollment(server)).status, "stopped_suppressed");
});

test("a repeated unsubscription writes nothing, unless there is something to stop again", async (t) => {
  const { server, run, asSystem, clock } = await driveEngine(t);
  const { contact, sequence, ids } = await onTheWay(server, TWO);
  await run();
  let writes = 0;
  const { unsubscribe } = createOptOuts(
    openVault(dataKeyFile(server.folder), undefined),
    (...job) => {
      writes += 1;
      return asSystem(...job);
    },
    server.running.store,
  );
  const optOut = { workspaceId: server.workspaceId, contactId: contact.id, sendId: "", address: contact.email };
  for (let again = 0; again < 3; again += 1) await unsubscribe(optOut);
  assert.deepEqual([writes, (await theEnrollment(server)).status], [1, "stopped_suppressed"]);
  // At another address, which is not suppressed.
  clock.advance(1_000);
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "other@x.example" } });
  await authorise(server, sequence.id, [contact.id]);
  assert.equal((await enroll(server, ids)).status, 201);
  for (let again = 0; again < 2; again += 1) await unsubscribe(optOut);
  assert.deepEqual([writes, (await theEnrollment(server)).status], [2, "stopped_suppressed"]);
  // Another contact who had the address before, and whom people approved since.
  const former = await newContact(server, { email: "third@x.example" });
  for (const email of [contact.email, "fourth@x.example"])
    await server.rest("PATCH", `/contacts/${former.id}`, { body: { email } });
  await authorise(server, sequence.id, [former.id]);
  for (let again = 0; again < 2; again += 1) await unsubscribe(optOut);
  const ofFormer = { sequence_id: sequence.id, contact_id: former.id };
  assert.equal((await enroll(server, ofFormer)).status, 201);
  assert.deepEqual([writes, (await theEnrollment(server, former.id)).held_reason], [3, "contact_changed"]);
  for (let again = 0; again < 2; again += 1) await unsubscribe(optOut);
  assert.deepEqual([writes, (await theEnrollment(server, former.id)).status], [4, "stopped_suppressed"]);
});

const SPELLINGS = ["a@exämple.com", "A@xn--exmple-cua.com", "a@exa\u0308mple\u3002com"] as const;

test("the link works for the contact who now has the address in another spelling", async (t) => {
  const { server, taken, run, clock } = await driveEngine(t);
  const [first, second] = SPELLINGS;
  const { contact, sequence } = await onTheWay(server, TWO, { email: first });
  await run();
  assert.equal(taken.length, 1);
  const url = /<(http[^>]+)>/.exec(headerOf(taken[0] as never, "list-unsubscribe") ?? "")?.[1] as string;
  await server.operator("archive_contact", { contact_id: contact.id });
  const again = await newContact(server, { email: second });
  await authorise(server, sequence.id, [again.id]);
  const ids = { sequence_id: sequence.id, contact_id: again.id };
  assert.equal((await enroll(server, ids)).status, 201);
  assert.equal((await fetch(url, { method: "POST" })).status, 200);
  clock.advance(86_400_000 * 3);
  await run();
  assert.equal(taken.length, 1);
  assert.equal((await enroll(server, ids)).body.code, "contact_suppressed");
});

test("the last check before sending recognizes every spelling of an address", async (t) => {
  for (const [i, owned] of SPELLINGS.entries()) {
    const { server, taken, run } = await driveEngine(t);
    await onTheWay(server, TWO, { email: owned });
    // Without the operation, which would have stopped the enrollment.
    const listed = SPELLINGS[(i + 1) % SPELLINGS.length] as string;
    await server.running.store.write(server.workspaceId, ({ suppressions }) =>
      suppressions.upsert({
        ...{ id: "0190aaaa-0000-7000-8000-00000000000e", email: listed, reason: "r", stated: true },
        ...{ source: "member", createdAt: 1 },
      }),
    );
    await run();
    assert.deepEqual([taken.length, (await theEnrollment(server)).status], [0, "stopped_suppressed"], owned);
  }
});
