import assert from "node:assert/strict";
import { test } from "node:test";
import { SMTP_BACKOFF_MS } from "../../src/domain/outreach/sending.ts";
import {
  bounceOf,
  DAY_MS,
  driveEngine,
  HOUR_MS,
  manyOnTheWay,
  onTheWay,
  runOut,
  theEnrollment,
  theSend,
  told,
} from "../support/engine.ts";
import { rowsOf } from "../support/outbox.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const TWO = [MAIL, { ...MAIL, delay_days: 1 }];

type Done = (error?: Error | null) => void;
const answered = (answer: string | null): Error | null =>
  answer === null ? null : Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) });

/** A mail server that gives this answer at each of these places while enabled. */
function refusing(said: { mail?: string | null; rcpt?: string | null; end?: string | null }) {
  const seen = { recipients: 0 };
  return {
    seen,
    smtp: {
      onMailFrom: (_a: unknown, _s: unknown, done: Done) => done(answered(said.mail ?? null)),
      onRcptTo(_a: unknown, _s: unknown, done: Done) {
        seen.recipients += 1;
        done(answered(said.rcpt ?? null));
      },
      answer() {
        const refused = answered(said.end ?? null);
        if (refused !== null) throw refused;
        return undefined;
      },
    },
  };
}

/** Refusals about our server, not about the recipient. */
const OURS: Parameters<typeof refusing>[0][] = [
  { mail: "550 5.4.5 Daily user sending quota exceeded" },
  { mail: "550 5.1.8 Sender address rejected" },
  { mail: "530 5.7.0 Authentication required" },
  { rcpt: "554 5.7.1 Relay access denied" },
  { rcpt: "454 4.7.0 Throttling failure: Maximum sending rate exceeded" },
  { end: "554 Message rejected: Email address is not verified" },
  { end: "550 5.7.26 Unauthenticated mail is not accepted: SPF and DKIM failed" },
];

for (const said of OURS) {
  const [[place, answer]] = Object.entries(said) as [[string, string]];
  test(`"${answer}" at ${place} ends no enrollment, and adds no do-not-contact entry`, async (t) => {
    const { server, clock, taken, run } = await driveEngine(t, { smtp: refusing(said).smtp });
    const { contact } = await onTheWay(server, [MAIL]);
    await run();
    const { status, waits } = await theEnrollment(server);
    assert.deepEqual([status, waits.reason], ["active", "mail_server_unavailable"]);
    assert.ok(Date.parse(waits.until) > clock.now());
    const send = await theSend(server);
    assert.deepEqual([send.status, send.attempts], ["retry", 0]);
    assert.ok(send.detail.startsWith(answer.slice(0, 3)), send.detail);
    assert.deepEqual([await told(server, contact.id), await server.operator("list_suppressions", {})], [[], []]);
    delete said[place as keyof typeof said];
    clock.advance(HOUR_MS);
    await run();
    assert.deepEqual([taken.length, (await theEnrollment(server)).status], [1, "completed"]);
  });
}

test("a server that refuses us is retried at growing intervals, with one message; once it accepts one, all are sent", async (t) => {
  const said: Parameters<typeof refusing>[0] = { rcpt: "550 5.4.5 Daily user sending quota exceeded" };
  const { seen, smtp } = refusing(said);
  const { server, clock, taken, run, another } = await driveEngine(t, { smtp });
  const { contacts } = await manyOnTheWay(server, [MAIL], 20);
  await run();
  assert.ok(seen.recipients <= 5, "no more than were on their way to it already");
  const backoffs: number[] = [];
  const other = await another();
  for (let look = 0; look < 8; look += 1) {
    const [backoff] = rowsOf(server, "SELECT began_at, until FROM mail_rests");
    backoffs.push(backoff.until - backoff.began_at);
    const waiting = await Promise.all(contacts.map(({ id }) => theEnrollment(server, id)));
    assert.ok(waiting.every(({ waits }) => waits.reason === "mail_server_unavailable"));
    const before = seen.recipients;
    clock.advance(backoff.until - clock.now() - 1);
    await run();
    await other.run();
    assert.equal(seen.recipients, before, "nothing is handed over before its time");
    clock.advance(1);
    await run();
    assert.equal(seen.recipients, before + 1, "one message asks");
  }
  assert.deepEqual(backoffs, [...SMTP_BACKOFF_MS, ...Array(2).fill(SMTP_BACKOFF_MS.at(-1))]);
  delete said.rcpt;
  for (let hour = 0; hour < 3; hour += 1) {
    clock.advance(HOUR_MS);
    await run();
  }
  assert.equal(taken.length, 20);
  assert.deepEqual(rowsOf(server, "SELECT * FROM mail_rests"), []);
});

test("while the mail server is in cooldown, steps without email continue", async (t) => {
  const { server, run } = await driveEngine(t, { smtp: refusing({ mail: "550 5.4.5 quota" }).smtp });
  await onTheWay(server, [MAIL]);
  await run();
  await server.operator("create_socialnet_account", { label: "Robin", profile_url: "https://socialnet.example/in/r" });
  const message = { type: "socialnet_message", body: "Hello", delay_days: 0 };
  const { contact } = await onTheWay(server, [message], { socialnet_url: "https://socialnet.example/in/ada" });
  await run();
  assert.equal((await theEnrollment(server, contact.id)).status, "waiting_on_action");
});

test("one message refused because of us does not delay the others for long", async (t) => {
  let asked = 0;
  const { server, clock, taken, run } = await driveEngine(t, {
    smtp: {
      onRcptTo({ address }, _session, done) {
        const odd = address === "odd@x.example";
        asked += Number(odd);
        done(odd ? answered("554 5.7.1 Relay access denied") : null);
      },
    },
  });
  await onTheWay(server, [MAIL], { email: "odd@x.example" });
  for (let hour = 0; hour < 24; hour += 1) {
    const before = taken.length;
    await run();
    await onTheWay(server, [MAIL]);
    for (let minutes = 0; minutes < 60; minutes += 1) {
      clock.advance(60_000);
      await run();
    }
    assert.equal(taken.length, before + 1);
  }
  assert.ok(asked < 35, `${asked} times`);
  assert.deepEqual(await server.operator("list_suppressions", {}), []);
});

test("a message that is refused because of us puts the enrollment on hold, without a do-not-contact entry", async (t) => {
  const { server, clock, taken, run, receive } = await driveEngine(t);
  const { contact, enrollment } = await onTheWay(server, TWO);
  await run();
  const answer = "550-5.7.26 This mail has been blocked because the sender is unauthenticated.";
  await receive(bounceOf(taken[0] as never, "5.7.26", answer));
  clock.advance(DAY_MS);
  await run();
  const held = await theEnrollment(server);
  assert.deepEqual([held.status, held.held_reason, taken.length], ["active", "came_back", 1]);
  assert.match(held.held_detail, /unauthenticated/);
  assert.deepEqual(await told(server, contact.id), ["email_sent", "email_bounced"]);
  assert.deepEqual(await server.operator("list_suppressions", {}), []);
  await server.operator("release_enrollment", { enrollment_id: enrollment.id });
  await run();
  assert.equal(taken.length, 2);
});

const THREE = [MAIL, MAIL, { ...MAIL, delay_days: 1 }];
const UNVERIFIED = "550 5.7.26 Our domain is not verified.";

test("a bounce while the next message is being sent puts what follows on hold", async (t) => {
  let during = async () => {};
  const driven = await driveEngine(t, {
    smtp: {
      async answer() {
        await during();
        return undefined;
      },
    },
  });
  const { server, clock, taken, run, receive } = driven;
  const { enrollment } = await onTheWay(server, THREE);
  during = async () => {
    if (taken.length === 1) await receive(bounceOf(taken[0] as never, "5.7.26", UNVERIFIED));
  };
  await run();
  clock.advance(2 * DAY_MS);
  await run();
  const held = await theEnrollment(server);
  assert.deepEqual([held.held_reason, held.current_step, taken.length], ["came_back", 2, 2]);
  await server.operator("release_enrollment", { enrollment_id: enrollment.id });
  await run();
  assert.deepEqual([(await theEnrollment(server)).status, taken.length], ["completed", 3]);
});

test("a bounce before the next message is handed over puts that one on hold", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, taken, receive, another, asSystem } = driven;
  const { enrollment } = await onTheWay(server, THREE);
  let steps = 0;
  const between: typeof asSystem = async (workspaceId, name, job) => {
    const made = await asSystem(workspaceId, name, job);
    if (name === "take_step") steps += 1;
    if (steps === 2 && taken.length === 1) await receive(bounceOf(taken[0] as never, "5.7.26", UNVERIFIED));
    return made;
  };
  const engine = await another({ asSystem: between });
  await runOut(server, clock, engine);
  const held = await theEnrollment(server);
  assert.deepEqual([held.held_reason, held.current_step, taken.length], ["came_back", 1, 1]);
  await server.operator("release_enrollment", { enrollment_id: enrollment.id });
  await runOut(server, clock, engine);
  assert.equal(taken.length, 2);
});
