import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AsSystem } from "../../src/core/context.ts";
import { senderText } from "../../src/lib/mail-server.ts";
import { hashSequence, recordMailFrom } from "../../src/services/outreach/approvals.ts";
import { DEADLINE_MS, type Driven, driveEngine, FROM, headerOf, onTheWay, theEnrollment } from "../support/engine.ts";
import { callAs, member } from "../support/member.ts";
import { armed, audited, authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const MESSAGE = { type: "socialnet_message", body: "Hello {{first_name}}", delay_days: 0 };
const SENDER = { sender_name: "Security desk of Big Bank" };

const statuses = async (server: TestServer, sequence_id: string) =>
  (await server.operator("get_sequence", { sequence_id })).approvals.map(({ status }: any) => status);
const account = (server: TestServer, name: string) =>
  server.operator("create_socialnet_account", { label: name, profile_url: `https://socialnet.example/in/${name}` });

test("changing the sender name voids approvals: nothing is sent under it before people approve again", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const { sequence, contact, approval } = await onTheWay(server, [MAIL]);
  await server.operator("set_sending_policy", SENDER);
  assert.deepEqual(await statuses(server, sequence.id), ["voided"]);
  await run();
  assert.deepEqual([taken.length, (await theEnrollment(server)).held_reason], [0, "not_authorised"]);
  const [row] = await audited(server, "set_sending_policy");
  assert.deepEqual(row.after.voided_approvals, [approval.id]);
  const given = { sequence_id: sequence.id, contact_ids: [contact.id], steps_hash: sequence.steps_hash };
  await assert.rejects(server.operator("approve_sequence", given), { code: "version_conflict" });
  await authorise(server, sequence.id, [contact.id]);
  await run();
  assert.match(headerOf(taken[0] as never, "from") ?? "", /Big Bank/);
});

test("a change of sending hours or of the daily limit voids nothing", async (t) => {
  const server = await startServer(t);
  const { sequence } = await armed(server);
  await server.operator("set_sending_policy", { daily_cap: 3, time_zone: "Europe/Lisbon" });
  assert.deepEqual(await statuses(server, sequence.id), ["applied"]);
});

test("moving a sequence to another account voids every approval", async (t) => {
  const server = await startServer(t);
  const [robin, sam] = [await account(server, "robin"), await account(server, "sam")];
  const { sequence } = await armed(server, { sequence: { socialnet_account_id: robin.id } });
  await server.operator("update_sequence", { sequence_id: sequence.id, socialnet_account_id: sam.id });
  assert.deepEqual(await statuses(server, sequence.id), ["voided"]);
});

test("the default account of a sequence is pinned too: a first, a second, another profile", async (t) => {
  const server = await startServer(t);
  const { sequence, contact } = await armed(server, { sequence: { steps: [MESSAGE] } });
  const { sequence: mails } = await armed(server, { sequence: { steps: [MAIL] } });
  const robin = await account(server, "robin");
  assert.deepEqual(await statuses(server, sequence.id), ["voided"]);
  await authorise(server, sequence.id, [contact.id]);
  const profile_url = "https://socialnet.example/in/somebody-else";
  await server.operator("update_socialnet_account", { account_id: robin.id, label: "Renamed" });
  assert.deepEqual(await statuses(server, sequence.id), ["applied", "voided"]);
  await server.operator("update_socialnet_account", { account_id: robin.id, profile_url });
  await authorise(server, sequence.id, [contact.id]);
  await account(server, "sam");
  assert.deepEqual(await statuses(server, sequence.id), ["voided", "voided", "voided"]);
  assert.deepEqual(await statuses(server, mails.id), ["applied"], "no account acts in emails");
});

test("changing MAIL_FROM voids the approvals, and a server with a different one does not send", async (t) => {
  const { server, clock, taken, run, another, asSystem } = await driveEngine(t);
  const { sequence } = await onTheWay(server, [MAIL]);
  const from = { name: "Big Bank", address: "security@bank.example" };
  const other = await another({ from });
  await other.run();
  assert.deepEqual([taken.length, (await theEnrollment(server)).held_reason], [0, "not_authorised"]);
  assert.deepEqual(await statuses(server, sequence.id), ["applied"]);
  await recordMailFrom(server.running.store, asSystem, senderText(from), clock.now());
  assert.deepEqual(await statuses(server, sequence.id), ["voided"]);
  await run();
  assert.equal(taken.length, 0);
});

const BANK = { name: "Big Bank", address: "security@bank.example" };
const shut = { code: "version_conflict" };

/** Approves and activates by the hashes of what is shown. @returns the From that was shown */
async function approveAsShown(server: any, sequence: any, contact: any): Promise<string> {
  const asked = { sequence_id: sequence.id, contact_ids: [contact.id] };
  const { sender, steps_hash, contacts } = await server.operator("preview_audience", asked);
  const copy_hashes = { [contact.id]: contacts[0].copy_hash };
  const { id } = await server.operator("approve_sequence", { ...asked, steps_hash, copy_hashes });
  await server.operator("apply_sequence_approval", { approval_id: id, steps_hash });
  return sender.mail_from;
}

/** A start with another sender that does `meanwhile` before it pins each workspace, or after it recorded the sender. */
function starting({ server, clock, asSystem }: Driven, meanwhile: () => Promise<unknown>) {
  const { store } = server.running;
  const slow: AsSystem = async (...change) => {
    await meanwhile();
    return asSystem(...change);
  };
  return recordMailFrom(store, slow, senderText(BANK), clock.now());
}

test("a start that breaks off while it records another MAIL_FROM leaves nothing to approve, and the next completes it", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, taken, run, asSystem } = driven;
  const { sequence, contact } = await onTheWay(server, [MAIL]);
  await assert.rejects(
    starting(driven, () => Promise.reject(new Error("killed"))),
    /killed/,
  );
  await assert.rejects(approveAsShown(server, sequence, contact), shut);
  const { store } = server.running;
  for (const from of [FROM, BANK]) {
    await recordMailFrom(store, asSystem, senderText(from), clock.now());
    assert.equal(await approveAsShown(server, sequence, contact), `${from.name} <${from.address}>`);
  }
  await run();
  assert.equal(taken.length, 0, "this server still has the earlier sender");
});

test("while a start changes the sender, nothing is approved or activated that would be sent as another than is shown", async (t) => {
  const driven = await driveEngine(t);
  const { server, taken, run } = driven;
  const contact = await newContact(server);
  const sequence = await newSequence(server, { steps: [MAIL] });
  const asked = { sequence_id: sequence.id, contact_ids: [contact.id] };
  const waiting = await server.operator("approve_sequence", asked);
  await starting(driven, async () => {
    await assert.rejects(approveAsShown(server, sequence, contact), shut);
    await assert.rejects(server.operator("approve_sequence", asked), shut);
    await assert.rejects(server.operator("apply_sequence_approval", { approval_id: waiting.id }), shut);
  });
  assert.equal(await approveAsShown(server, sequence, contact), "Big Bank <security@bank.example>");
  await run();
  assert.equal(taken.length, 0, "this server still has the earlier sender");
});

for (const how of ["created", "edited"] as const) {
  test(`a sequence ${how} while a start changes the sender is pinned to the one that is shown`, async (t) => {
    const driven = await driveEngine(t);
    const { server, taken, run, another } = driven;
    const contact = await newContact(server);
    let sequence = await newSequence(server, { steps: [MAIL] });
    await starting(driven, async () => {
      if (how === "created") sequence = await newSequence(server, { steps: [MAIL] });
      else await server.operator("update_sequence", { sequence_id: sequence.id, steps: [{ ...MAIL, body: "Edited" }] });
    });
    assert.equal(await approveAsShown(server, sequence, contact), "Big Bank <security@bank.example>");
    await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
    await enroll(server, { sequence_id: sequence.id, contact_id: contact.id });
    await run();
    assert.equal(taken.length, 0, "this server still has the earlier sender");
    const [enrollment] = await server.operator("list_enrollments", { contact_id: contact.id });
    if (enrollment.held_reason !== null) await server.operator("release_enrollment", { enrollment_id: enrollment.id });
    await (await another({ from: BANK })).run();
    await until(() => taken.length === 1, DEADLINE_MS);
    assert.equal(headerOf(taken[0] as never, "from"), "Big Bank <security@bank.example>");
  });
}

test("a sequence created at the moment a start records another sender is pinned to that one", async (t) => {
  const { server, clock, asSystem } = await driveEngine(t);
  const { store } = server.running;
  const pinned = store.read(server.workspaceId);
  for (let round = 0; round < 20; round += 1) {
    const creating = Array.from({ length: 6 }, async (_, i) => {
      await sleep(i);
      return newSequence(server, { steps: [MAIL] });
    });
    const from = senderText({ name: `Sender ${round}`, address: "sales@acme.example" });
    await Promise.all([...creating, recordMailFrom(store, asSystem, from, clock.now())]);
    const now = await pinned.sequences.pinned();
    const stale = (
      await Promise.all(now.map(async (one) => (await hashSequence(pinned, one)) !== one.stepsHash))
    ).filter(Boolean).length;
    assert.equal(stale, 0, `round ${round}`);
  }
});

test("a server that starts with a different MAIL_FROM voids approvals, and with the same one none", async (t) => {
  const env = { MAIL_FROM: "Robin <sales@acme.example>" };
  const server = await startServer(t, { env });
  const { sequence } = await armed(server);
  await server.running.close();
  const again = await startServer(t, { env, folder: server.folder });
  assert.deepEqual(await statuses(again, sequence.id), ["applied"]);
  await again.running.close();
  const moved = await startServer(t, { env: { MAIL_FROM: "security@bank.example" }, folder: server.folder });
  assert.deepEqual(await statuses(moved, sequence.id), ["voided"]);
});

test("only members who can approve sends can change the sender, regardless of other permissions", async (t) => {
  const server = await startServer(t);
  const [robin, sequence] = [await account(server, "robin"), await newSequence(server)];
  const admin = member(server, { role: "admin" });
  const cases: [string, object][] = [
    ["set_sending_policy", SENDER],
    ["update_sequence", { sequence_id: sequence.id, socialnet_account_id: robin.id }],
    ["create_sequence", { name: "New", steps: [MESSAGE], socialnet_account_id: robin.id }],
  ];
  for (const [operation, input] of cases) {
    const refused = await callAs(server, admin, operation, input);
    assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"], operation);
    const approver = member(server, { role: "admin", approveOutbound: true });
    assert.equal((await callAs(server, approver, operation, input)).status, 200, operation);
  }
  assert.equal((await callAs(server, admin, "set_sending_policy", { daily_cap: 5 })).status, 200);
});
