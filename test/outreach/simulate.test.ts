import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAY_MS, type Driven, driveEngine, theEnrollment } from "../support/engine.ts";
import { authorise, enroll, newContact } from "../support/sequences.ts";

const MAX_DAYS = 20;

const step = fc.oneof(
  fc.record({ type: fc.constant("email"), delay_days: fc.nat(3) }),
  fc.record({ type: fc.constant("wait"), days: fc.integer({ min: 1, max: 4 }) }),
);
const window = fc.record({
  days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
  from: fc.constantFrom("00:00", "08:30", "13:00"),
  to: fc.constantFrom("14:00", "17:00", "24:00"),
});
const plays = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  time_zone: fc.constantFrom("UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"),
  windows: fc.array(window, { maxLength: 2 }),
  daily_cap: fc.option(fc.integer({ min: 1, max: 4 })),
  contacts: fc.integer({ min: 1, max: 5 }),
});

/** The engine's sends, moment by moment: the clock jumps from one due time to the next. */
async function played({ server, clock, run, taken }: Driven, end: number): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const before = taken.length;
    await run();
    for (const { raw } of taken.slice(before)) {
      seen.push(`${new Date(clock.now()).toISOString()} ${/^Subject: (.*)\r$/m.exec(raw)?.[1]}`);
    }
    const open = (await server.operator("list_enrollments", { status: "active", limit: 100 })) as any[];
    const next = Math.min(...open.map(({ due_at }) => Date.parse(due_at)));
    if (!(next < end)) return seen;
    clock.advance(next - clock.now());
  }
}

test("the engine sends what was simulated, at the simulated time, for any steps, sending hours and daily limit", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock } = driven;
  const play = async (given: typeof plays extends fc.Arbitrary<infer P> ? P : never) => {
    const { time_zone, windows, daily_cap } = given;
    await server.operator("set_sending_policy", { time_zone, windows, daily_cap });
    // Earlier sends count toward the limit of their day.
    clock.advance(3 * DAY_MS);
    const steps = given.steps.map((one, i) =>
      one.type === "email" ? { ...one, subject: `S${i} {{first_name}}`, body: "x" } : one,
    );
    const { id: sequence_id } = await server.operator("create_sequence", { name: "Play", steps });
    const ids: string[] = [];
    for (let i = 0; i < given.contacts; i += 1) ids.push((await newContact(server, { first_name: `N${i}` })).id);
    await authorise(server, sequence_id, ids);
    await server.operator("set_sequence_status", { sequence_id, status: "active" });
    const simulated = await server.operator("simulate_sequence", { sequence_id, contact_ids: ids, days: MAX_DAYS });
    for (const contact_id of ids) await enroll(server, { sequence_id, contact_id });
    const real = await played(driven, clock.now() + MAX_DAYS * DAY_MS);
    const told = simulated.events
      .filter(({ type }: any) => type === "email")
      .map(({ at, what }: any) => `${at} ${what}`);
    // If a limit allows only one of several contacts at different steps, their order is undefined.
    const withoutNames = (lines: string[]) => lines.map((line) => line.replace(/ N\d$/, "")).toSorted();
    assert.deepEqual(withoutNames(real), withoutNames(told));
    for (const enrollment of await server.operator("list_enrollments", { status: "active", limit: 100 })) {
      await server.operator("stop_enrollment", { enrollment_id: enrollment.id });
    }
  };
  await fc.assert(fc.asyncProperty(plays, play), { numRuns: 12, endOnFailure: true });
  assert.ok(await theEnrollment(server));
});

test("a simulation says who would be on hold and why, skips what connected contacts don't need, and finishes", async (t) => {
  const { server } = await driveEngine(t);
  const steps = [
    { type: "socialnet_connect", note: "Hello {{job_title}}", delay_days: 0 },
    { type: "email", subject: "One {{first_name}}", body: "x", delay_days: 2 },
    { type: "email", subject: "Late", body: "x", delay_days: 40 },
  ];
  const { id: sequence_id } = await server.operator("create_sequence", { name: "Play", steps });
  const url = (name: string) => `https://socialnet.example/in/${name}`;
  const whole = await newContact(server, { first_name: "Whole", job_title: "Boss", socialnet_url: url("whole") });
  const bare = await newContact(server, { first_name: "Bare" });
  const untitled = await newContact(server, { first_name: "Untitled", socialnet_url: url("untitled") });
  const listed = await newContact(server, { first_name: "Listed" });
  const connected = await newContact(server, { first_name: "Connected", email: null, socialnet_url: url("connected") });
  await server.rest("POST", "/suppression", { body: { contact_id: listed.id } });
  const { store } = server.running;
  await store.write(server.workspaceId, ({ contacts }) => contacts.advanceSocialStatus(connected.id, "connected"));
  const contact_ids = [whole, bare, untitled, listed, connected].map(({ id }) => id);
  const { events, contacts } = await server.operator("simulate_sequence", { sequence_id, contact_ids, days: 30 });
  assert.equal(contacts, 5);
  assert.deepEqual(
    events.map(({ at, contact, step, type, what }: any) => [at.slice(0, 10), contact, step, type, what]),
    [
      ["2026-11-20", "Whole", 0, "socialnet_connect", "Hello Boss"],
      ["2026-11-20", "Bare", 0, "held", "No profile URL"],
      ["2026-11-20", "Untitled", 0, "held", "No value for {{job_title}}"],
      ["2026-11-20", "Listed", 0, "held", "On the do-not-contact list"],
      ["2026-11-22", "Whole", 1, "email", "One Whole"],
      ["2026-11-22", "Connected", 1, "held", "No email address"],
    ],
  );
});
