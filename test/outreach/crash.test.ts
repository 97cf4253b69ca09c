import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SendStatus } from "../../src/domain/outreach/sending.ts";
import { senderText } from "../../src/lib/mail-server.ts";
import { CONNECTIONS } from "../../src/mail/mailer.ts";
import { serve } from "../cli/process.ts";
import { smtpServer } from "../mail/smtp.ts";
import { DEADLINE_MS, FROM, headerOf, manyOnTheWay, told } from "../support/engine.ts";
import { engineEnv } from "../support/engine-under-test.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const NEXT = { ...MAIL, subject: "Again {{first_name}}", delay_days: 5 };

/** A server without workers that fills the database for the senders under test, and their settings. */
async function readyToSend(t: TestContext, port: number) {
  const env = {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: "Robin <sales@acme.example>",
    ROSTRUM_OUTBOUND_GATE: "open",
  };
  const beside = await startServer(t, { env: { ...env, ROSTRUM_WORKERS: "off" } });
  // Approvals pin the sender, which a server with workers records at its start.
  await beside.running.store.recordMailFrom(senderText(FROM), Date.now());
  return { env: { ...engineEnv(beside.folder), ...env }, beside };
}

test("after a kill during hand-over nothing is resent automatically, and a person settles each message", async (t) => {
  let answers = false;
  let heard = 0;
  const { server: smtp, taken } = await smtpServer(t, {
    async answer() {
      heard += 1;
      // Sent completely and never answered: the outcome is unknown.
      if (!answers) await new Promise(() => {});
      return undefined;
    },
  });
  const { env, beside } = await readyToSend(t, smtp.port);
  const { contacts } = await manyOnTheWay(beside, [MAIL, NEXT], 3);
  const doomed = await serve(t, ["--data", beside.folder], { env });
  await until(() => heard === 3, DEADLINE_MS);
  await doomed.stop("SIGKILL");
  const sends = async () => (await beside.operator("list_sends", {})) as any[];
  assert.deepEqual(
    (await sends()).map(({ status }) => status),
    Array(3).fill("sending"),
    "each was written down before the mail server was spoken to",
  );

  answers = true;
  const second = await serve(t, ["--data", beside.folder], { env });
  await until(async () => (await sends()).every(({ status }) => status === "unknown"), DEADLINE_MS);
  const enrollments = async () => (await beside.operator("list_enrollments", {})) as any[];
  for (const { status, held_reason } of await enrollments()) {
    assert.deepEqual([status, held_reason], ["active", "send_unknown"]);
  }
  assert.equal(heard, 3);
  const of = async (index: number) => {
    const send = (await sends()).find(({ contact_id }) => contact_id === contacts[index].id);
    const enrollment = (await enrollments()).find(({ contact_id }) => contact_id === contacts[index].id);
    return { send, enrollment };
  };
  const enrollment_id = (await of(0)).enrollment.id;
  await assert.rejects(beside.operator("release_enrollment", { enrollment_id }), { code: "enrollment_not_held" });
  for (const [index, outcome] of ["sent", "not_sent", "retry"].entries()) {
    const send_id = (await of(index)).send.id;
    await beside.operator("settle_send", { send_id, outcome, note: "looked" });
    await assert.rejects(beside.operator("settle_send", { send_id, outcome: "sent" }), { code: "send_not_unknown" });
  }
  const { id, message_id } = (await of(2)).send;
  await until(async () => (await of(2)).send.status === "sent", DEADLINE_MS);
  assert.deepEqual([(await of(2)).send.id, heard, taken.length], [id, 4, 1]);
  assert.equal(headerOf(taken[0] as never, "message-id"), message_id, "what arrived twice is shown once");
  const ends = await Promise.all([0, 1, 2].map(async (index) => (await of(index)).enrollment));
  assert.deepEqual(
    ends.map(({ status, current_step }) => [status, current_step]),
    [
      ["active", 1],
      ["failed", 0],
      ["active", 1],
    ],
  );
  assert.equal(ends[1].ended_reason, "looked");
  assert.deepEqual(await Promise.all(contacts.map((contact) => told(beside, contact.id))), [
    ["email_sent"],
    [],
    ["email_sent"],
  ]);
  await second.stop("SIGTERM");
});

test("after a kill before the greeting or after everything was recorded, nothing is sent twice", async (t) => {
  let greets = false;
  let knocks = 0;
  const { server: smtp, taken } = await smtpServer(t, {
    onConnect(_session, done) {
      knocks += 1;
      if (greets) done();
    },
  });
  const { env, beside } = await readyToSend(t, smtp.port);
  await manyOnTheWay(beside, [MAIL, NEXT], 1);
  const send = async () => ((await beside.operator("list_sends", {})) as any[])[0];
  const first = await serve(t, ["--data", beside.folder], { env });
  await until(() => knocks > 0, DEADLINE_MS);
  await first.stop("SIGKILL");
  assert.deepEqual([(await send()).status, taken.length], ["queued", 0]);

  greets = true;
  const second = await serve(t, ["--data", beside.folder], { env });
  await until(async () => (await send()).status === "sent", DEADLINE_MS);
  await second.stop("SIGKILL");

  const third = await serve(t, ["--data", beside.folder], { env });
  await manyOnTheWay(beside, [MAIL], 1);
  await until(() => taken.length > 1, DEADLINE_MS);
  await third.stop("SIGTERM");
  const same = taken.filter((one) => headerOf(one, "message-id") === headerOf(taken[0] as never, "message-id"));
  assert.equal(same.length, 1, "what was written down as sent is not sent by whoever comes after");
  const [{ current_step, status }] = (await beside.operator("list_enrollments", {})).slice(-1);
  assert.deepEqual([status, current_step], ["active", 1]);
});

test("after repeated kills at most one message per connection is unconfirmed, none is lost, and no sent one is repeated", async (t) => {
  const MESSAGES = 60;
  const KILLS = 3;
  const { server: smtp, taken } = await smtpServer(t, { answer: () => sleep(25, undefined) });
  const { env, beside } = await readyToSend(t, smtp.port);
  await manyOnTheWay(beside, [MAIL], MESSAGES);
  const { sends } = beside.running.store.read(beside.workspaceId);
  const of = async (status?: SendStatus) => (await sends.list({ status }, { limit: 1_000, offset: 0 })).rows;
  for (let kill = 1; kill <= KILLS; kill++) {
    const server = await serve(t, ["--data", beside.folder], { env });
    await until(() => taken.length >= (MESSAGES / (KILLS + 1)) * kill, DEADLINE_MS);
    await server.stop("SIGKILL");
    const inDoubt = (await of("sending")).length;
    assert.ok(inDoubt <= CONNECTIONS, `${inDoubt} in doubt`);
  }
  const server = await serve(t, ["--data", beside.folder], { env });
  await until(async () => (await of("sent")).length + (await of("unknown")).length === MESSAGES, DEADLINE_MS);
  await server.stop("SIGTERM");
  const arrived = taken.map((one) => headerOf(one, "message-id"));
  assert.equal(new Set(arrived).size, arrived.length, "none twice");
  for (const { messageId } of await of("sent"))
    assert.ok(arrived.includes(messageId), "none that is called sent is lost");
  assert.ok((await of("unknown")).length <= KILLS * CONNECTIONS);
});
