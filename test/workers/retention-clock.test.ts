import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/time.ts";
import { pruneExpired } from "../../src/workers/housekeeper.ts";
import { createRetentionClock } from "../../src/workers/retention-clock.ts";
import { insert, W1 } from "../store/conformance/fixtures.ts";
import { openStoreOf } from "../support/engine-under-test.ts";
import { keptLog } from "../support/log.ts";
import { rowsOf } from "../support/outbox.ts";
import { temporaryFolder } from "../support/server.ts";

const NOON = Date.UTC(2026, 10, 20, 12);

/** A clock that can be set, besides the time that really passes. */
class Machine implements Clock {
  #shown = NOON;
  #passed = 0;

  now(): number {
    return this.#shown;
  }

  elapsed(): number {
    return this.#passed;
  }

  pass(ms: number): void {
    this.#passed += ms;
    this.#shown += ms;
  }

  set(ms: number): void {
    this.#shown += ms;
  }
}

/** A database with an answer kept for 30 days, and housekeeping on a machine whose clock can be set. */
async function withHistory(t: TestContext) {
  const folder = temporaryFolder(t);
  const store = await openStoreOf(folder, NOON);
  t.after(() => store.close());
  const machine = new Machine();
  const { log, text } = keptLog();
  const hash = randomBytes(16);
  await store.write(W1, async ({ answers, workspace }) => {
    await workspace.create("one", NOON);
    await answers.insert(hash, { status: 201, body: "{}" }, NOON);
  });
  /** Runs as a server does from its start. */
  const start = () => pruneExpired(store, createRetentionClock(store, machine, log)).run;
  const isKept = async () => (await store.read(W1).answers.find(hash)) !== undefined;
  return { folder, store, machine, text, start, isKept };
}

test("a clock that jumps 800 days ahead deletes nothing, and the log and the database report it", async (t) => {
  const { folder, machine, text, start, isKept } = await withHistory(t);
  const run = start();
  await run();
  assert.equal(text(), "");
  machine.set(800 * DAY_MS);
  machine.pass(MINUTE_MS);
  await run();
  assert.ok(await isKept());
  assert.match(text(), /"days":800,"msg":"the clock jumped ahead; old records are kept longer/);
  await run();
  assert.equal(text().split("\n").length, 2, "said once");
  const kept = "SELECT value FROM server_settings WHERE name IN ('clock_jump', 'retention_at') ORDER BY name";
  const [jump, at] = rowsOf({ folder }, kept).map(({ value }) => JSON.parse(value));
  assert.deepEqual([at, jump], [NOON + MINUTE_MS, { from: NOON, to: machine.now() }]);

  // While the clock is wrong, rows that are old by the elapsed time are still deleted.
  machine.pass(29 * DAY_MS);
  await run();
  assert.ok(await isKept());
  machine.pass(2 * DAY_MS);
  await run();
  assert.ok(!(await isKept()));
});

test("a clock that is ahead at the start deletes nothing either, and is followed again once corrected", async (t) => {
  const { machine, text, start, isKept } = await withHistory(t);
  await start()();
  machine.set(800 * DAY_MS);
  const run = start();
  await run();
  assert.ok(await isKept());
  assert.match(text(), /jumped ahead/);
  machine.set(-800 * DAY_MS);
  await run();
  assert.match(text(), /retention follows the clock again/);
  machine.set(6 * DAY_MS);
  await run();
  for (let day = 0; day < 25; day += 1) {
    machine.pass(DAY_MS);
    await run();
  }
  assert.ok(!(await isKept()), "31 days old by a clock that nobody doubts");
});

test("a database without a clock record is compared with its newest row", async (t) => {
  const { store, machine, start, isKept } = await withHistory(t);
  await insert(store, { first_name: "Ada" });
  machine.set(800 * DAY_MS);
  await start()();
  assert.ok(await isKept());
});

test("once a person confirms the clock, a running server follows it", async (t) => {
  const { store, machine, start, isKept } = await withHistory(t);
  const run = start();
  await run();
  machine.set(60 * DAY_MS);
  await run();
  assert.ok(await isKept());
  await store.recordRetention(machine.now(), undefined, machine.now());
  await run();
  assert.ok(!(await isKept()));
});

test("a clock that went back is reported, keeps rows for longer, and correcting it is not a jump", async (t) => {
  const { machine, text, start, isKept } = await withHistory(t);
  const run = start();
  await run();
  machine.set(-365 * DAY_MS);
  await run();
  assert.match(text(), /the clock moved back/);
  machine.pass(HOUR_MS);
  machine.set(365 * DAY_MS);
  await run();
  assert.doesNotMatch(text(), /far ahead/);
  assert.ok(await isKept());
});
