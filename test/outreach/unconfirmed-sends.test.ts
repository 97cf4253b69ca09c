import assert from "node:assert/strict";
import { test } from "node:test";
import type { AsSystem } from "../../src/core/context.ts";
import type { Taken } from "../mail/smtp.ts";
import {
  answerTo,
  bounceOf,
  complaintOf,
  DAY_MS,
  DEADLINE_MS,
  type Driven,
  driveEngine,
  manyOnTheWay,
  onTheWay,
  theEnrollment,
  theSend,
  told,
} from "../support/engine.ts";
import { callAs, member } from "../support/member.ts";
import { sendRow, unknownSend } from "../support/sends.ts";
import { audited, authorise, newContact, newSequence, UNKNOWN } from "../support/sequences.ts";
import { until } from "../support/until.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const TWO = [MAIL, { ...MAIL, delay_days: 1 }];

/** A message that was delivered, but whose sender can't record it. */
async function lost(driven: Driven, { writes = new Promise<void>(() => {}) } = {}) {
  const { server, clock, taken, another, asSystem } = driven;
  const made = await onTheWay(server, TWO);
  const stuck: AsSystem = async (workspaceId, name, job) => {
    if (name === "send_mail") await writes;
    return asSystem(workspaceId, name, job);
  };
  await (await another({ asSystem: stuck })).run();
  await until(() => taken.length === 1, DEADLINE_MS);
  clock.advance(16 * 60_000);
  const send = await theSend(server);
  assert.equal(send.status, "sending");
  return { ...made, send };
}

test("a reply to an unconfirmed message shows that it arrived", async (t) => {
  for (const settled of [true, false]) {
    const driven = await driveEngine(t);
    const { contact } = await lost(driven);
    if (settled) await driven.engine.run();
    assert.equal((await theSend(driven.server)).status, settled ? "unknown" : "sending");
    await driven.receive(answerTo(driven.taken[0] as never));
    assert.equal((await theSend(driven.server)).status, "sent");
    assert.deepEqual(await told(driven.server, contact.id), ["email_sent", "email_reply"]);
    assert.equal((await theEnrollment(driven.server)).status, "stopped_replied");
    driven.clock.advance(DAY_MS);
    await driven.run();
    assert.equal(driven.taken.length, 1);
  }
});

test("an unconfirmed message that is refused because of us puts what follows on hold", async (t) => {
  for (const settled of [true, false]) {
    const driven = await driveEngine(t);
    const { contact, enrollment } = await lost(driven);
    const { server, clock, taken, run } = driven;
    if (settled) await driven.engine.run();
    await driven.receive(bounceOf(taken[0] as never, "5.7.26", "550 5.7.26 Our domain is not verified."));
    assert.equal((await theSend(server)).status, "failed");
    assert.deepEqual(await told(server, contact.id), ["email_sent", "email_bounced"]);
    const { held_reason: reason, current_step: step } = await theEnrollment(server);
    assert.deepEqual([reason, step], ["came_back", 1]);
    await server.operator("release_enrollment", { enrollment_id: enrollment.id });
    clock.advance(2 * DAY_MS);
    await run();
    assert.deepEqual([(await theEnrollment(server)).status, taken.length], ["completed", 2]);
  }
});

test("a bounce that arrives before its message is recorded as sent is still read", async (t) => {
  const driven = await driveEngine(t);
  const { contact } = await lost(driven);
  await driven.receive(bounceOf(driven.taken[0] as never, "5.1.1", "550 5.1.1 user unknown"));
  assert.equal((await theSend(driven.server)).status, "failed");
  assert.deepEqual(await told(driven.server, contact.id), ["email_bounced", "suppressed"]);
  assert.equal((await theEnrollment(driven.server)).status, "failed");
});

test("sending again needs the approval permission, a rep can record the other outcomes, and all of it is audited", async (t) => {
  const driven = await driveEngine(t);
  const { server, engine } = driven;
  const { send } = await lost(driven);
  const settle = (outcome: string, changes = {}) =>
    callAs(server, member(server, changes), "settle_send", { send_id: send.id, outcome });
  assert.deepEqual([(await settle("sent")).body.code], ["send_not_unknown"]);
  await engine.run();
  const refused = await settle("retry");
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  await server.operator("set_billing", { state: "delinquent" });
  assert.deepEqual((await settle("retry", { approveOutbound: true })).body.code, "billing_read_only");
  await assert.rejects(server.operator("settle_sends", { send_ids: [send.id], outcome: "retry" }), {
    code: "billing_read_only",
  });
  const { status, body } = await settle("not_sent");
  assert.deepEqual([status, body.data.status], [200, "failed"]);
  const [row] = await audited(server, "settle_send");
  assert.deepEqual([row.record_id, row.before.status, row.after.status], [send.id, "unknown", "failed"]);
  await assert.rejects(server.operator("settle_send", { send_id: UNKNOWN, outcome: "sent" }), {
    code: "send_not_found",
  });
  assert.equal((await theEnrollment(server)).status, "failed");
});

test("a complaint about an earlier attempt lists the address that it names, and no address of others", async (t) => {
  const driven = await driveEngine(t);
  const { server, engine, run, taken } = driven;
  const { send, contact, sequence } = await lost(driven);
  await engine.run();
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "new@x.example" } });
  await authorise(server, sequence.id, [contact.id]);
  await server.operator("settle_send", { send_id: send.id, outcome: "retry" });
  await run();
  const [first, second] = taken as [Taken, Taken];
  assert.deepEqual(second.to, ["new@x.example"]);
  const listed = async () => (await server.operator("list_suppressions", {})).map(({ email }: any) => email).toSorted();
  await driven.receive(complaintOf(second, (await newContact(server)).email));
  assert.deepEqual(await listed(), ["new@x.example"]);
  await driven.receive(complaintOf(first, contact.email));
  assert.deepEqual(await listed(), ["new@x.example", contact.email].toSorted());
});

test("a message of a finished enrollment can't be sent again, but can still be marked as sent or not", async (t) => {
  const driven = await driveEngine(t);
  const { server, engine, run, taken } = driven;
  const { send, enrollment, contact } = await lost(driven);
  await engine.run();
  await server.operator("stop_enrollment", { enrollment_id: enrollment.id });
  const settle = (outcome: string) => server.operator("settle_send", { send_id: send.id, outcome });
  await assert.rejects(settle("retry"), { code: "enrollment_ended", status: 409, message: /^outcome .+ not_sent\.$/ });
  assert.equal((await theSend(server)).status, "unknown");
  await settle("sent");
  await run();
  assert.deepEqual([(await theSend(server)).status, taken.length], ["sent", 1]);
  assert.deepEqual(await told(server, contact.id), ["email_sent"]);
  assert.equal((await theEnrollment(server)).status, "stopped_by_member");
});

test("a message confirmed as sent after a requested resend, but before the resend began, is not sent twice", async (t) => {
  const driven = await driveEngine(t);
  const { server, engine, run, taken, clock } = driven;
  let write = () => {};
  const { send, contact } = await lost(driven, {
    writes: new Promise((resolve) => {
      write = resolve;
    }),
  });
  await engine.run();
  await server.operator("settle_send", { send_id: send.id, outcome: "retry" });
  write();
  await until(async () => (await theSend(server)).status === "sent", DEADLINE_MS);
  await run();
  assert.deepEqual([taken.length, (await theEnrollment(server)).current_step], [1, 1]);
  clock.advance(DAY_MS);
  await run();
  assert.deepEqual([taken.length, await told(server, contact.id)], [2, ["email_sent", "email_sent"]]);
});

/** Unconfirmed sends, each with its own contact. */
async function unknownSends(driven: Driven, count: number) {
  const { server } = driven;
  const { sequence } = await manyOnTheWay(server, TWO, count);
  const enrollments: any[] = (await server.operator("list_enrollments", { limit: 100 })).toReversed();
  const ids: string[] = [];
  for (const enrollment of enrollments) ids.push(await unknownSend(server, enrollment));
  const statuses = async () => {
    const rows: any[] = await server.operator("list_sends", { limit: 100 });
    return ids.map((id) => rows.find((row) => row.id === id).status);
  };
  return { sequence, ids, statuses, enrollments };
}

test("one call marks several emails: the named ones, those of a sequence, or all, with an audit row each", async (t) => {
  const driven = await driveEngine(t);
  const { server } = driven;
  const { sequence, ids, statuses } = await unknownSends(driven, 4);
  const settle = (input: object) => server.operator("settle_sends", input);
  assert.deepEqual(await settle({ send_ids: [ids[0], ids[0]], outcome: "sent", note: "in the log" }), {
    settled: 1,
    skipped: [],
    left: 3,
  });
  const until = new Date(sendRow({ enrollmentId: "", sequenceId: "", contactId: "" }).updatedAt - 1).toISOString();
  assert.deepEqual(await settle({ all: true, until, outcome: "sent" }), { settled: 0, skipped: [], left: 3 });
  const none = { sequence_id: (await newSequence(server)).id, outcome: "sent" };
  assert.deepEqual(await settle(none), { settled: 0, skipped: [], left: 0 });
  assert.deepEqual((await settle({ sequence_id: sequence.id, outcome: "not_sent" })).settled, 3);
  assert.deepEqual(await statuses(), ["sent", "failed", "failed", "failed"]);
  const rows = await audited(server, "settle_sends");
  assert.deepEqual(rows.map(({ record_id }) => record_id).toSorted(), ids.toSorted());
  assert.deepEqual([rows.at(-1).before.status, rows.at(-1).after.note], ["unknown", "in the log"]);
});

test("messages that were confirmed or ended in between are skipped; an unknown id refuses the call", async (t) => {
  const driven = await driveEngine(t);
  const { server, run, taken } = driven;
  const { ids, statuses, enrollments } = await unknownSends(driven, 3);
  await server.operator("settle_send", { send_id: ids[0], outcome: "sent" });
  await server.operator("stop_enrollment", { enrollment_id: enrollments[1].id });
  await assert.rejects(server.operator("settle_sends", { send_ids: [...ids, UNKNOWN], outcome: "sent" }), {
    code: "send_not_found",
  });
  assert.deepEqual(await statuses(), ["sent", "unknown", "unknown"]);
  assert.deepEqual(await server.operator("settle_sends", { send_ids: ids, outcome: "retry" }), {
    settled: 1,
    skipped: [
      { send_id: ids[0], code: "send_not_unknown" },
      { send_id: ids[1], code: "enrollment_ended" },
    ],
    left: 1,
  });
  await run();
  assert.deepEqual([taken.length, await statuses()], [1, ["sent", "unknown", "sent"]]);
});

test("sending several again needs the approval permission, and the selection must be exactly one kind", async (t) => {
  const driven = await driveEngine(t);
  const { server } = driven;
  await unknownSends(driven, 2);
  const settle = (input: object) => callAs(server, member(server), "settle_sends", input);
  const refused = await settle({ all: true, outcome: "retry" });
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  for (const input of [{}, { all: true, sequence_id: UNKNOWN }]) {
    const { body } = await settle({ ...input, outcome: "sent" });
    assert.equal(body.code, "validation_failed");
  }
  assert.equal((await settle({ sequence_id: UNKNOWN, outcome: "sent" })).body.code, "sequence_not_found");
  assert.equal((await settle({ all: true, outcome: "sent" })).body.data.settled, 2);
});

test("a bulk answer that meets its sender's late confirmation records each message once", async (t) => {
  const driven = await driveEngine(t);
  let write = () => {};
  const { send, contact } = await lost(driven, {
    writes: new Promise((resolve) => {
      write = resolve;
    }),
  });
  const { server, engine } = driven;
  await engine.run();
  assert.equal((await theSend(server)).status, "unknown");
  const settled = server.operator("settle_sends", { send_ids: [send.id], outcome: "sent" });
  write();
  await settled;
  await until(async () => (await theSend(server)).status === "sent", DEADLINE_MS);
  assert.deepEqual(await told(server, contact.id), ["email_sent"]);
});
