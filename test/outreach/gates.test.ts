import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Driven,
  driveEngine,
  manyOnTheWay,
  OPEN,
  onTheWay,
  runOut,
  theEnrollment,
  theSend,
} from "../support/engine.ts";
import { isPostgres } from "../support/engine-under-test.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };

/** Each block, how it is set, and how it is lifted. */
const BLOCKS: [string, (d: Driven, sequenceId: string) => Promise<unknown>, typeof lift][] = [
  [
    "outreach_paused",
    ({ server }) => server.operator("pause_outreach", { reason: "holiday" }),
    ({ server }) => server.operator("resume_outreach", {}),
  ],
  [
    "billing_read_only",
    ({ server }) => server.operator("set_billing", { state: "delinquent" }),
    ({ server }) => server.operator("set_billing", { state: "active" }),
  ],
  [
    "sequence_not_active",
    ({ server }, sequence_id) => server.operator("set_sequence_status", { sequence_id, status: "paused" }),
    ({ server }, sequence_id) => server.operator("set_sequence_status", { sequence_id, status: "active" }),
  ],
];
declare function lift(d: Driven, sequenceId: string): Promise<unknown>;

for (const [reason, close, open] of BLOCKS) {
  test(`nothing is sent while ${reason}, every reader sees why, and all is sent once it is lifted`, async (t) => {
    const driven = await driveEngine(t);
    const { server, taken, run } = driven;
    const { sequence, contact } = await onTheWay(server, [MAIL]);
    const before = await theEnrollment(server);
    await close(driven, sequence.id);
    await run();
    assert.equal(taken.length, 0);
    const waits = { reason, until: null };
    assert.deepEqual(await theEnrollment(server), { ...before, waits }, "no enrollment was written to");
    const brain = await server.operator("brain_contact", { id: contact.id });
    assert.deepEqual(brain.enrollments[0].waits, waits);
    await open(driven, sequence.id);
    assert.equal((await theEnrollment(server)).waits, null);
    await run();
    assert.deepEqual([taken.length, (await theEnrollment(server)).status], [1, "completed"]);
  });
}

test("while its server's outbound gate is closed, an engine claims no work", async (t) => {
  const { server, taken, run, another } = await driveEngine(t);
  await onTheWay(server, [{ type: "socialnet_message", body: "Hello", delay_days: 0 }, MAIL]);
  const closed = await another({ deployment: { ...OPEN, outboundGate: "closed" } });
  const before = await theEnrollment(server);
  await closed.run();
  assert.deepEqual([await theEnrollment(server), taken.length], [before, 0]);
  await run();
  assert.equal((await theEnrollment(server)).held_reason, "no_profile", "an engine with an open gate goes on");
});

test("a step due outside the sending hours is postponed until they open, and checked again when they change", async (t) => {
  const { server, clock, taken, run } = await driveEngine(t);
  const windows = [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }];
  await server.operator("set_sending_policy", { time_zone: "America/New_York", windows });
  await onTheWay(server, [MAIL]);
  await run();
  // Friday, 9:00 in UTC is 4:00 in New York.
  const opens = "2026-11-20T14:00:00.000Z";
  const { waits, due_at } = await theEnrollment(server);
  assert.deepEqual([waits, due_at, taken.length], [{ reason: "outside_window", until: opens }, opens, 0]);
  clock.advance(Date.parse(opens) - clock.now() - 1);
  await run();
  assert.equal(taken.length, 0);
  clock.advance(1);
  await run();
  assert.equal(taken.length, 1);

  await server.operator("set_sending_policy", { windows: [{ days: [7], from: "09:00", to: "10:00" }] });
  await onTheWay(server, [MAIL]);
  await run();
  assert.equal((await theEnrollment(server)).waits.until, "2026-11-22T14:00:00.000Z");
  await server.operator("set_sending_policy", { windows: [] });
  await run();
  assert.equal(taken.length, 2, "nobody waits for Sunday once there are no windows");
});

for (const [what, policy, reason] of [
  ["a shut window", { windows: [{ days: [7], from: "09:00", to: "10:00" }] }, "outside_window"],
  ["a full cap", { daily_cap: 1 }, "daily_cap"],
] as const) {
  test(`${what} is written in one statement to all enrollments it blocks, once each`, async (t) => {
    const { server, clock, taken, run, another, asSystem } = await driveEngine(t);
    await onTheWay(server, [MAIL]);
    await run();
    const { contacts } = await manyOnTheWay(server, [MAIL], 60);
    await server.operator("set_sending_policy", policy);
    const writes: string[] = [];
    const counted = await another({
      asSystem: (workspaceId, name, job) => {
        writes.push(name);
        return asSystem(workspaceId, name, job);
      },
    });
    await runOut(server, clock, counted);
    await runOut(server, clock, counted);
    assert.deepEqual([writes, taken.length], [["put_off"], 1]);
    const reasons = await Promise.all(contacts.map(async ({ id }) => (await theEnrollment(server, id)).waits.reason));
    assert.deepEqual([...new Set(reasons)], [reason]);
  });
}

test("sending hours follow the place's clock changes: they differ in UTC before and after", async (t) => {
  const { server, clock, run } = await driveEngine(t);
  const windows = [{ days: [6, 7], from: "09:00", to: "10:00" }];
  await server.operator("set_sending_policy", { time_zone: "Europe/Berlin", windows });
  const opensAfter = async (at: string) => {
    clock.advance(Date.parse(at) - clock.now());
    await onTheWay(server, [MAIL]);
    await run();
    return (await theEnrollment(server)).waits.until;
  };
  assert.equal(await opensAfter("2027-03-26T12:00:00Z"), "2027-03-27T08:00:00.000Z");
  assert.equal(
    await opensAfter("2027-03-27T12:00:00Z"),
    "2027-03-28T07:00:00.000Z",
    "clocks went forward in the night",
  );
  assert.equal(await opensAfter("2027-10-30T12:00:00Z"), "2027-10-31T08:00:00.000Z", "and back");
});

test("the professional network has its own hours, and email hours delay no other step", async (t) => {
  const { server, run } = await driveEngine(t);
  await server.operator("set_sending_policy", { windows: [{ days: [7], from: "09:00", to: "10:00" }] });
  await server.operator("create_socialnet_account", { label: "Robin", profile_url: "https://socialnet.example/in/r" });
  const contact = { socialnet_url: "https://socialnet.example/in/ada" };
  await onTheWay(server, [{ type: "socialnet_message", body: "Hello", delay_days: 0 }], contact);
  await run();
  assert.equal((await theEnrollment(server)).status, "waiting_on_action");
});

test("a step that only waits for its day is not delayed by anything else", async (t) => {
  const { server, run } = await driveEngine(t);
  await onTheWay(server, [{ ...MAIL, delay_days: 2 }]);
  await run();
  const { waits, held_reason, due_at } = await theEnrollment(server);
  assert.deepEqual([waits, held_reason, due_at], [null, null, "2026-11-22T09:00:00.000Z"]);
});

test("one sequence with much to send delays no other", async (t) => {
  const opened = new EventEmitter();
  const driven = await driveEngine(t, { smtp: { answer: () => once(opened, "open").then(() => undefined) } });
  const { server, clock, engine } = driven;
  await manyOnTheWay(server, [MAIL], 60);
  clock.advance(1_000);
  const { enrollment } = await onTheWay(server, [MAIL]);
  const stop = new AbortController();
  const running = engine.run(stop.signal);
  const { store } = server.running;
  const begun = async () => (await store.read(server.workspaceId).sends.ofStep(enrollment.id, 0)) !== undefined;
  // A statement of PostgreSQL takes longer than a turn.
  const pause = isPostgres ? () => sleep(10) : () => new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 200 && !(await begun()); turn += 1) await pause();
  assert.ok(await begun(), "it was taken in the first round");
  stop.abort();
  await running;
  opened.emit("open");
  await engine.stop();
});

test("a contact given an address already on the do-not-contact list is stopped when the step is due", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const { contact } = await onTheWay(server, [MAIL]);
  // Without the list's operation: no contact had the address when it was added.
  await server.rest("POST", "/suppression", { body: { email: "ada@x.example" } });
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "ada@x.example" } });
  assert.equal((await theEnrollment(server)).status, "active");
  await run();
  assert.equal((await theEnrollment(server)).status, "stopped_suppressed");
  assert.deepEqual([taken.length, await theSend(server)], [0, undefined]);
});

test("an archived contact gets no more messages", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const { contact } = await onTheWay(server, [MAIL]);
  await server.operator("archive_contact", { contact_id: contact.id });
  assert.equal((await theEnrollment(server)).status, "stopped_by_member");
  await run();
  assert.deepEqual([taken.length, await theSend(server)], [0, undefined]);
});
