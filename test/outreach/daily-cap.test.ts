import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, driveEngine, headerOf, manyOnTheWay, onTheWay, runOut, theEnrollment } from "../support/engine.ts";
import { startServer } from "../support/server.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };

test("two servers on one database together send exactly the daily limit, each message once, in order of enrollment", async (t) => {
  const { server, clock, taken, engine, another } = await driveEngine(t);
  await server.operator("set_sending_policy", { daily_cap: 7, time_zone: "Asia/Tokyo" });
  const { contacts } = await manyOnTheWay(server, [MAIL], 17);
  const twin = await startServer(t, { clock, folder: server.folder, env: { ROSTRUM_WORKERS: "off" } });
  const other = await another();
  assert.notEqual(twin.running.store, server.running.store);
  const names = () => taken.map((message) => headerOf(message, "subject")?.replace("Hello N", "")).map(Number);
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
  await runOut(server, clock, engine, other);
  assert.deepEqual(
    names().toSorted((a, b) => a - b),
    upTo(7),
  );
  const last = await theEnrollment(server, contacts[16].id);
  // 9:00 is the evening in Tokyo, whose next day begins at 15:00.
  assert.deepEqual(last.waits, { reason: "daily_cap", until: "2026-11-20T15:00:00.000Z" });
  clock.advance(Date.parse(last.due_at) - clock.now());
  await runOut(server, clock, engine, other);
  assert.deepEqual(
    names().toSorted((a, b) => a - b),
    upTo(14),
  );
  await server.operator("set_sending_policy", { daily_cap: null });
  await runOut(server, clock, engine, other);
  assert.deepEqual(
    names().toSorted((a, b) => a - b),
    upTo(17),
    "a cap that is lifted holds nobody back",
  );
  assert.equal((await server.operator("list_enrollments", { status: "completed", limit: 100 })).length, 17);
});

test("a retried message counts once a day: a full daily limit does not block a message already counted", async (t) => {
  let grey = true;
  const { server, clock, taken, run } = await driveEngine(t, {
    smtp: {
      onRcptTo: (_address, _session, done) =>
        done(grey ? Object.assign(new Error("4.7.1 come back later"), { responseCode: 451 }) : null),
    },
  });
  await server.operator("set_sending_policy", { daily_cap: 1 });
  await onTheWay(server, [MAIL]);
  await run();
  const { waits } = await theEnrollment(server);
  assert.deepEqual(waits, { reason: "delivery_delayed", until: "2026-11-20T09:05:00.000Z" });
  grey = false;
  const { contact } = await onTheWay(server, [MAIL]);
  clock.advance(5 * 60_000);
  await run();
  assert.equal(taken.length, 1);
  assert.equal((await theEnrollment(server, contact.id)).waits.reason, "daily_cap");
  clock.advance(DAY_MS);
  await run();
  assert.equal(taken.length, 2);
});
