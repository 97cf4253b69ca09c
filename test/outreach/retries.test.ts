import assert from "node:assert/strict";
import { test } from "node:test";
import { driveEngine, headerOf, onTheWay, theEnrollment, theSend, timeline } from "../support/engine.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const MINUTE_MS = 60_000;

/** A mail server that answers each recipient as configured. */
function answering(...answers: [code: number, text: string][]) {
  const seen = { times: 0 };
  const onRcptTo = (_address: unknown, _session: unknown, done: (error?: Error | null) => void) => {
    const [code, text] = answers[Math.min(seen.times, answers.length - 1)] ?? [];
    seen.times += 1;
    done(code === undefined || code < 400 ? null : Object.assign(new Error(text), { responseCode: code }));
  };
  return { seen, smtp: { onRcptTo } };
}

const GREY: [number, string] = [451, "4.7.1 come back later"];

test("a temporary refusal is retried after 5 min, 15 min, 1 h and 4 h, as the same message", async (t) => {
  const { seen, smtp } = answering(GREY, GREY, GREY, GREY, [250, "ok"]);
  const { server, clock, taken, run } = await driveEngine(t, { smtp });
  const { contact } = await onTheWay(server, [MAIL]);
  for (const [attempt, minutes] of [5, 15, 60, 240].entries()) {
    await run();
    assert.equal(seen.times, attempt + 1);
    const until = new Date(clock.now() + minutes * MINUTE_MS).toISOString();
    assert.deepEqual((await theEnrollment(server)).waits, { reason: "delivery_delayed", until });
    const { status, attempts, detail } = await theSend(server);
    assert.deepEqual([status, attempts], ["retry", attempt + 1]);
    assert.match(detail, /come back later/);
    clock.advance(minutes * MINUTE_MS - 1);
    await run();
    assert.equal(seen.times, attempt + 1, "not a moment sooner");
    clock.advance(1);
  }
  await run();
  const send = await theSend(server);
  assert.deepEqual([send.status, send.attempts, taken.length], ["sent", 5, 1]);
  assert.equal(headerOf(taken[0] as never, "message-id"), send.message_id);
  assert.deepEqual(
    (await timeline(server, contact.id)).map(({ type }) => type),
    ["email_sent"],
  );
});

test("after nine attempts the enrollment fails as bounced, without a do-not-contact entry", async (t) => {
  const { seen, smtp } = answering(GREY);
  const { server, clock, run } = await driveEngine(t, { smtp });
  const { contact } = await onTheWay(server, [MAIL, MAIL]);
  for (let attempt = 0; attempt < 12; attempt += 1) {
    await run();
    clock.advance(8 * 60 * MINUTE_MS);
  }
  assert.equal(seen.times, 9);
  const { status, ended_reason } = await theEnrollment(server);
  assert.equal(status, "failed");
  assert.match(ended_reason, /come back later/);
  const [bounced, ...more] = await timeline(server, contact.id);
  assert.deepEqual([bounced.type, bounced.metadata.hard, more], ["email_bounced", false, []]);
  assert.deepEqual(await server.operator("list_suppressions", {}), []);
});

for (const [what, answer, hard] of [
  ["a dead address", [550, "5.1.1 user unknown"], true],
  ["a refusal of what was written", [554, "5.7.1 content rejected"], false],
] as const) {
  test(`${what} ends the enrollment at once, is logged as bounced, and is ${hard ? "" : "not "}put on the list`, async (t) => {
    const { seen, smtp } = answering([...answer]);
    const { server, clock, run } = await driveEngine(t, { smtp });
    const { contact } = await onTheWay(server, [MAIL, MAIL]);
    await run();
    clock.advance(10 * 86_400_000);
    await run();
    assert.equal(seen.times, 1);
    const { status, ended_reason } = await theEnrollment(server);
    assert.equal(status, "failed");
    assert.match(ended_reason, new RegExp(answer[1]));
    assert.equal((await theSend(server)).status, "failed");
    const types = (await timeline(server, contact.id)).map(({ type }) => type);
    assert.deepEqual(types, hard ? ["email_bounced", "suppressed"] : ["email_bounced"]);
    const listed = await server.operator("list_suppressions", {});
    assert.deepEqual(
      listed.map(({ email, reason, source }: any) => [email, reason, source]),
      hard ? [[contact.email, "bounce", "engine"]] : [],
    );
  });
}

test("an outage of our mail server uses none of a message's attempts, and nothing new starts for a while", async (t) => {
  let down = true;
  let connections = 0;
  const { server, clock, taken, run } = await driveEngine(t, {
    smtp: {
      onConnect(_session, done) {
        connections += 1;
        done(down ? Object.assign(new Error("4.3.2 shutting down"), { responseCode: 421 }) : undefined);
      },
    },
  });
  await onTheWay(server, [MAIL]);
  await run();
  const { status, attempts } = await theSend(server);
  assert.deepEqual([status, attempts], ["retry", 0]);
  const { contact } = await onTheWay(server, [MAIL]);
  const before = connections;
  await run();
  assert.equal(connections, before, "it rests");
  assert.equal((await theEnrollment(server, contact.id)).current_step, 0);
  down = false;
  clock.advance(5 * MINUTE_MS);
  await run();
  assert.deepEqual([taken.length, (await server.operator("list_sends", { status: "sent" })).length], [2, 2]);
});
