import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SMTPServerOptions } from "smtp-server";
import type { AsSystem } from "../../src/core/context.ts";
import { CONNECTIONS, createMailer } from "../../src/mail/mailer.ts";
import type { Store } from "../../src/store/store.ts";
import { type Script, scriptedSmtp } from "../mail/scripted.ts";
import {
  answerTo,
  DEADLINE_MS,
  type Driven,
  driveEngine,
  manyOnTheWay,
  onTheWay,
  runOut,
  theEnrollment,
  theSend,
} from "../support/engine.ts";
import { until } from "../support/until.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const TWO = [MAIL, { ...MAIL, delay_days: 1 }];

/** Runs an engine, with a change between claiming a step and handing over the message. */
async function meanwhile({ asSystem, another, server, clock }: Driven, happens: () => Promise<unknown>): Promise<void> {
  let happened = false;
  const between: AsSystem = async (workspaceId, name, job) => {
    const made = await asSystem(workspaceId, name, job);
    if (name === "take_step" && !happened) {
      happened = true;
      await happens();
    }
    return made;
  };
  await runOut(server, clock, await another({ asSystem: between }));
  assert.ok(happened);
}

const CASES: [
  string,
  (d: Driven, of: any) => Promise<unknown>,
  status: string,
  undo?: (d: Driven, of: any) => unknown,
][] = [
  [
    "a pause",
    ({ server }) => server.operator("pause_outreach", { reason: "stop" }),
    "active",
    ({ server }) => server.operator("resume_outreach", {}),
  ],
  [
    "a pause of the sequence",
    ({ server }, { sequence }) =>
      server.operator("set_sequence_status", { sequence_id: sequence.id, status: "paused" }),
    "active",
    ({ server }, { sequence }) =>
      server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" }),
  ],
  [
    "an opt-out",
    ({ server }, { contact }) => server.rest("POST", "/suppression", { body: { contact_id: contact.id } }),
    "stopped_suppressed",
  ],
  [
    "the end of the sending hours",
    ({ server, clock }) => {
      clock.advance(60_000);
      return server.operator("set_sending_policy", {
        windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "08:00", to: "09:01" }],
      });
    },
    "active",
    ({ clock }) => clock.advance(23 * 3_600_000),
  ],
  ["an answer", ({ receive, taken }) => receive(answerTo(taken[0] as never)), "stopped_replied"],
  [
    "a member",
    ({ server }, { enrollment }) => server.operator("stop_enrollment", { enrollment_id: enrollment.id }),
    "stopped_by_member",
  ],
];

for (const [what, happens, status, undo] of CASES) {
  test(`${what} between claiming a step and handing it over stops the message`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock, taken, run } = driven;
    const made = await onTheWay(server, TWO);
    await run();
    clock.advance(86_400_000);
    await meanwhile(driven, () => happens(driven, made));
    assert.equal(taken.length, 1);
    const send = await theSend(server);
    assert.deepEqual([send.status, send.attempts], ["dropped", 0]);
    assert.equal((await theEnrollment(server)).status, status);
    await undo?.(driven, made);
    await run();
    assert.equal(taken.length, undo === undefined ? 1 : 2);
    if (undo === undefined) return;
    const again = await theSend(server);
    assert.deepEqual([again.id, again.message_id, again.status], [send.id, send.message_id, "sent"]);
  });
}

test("a pause between claiming a step and writing its file stops the message, since nothing checks it after that", async (t) => {
  const driven = await driveEngine(t);
  const { server } = driven;
  const { sequence } = await onTheWay(server, [MAIL]);
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active", delivery: "files" });
  await meanwhile(driven, () => server.operator("pause_outreach", { reason: "stop" }));
  assert.equal((await theSend(server)).status, "dropped");
  assert.equal(existsSync(join(server.folder, "mail")), false);
});

for (const [what, happens, status] of [
  ...CASES,
  [
    "an edit of the step",
    ({ server }, { sequence }) =>
      server.operator("update_sequence", { sequence_id: sequence.id, steps: [MAIL, { ...MAIL, delay_days: 2 }] }),
    "active",
  ],
  [
    "an edit of the contact",
    ({ server }, { contact }) => server.rest("PATCH", `/contacts/${contact.id}`, { body: { first_name: "Eve" } }),
    "active",
  ],
] as typeof CASES) {
  test(`${what} while the mail server gets ready stops the message`, async (t) => {
    let happening: Promise<unknown> | undefined;
    let whenReady = async () => {};
    const onRcptTo: SMTPServerOptions["onRcptTo"] = (_to, _session, done) => void whenReady().then(() => done(), done);
    const driven = await driveEngine(t, { smtp: { onRcptTo } });
    const { server, clock, taken, run } = driven;
    const made = await onTheWay(server, TWO);
    await run();
    clock.advance(86_400_000);
    whenReady = async () => {
      happening ??= happens(driven, made);
      await happening;
    };
    await run();
    assert.ok(happening !== undefined);
    assert.equal(taken.length, 1);
    assert.equal((await theSend(server)).status, "dropped");
    assert.equal((await theEnrollment(server)).status, status);
  });
}

test("a stop while a broken connection is replaced stops the message, since each connection is checked", async (t) => {
  const script: Script = {};
  const scripted = await scriptedSmtp(t, script);
  const { server, clock, another } = await driveEngine(t);
  const { store } = server.running;
  const mailer = await createMailer({ server: scripted.server, folder: server.folder });
  t.after(() => mailer.close(0));
  let breaks = false;
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await until(() => scripted.connections === 2, DEADLINE_MS);
    await server.operator("pause_outreach", { reason: "stop" });
  };
  // The second connection writes after the pause, and the first one's write ends after it.
  const write: Store["write"] = async (workspaceId, job) => {
    if (!breaks) {
      await stopped;
      return store.write(workspaceId, job);
    }
    breaks = false;
    stopped = stop();
    const made = await store.write(workspaceId, job);
    await stopped;
    return made;
  };
  const engine = await another({ mailer, store: { ...store, write } });
  await onTheWay(server, TWO);
  await runOut(server, clock, engine);
  assert.equal(scripted.messages.length, 1);
  clock.advance(86_400_000);
  breaks = true;
  // The first connection, which sent a message before, breaks after the server has asked for the next one.
  script.midway = { bytes: 0, act: "cut" };
  Object.defineProperty(script, "greeting", {
    get: () => {
      delete script.midway;
      return undefined;
    },
  });
  await runOut(server, clock, engine);
  assert.deepEqual([scripted.connections, scripted.messages.length], [2, 1]);
  assert.equal((await theSend(server)).status, "dropped");
  await server.operator("resume_outreach", {});
  await runOut(server, clock, engine);
  assert.deepEqual([scripted.messages.length, (await theSend(server)).status], [2, "sent"]);
});

/** What another server does after more than a lease without a sign of this one. */
async function takenForDead({ server, clock, another }: Driven): Promise<void> {
  const other = await another();
  clock.advance(16 * 60_000);
  await other.run();
  assert.equal((await theSend(server)).status, "unknown");
  assert.equal((await theEnrollment(server)).held_reason, "send_unknown");
}

test("a late outcome is recorded even after others considered its sender dead", async (t) => {
  let answers = async (): Promise<undefined> => undefined;
  const driven = await driveEngine(t, { smtp: { answer: () => answers() } });
  const { server, engine, taken } = driven;
  answers = async () => {
    await takenForDead(driven);
    return undefined;
  };
  await onTheWay(server, TWO);
  await engine.run();
  await until(async () => (await theSend(server)).status === "sent", DEADLINE_MS);
  assert.equal(taken.length, 1);
  const { held_reason, current_step } = await theEnrollment(server);
  assert.deepEqual([held_reason, current_step], [null, 1]);
});

test("a sender considered dead before it began hands nothing over, and the message can be sent once", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, another, run, taken } = driven;
  await onTheWay(server, TWO);
  await meanwhile(driven, async () => {
    clock.advance(16 * 60_000);
    await (await another()).run();
    await until(() => taken.length === 1, DEADLINE_MS);
  });
  await until(async () => (await theSend(server)).status === "sent", DEADLINE_MS);
  await run();
  assert.deepEqual([taken.length, (await theSend(server)).status], [1, "sent"]);
  assert.equal((await theEnrollment(server)).held_reason, null);
});

test("a message that waits for a slow mail server longer than its lease is kept while its sender runs", async (t) => {
  let go = () => {};
  const waits = new Promise<void>((resolve) => {
    go = resolve;
  });
  const driven = await driveEngine(t, { smtp: { answer: () => waits.then(() => undefined) } });
  const { server, clock, engine, another, run, taken } = driven;
  await onTheWay(server, TWO);
  await engine.run();
  await until(async () => (await theSend(server)).status === "sending", DEADLINE_MS);
  const other = await another();
  for (let minutes = 0; minutes < 30; minutes += 3) {
    clock.advance(3 * 60_000);
    await engine.keeper.run();
    await other.run();
    assert.equal((await theSend(server)).status, "sending");
  }
  go();
  await run();
  assert.deepEqual([taken.length, (await theSend(server)).status], [1, "sent"]);
});

for (const [what, edits] of [
  [
    "the steps",
    ({ server }: Driven, { sequence }: any) =>
      server.operator("update_sequence", { sequence_id: sequence.id, steps: [{ ...MAIL, subject: "Other" }, TWO[1]] }),
  ],
  [
    "the contact",
    ({ server }: Driven, { contact }: any) =>
      server.rest("PATCH", `/contacts/${contact.id}`, { body: { first_name: "Augusta" } }),
  ],
] as const) {
  test(`an edit of ${what} between claiming a step and handing it over stops the unapproved message`, async (t) => {
    const driven = await driveEngine(t);
    const { server, taken, run } = driven;
    const made = await onTheWay(server, TWO);
    await meanwhile(driven, () => edits(driven, made));
    await run();
    assert.deepEqual([taken.length, (await theSend(server)).status], [0, "dropped"]);
    const { held_reason } = await theEnrollment(server);
    assert.ok(held_reason === "not_authorised" || held_reason === "contact_changed", held_reason);
  });
}

test("late news of one attempt does not affect the next: a retry in progress runs to its end", async (t) => {
  let go = () => {};
  const waits = new Promise<void>((resolve) => {
    go = resolve;
  });
  let inHand = 0;
  const answer = () => {
    inHand += 1;
    return waits.then(() => undefined);
  };
  const driven = await driveEngine(t, { smtp: { answer } });
  const { server, clock, another, asSystem, run, taken } = driven;
  await onTheWay(server, TWO);
  let ended = false;
  // A server that stalls once it has claimed the step: others consider it dead, and retry.
  const stalled: AsSystem = async (workspaceId, name, job) => {
    const made = await asSystem(workspaceId, name, job);
    if (name === "send_mail") ended = true;
    if (name !== "take_step" || inHand > 0) return made;
    clock.advance(16 * 60_000);
    await (await another()).run();
    await until(() => inHand === 1, DEADLINE_MS);
    return made;
  };
  await (await another({ asSystem: stalled })).run();
  await until(() => ended, DEADLINE_MS);
  assert.equal((await theSend(server)).status, "sending", "it is in the hands of whoever tries again");
  go();
  await until(async () => (await theSend(server)).status === "sent", DEADLINE_MS);
  clock.advance(1);
  await run();
  assert.equal(taken.length, 1, "once");
});

test("a pause stops messages that wait for a connection, but not those already handed over", async (t) => {
  let go = () => {};
  const waits = new Promise<void>((resolve) => {
    go = resolve;
  });
  let inHand = 0;
  const answer = () => {
    inHand += 1;
    return waits.then(() => undefined);
  };
  const { server, clock, engine, taken } = await driveEngine(t, { smtp: { answer } });
  await manyOnTheWay(server, [MAIL], 20);
  const running = engine.run();
  await until(() => inHand === CONNECTIONS, DEADLINE_MS);
  await server.operator("pause_outreach", { reason: "stop" });
  go();
  await running;
  await runOut(server, clock, engine);
  assert.equal(taken.length, CONNECTIONS);
});

const MANY = 20;

for (const [waited, ms, before] of [
  ["has waited for a connection", 2_000, true],
  ["was taken before the clock went back", -2_000, true],
  ["has just been taken", 500, false],
] as const) {
  test(`a message that ${waited} is ${before ? "" : "not "}checked before its mail server is asked`, async (t) => {
    let go = () => {};
    const waits = new Promise<void>((resolve) => {
      go = resolve;
    });
    let asked = 0;
    const onRcptTo: SMTPServerOptions["onRcptTo"] = (_to, _session, done) => {
      asked += 1;
      void waits.then(() => done());
    };
    const { server, clock, engine, taken } = await driveEngine(t, { smtp: { onRcptTo } });
    await manyOnTheWay(server, [MAIL], MANY);
    const running = engine.run();
    await until(() => asked === CONNECTIONS, DEADLINE_MS);
    await server.operator("pause_outreach", { reason: "stop" });
    clock.advance(ms);
    go();
    await running;
    await runOut(server, clock, engine);
    assert.deepEqual([asked, taken.length], [before ? CONNECTIONS : MANY, 0], "and always before it leaves");
  });
}
