import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { MailServer } from "../../src/lib/mail-server.ts";
import { createMailer, type MailerOptions } from "../../src/mail/mailer.ts";
import type { Outcome } from "../../src/mail/outcome.ts";
import { deadPort } from "../http-client/receiver.ts";
import { until } from "../support/until.ts";
import { message } from "./messages.ts";
import { type Script, scriptedSmtp } from "./scripted.ts";

/** Shorter than any server takes, longer than a local one needs. */
const PATIENT = { connectMs: 20_000, silenceMs: 20_000 };
/** For servers that never answer. */
const IMPATIENT = { connectMs: 2_000, silenceMs: 300 };

async function mailerTo(t: TestContext, server: MailServer, timeouts: MailerOptions["timeouts"] = IMPATIENT) {
  const mailer = await createMailer({ server, folder: "/nonexistent", timeouts });
  t.after(() => mailer.close(0));
  return mailer;
}

const LOGIN = { login: { user: "sales", pass: "correct horse" } };
const NO_ANSWER = { "breaks off": "cut", "is reset": "reset", "falls silent": "hang" } as const;

type Case = [what: string, script: Script, expected: Partial<Outcome>, server?: Partial<MailServer>];

/** The outcome of one message if the server does this. */
const CASES: Case[] = [
  ["takes it", {}, { status: "accepted", answer: "250 2.0.0 Ok: queued" }],
  ["greets with 421", { greeting: "421 4.3.2 busy" }, { status: "transient", ours: true }],
  ["greets with 554", { greeting: "554 5.7.1 go away" }, { status: "transient", ours: true }],
  ["greets with no SMTP", { greeting: "HTTP/1.1 400 Bad Request" }, { status: "transient", ours: true }],
  [
    "refuses the login",
    { auth: "535 5.7.8 wrong" },
    { status: "transient", ours: true, detail: "535 5.7.8 wrong" },
    LOGIN,
  ],
  ["defers the login", { auth: "454 4.7.0 later" }, { status: "transient", ours: true }, LOGIN],
  ["wants a login", { mail: "530 5.7.0 authenticate first" }, { status: "transient", ours: true }],
  ["wants a login at the recipient", { rcpt: "530 5.7.0 authenticate first" }, { status: "transient", ours: true }],
  ["refuses the sender", { mail: "550 5.1.8 bad sender" }, { status: "transient", ours: true }],
  ["defers the sender", { mail: "451 4.3.0 later" }, { status: "transient", ours: true }],
  ["finds it too large", { mail: "552 5.3.4 too large" }, { status: "permanent", hard: false }],
  ["greylists", { rcpt: "450 4.7.1 greylisted" }, { status: "transient", ours: false, detail: "450 4.7.1 greylisted" }],
  [
    "knows no such mailbox",
    { rcpt: "550 5.1.1 no such user" },
    { status: "permanent", hard: true, detail: "550 5.1.1 no such user" },
  ],
  ["has a full mailbox", { rcpt: "552 5.2.2 full" }, { status: "permanent", hard: false }],
  ["judges", { rcpt: "554 5.7.1 blocked" }, { status: "permanent", hard: false }],
  ["has lost its place", { rcpt: "503 5.5.1 bad sequence" }, { status: "transient", ours: true }],
  ["closes at the recipient", { rcpt: "421 4.3.2 shutting down" }, { status: "transient", ours: true }],
  ["defers the message ahead", { data: "451 4.3.0 later" }, { status: "transient", ours: false }],
  ["refuses the message ahead", { data: "554 5.5.1 no valid recipients" }, { status: "permanent", hard: false }],
  ["defers the message", { end: "451 4.3.0 try again" }, { status: "transient", ours: false }],
  ["refuses the content", { end: "550 5.7.1 spam" }, { status: "permanent", hard: false }],
  ["finds at the end that nobody is there", { end: "550 5.1.1 no such user" }, { status: "permanent", hard: true }],
  ["closes instead of taking it", { end: "421 4.3.2 shutting down" }, { status: "transient", ours: true }],
  ["says at the end what nobody understands", { end: "354 more?" }, { status: "unknown" }],
  ["says at the end no SMTP", { end: "ok then" }, { status: "unknown" }],
];

for (const [happens, act] of Object.entries(NO_ANSWER)) {
  for (const stage of ["greeting", "ehlo", "mail", "rcpt", "data"] as const) {
    CASES.push([`${happens} at ${stage}`, { [stage]: act }, { status: "transient", ours: true }]);
  }
  CASES.push([`${happens} at the login`, { auth: act }, { status: "transient", ours: true }, LOGIN]);
  CASES.push([`${happens} after the end`, { end: act }, { status: "unknown" }]);
}

for (const [what, script, expected, partial] of CASES) {
  test(`a server that ${what}: ${expected.status}`, async (t) => {
    const scripted = await scriptedSmtp(t, script, partial);
    const sent = message();
    const timeouts = Object.values(script).includes("hang") ? IMPATIENT : PATIENT;
    const outcome = await (await mailerTo(t, scripted.server, timeouts)).send(sent);
    const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, outcome[name as keyof Outcome]]));
    assert.deepEqual(shown, expected, JSON.stringify(outcome));
    if (outcome.status === "accepted") assert.equal(outcome.messageId, sent.messageId);
    else assert.ok("detail" in outcome && outcome.detail !== "" && !outcome.detail.includes("correct horse"));
    assert.ok(scripted.messages.length <= 1, "what one server may have is never handed over again");
  });
}

for (const [happens, act] of Object.entries(NO_ANSWER)) {
  test(`a connection that ${happens} in the middle of a message is transient, since no server may deliver half of one`, async (t) => {
    const scripted = await scriptedSmtp(t, { midway: { bytes: 4_000, act } });
    const mailer = await mailerTo(t, scripted.server);
    // More than two socket buffers can hold, so that the end is still unsent.
    const long = message();
    long.options.text = `${"x".repeat(70)}\n`.repeat(400_000);
    const outcome = await mailer.send(long);
    assert.equal(outcome.status, "transient", JSON.stringify(outcome));
    assert.equal(scripted.messages.length, 0);
  });
}

/** No silence and no end: only the deadlines of the message are short. */
const TRICKLING = { ...PATIENT, readyMs: 700, answerMs: 700 };

for (const [stage, status] of [
  ["greeting", "transient"],
  ["ehlo", "transient"],
  ["mail", "transient"],
  ["rcpt", "transient"],
  ["data", "transient"],
  ["end", "unknown"],
] as const) {
  test(`a server with a slow response at ${stage}: ${status} at the deadline, and the connection is free again`, async (t) => {
    const script: Script = { [stage]: "trickle" };
    const scripted = await scriptedSmtp(t, script);
    const mailer = await mailerTo(t, scripted.server, TRICKLING);
    const handedOver: string[] = [];
    const begun = performance.now();
    const outcome = await mailer.send(message(), async () => void handedOver.push(stage));
    assert.equal(outcome.status, status, JSON.stringify(outcome));
    assert.ok("detail" in outcome && outcome.detail.includes("did not finish within"), JSON.stringify(outcome));
    assert.ok(performance.now() - begun < 15_000);
    assert.deepEqual(handedOver, stage === "end" ? ["end"] : []);
    delete script[stage];
    assert.equal((await mailer.send(message())).status, "accepted");
  });
}

test("the response deadline starts at hand-over, and waiting for the envelope does not use it up", async (t) => {
  const scripted = await scriptedSmtp(t, {});
  const mailer = await mailerTo(t, scripted.server, { ...PATIENT, readyMs: 600, answerMs: 20_000 });
  const outcome = await mailer.send(message(), () => sleep(300));
  assert.equal(outcome.status, "accepted", JSON.stringify(outcome));
  const late = await mailer.send(message(), () => sleep(5_000, undefined, { ref: false }));
  assert.equal(late.status, "transient", "recording it is before the hand-over");
});

test("no part of a message is sent before its hand-over is recorded, or if the hand-over is refused", async (t) => {
  const scripted = await scriptedSmtp(t, {});
  const mailer = await mailerTo(t, scripted.server, PATIENT);
  const order: string[] = [];
  await mailer.send(message(), async () => {
    await until(() => scripted.lines.includes("DATA"));
    await sleep(50);
    order.push(`${scripted.messages.length} had arrived`);
  });
  assert.deepEqual([order, scripted.messages.length], [["0 had arrived"], 1]);
  const refusal = new Error("not ours");
  await assert.rejects(
    mailer.send(message(), async () => {
      throw refusal;
    }),
    refusal,
  );
  assert.equal(scripted.messages.length, 1);
  assert.equal((await mailer.send(message())).status, "accepted", "the pool goes on");
});

test("a refused connection and an unknown host name are transient", async (t) => {
  const nobody = { host: "127.0.0.1", port: await deadPort(), secure: false, local: true, login: undefined };
  for (const server of [nobody, { ...nobody, host: "nobody.invalid", local: false }]) {
    const outcome = await (await mailerTo(t, server)).send(message());
    assert.deepEqual([outcome.status, "ours" in outcome && outcome.ours], ["transient", true]);
  }
});

test("a connection that the server closed while idle costs nothing: the message uses another", async (t) => {
  let asked = 0;
  const script = {
    get mail() {
      asked += 1;
      return asked === 2 ? "cut" : "250 2.1.0 Ok";
    },
  };
  const scripted = await scriptedSmtp(t, script);
  const mailer = await mailerTo(t, scripted.server);
  for (let sent = 1; sent <= 2; sent++) assert.equal((await mailer.send(message())).status, "accepted");
  assert.deepEqual([scripted.connections, scripted.messages.length], [2, 2]);
});

test("the pool keeps working after every kind of failure", async (t) => {
  const script: Script = {};
  const scripted = await scriptedSmtp(t, script);
  const mailer = await mailerTo(t, scripted.server);
  for (const [stage, act] of [
    ["rcpt", "550 5.1.1 nobody"],
    ["rcpt", "450 4.2.0 later"],
    ["rset", "421 4.3.2 shutting down"],
    ["data", "reset"],
    ["end", "cut"],
    ["end", "hang"],
  ] as const) {
    script[stage] = act;
    if (stage === "rset") script.rcpt = "550 5.1.1 nobody";
    assert.notEqual((await mailer.send(message())).status, "accepted");
    delete script[stage];
    delete script.rcpt;
    assert.equal((await mailer.send(message())).status, "accepted", stage);
  }
});

test("closing waits for messages in progress, and aborts those that do not finish", async (t) => {
  const script: Script = { end: "hang" };
  const scripted = await scriptedSmtp(t, script);
  const mailer = await mailerTo(t, scripted.server, { connectMs: 2_000, silenceMs: 60_000 });
  const sends = Array.from({ length: 7 }, () => mailer.send(message()));
  await until(() => scripted.messages.length === 5);
  await mailer.close(50);
  const outcomes = (await Promise.all(sends)).map(({ status }) => status);
  assert.deepEqual(outcomes, [...Array(5).fill("unknown"), "transient", "transient"]);
  assert.equal((await mailer.send(message())).status, "transient");
});
