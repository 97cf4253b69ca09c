import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createLog } from "../../src/lib/log.ts";
import { pruneExpired } from "../../src/workers/housekeeper.ts";
import { Supervisor } from "../../src/workers/supervisor.ts";
import { openStoreOf } from "../support/engine-under-test.ts";
import { followsClock } from "../support/outbox.ts";
import { FakeClock, temporaryFolder } from "../support/server.ts";

const silent = createLog("silent");

test("a job runs repeatedly, never twice at once, and continues after a failure", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const supervisor = new Supervisor(silent);
  const runs: (() => void)[] = [];
  let failing = true;
  const run = async () => {
    await new Promise<void>((end) => runs.push(end));
    if (failing) throw new Error("mine");
  };
  supervisor.start({ name: "one", everyMs: 1_000, run });
  assert.equal(runs.length, 0, "not before its time");
  t.mock.timers.tick(1_000);
  assert.equal(runs.length, 1);
  t.mock.timers.tick(5_000);
  await turn();
  assert.equal(runs.length, 1, "it still runs");
  runs[0]?.();
  await turn();
  failing = false;
  t.mock.timers.tick(1_000);
  assert.equal(runs.length, 2, "the failure did not end it");
  runs[1]?.();
  await turn();
  await supervisor.stop();
});

test("a stop waits for what runs, and starts nothing more", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const supervisor = new Supervisor(silent);
  let end: (() => void) | undefined;
  let runs = 0;
  const run = () => {
    runs += 1;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  supervisor.start({ name: "one", everyMs: 10, run });
  t.mock.timers.tick(10);
  let stopped = false;
  const stop = supervisor.stop().then(() => {
    stopped = true;
  });
  await turn();
  assert.equal(stopped, false);
  end?.();
  await stop;
  t.mock.timers.tick(10_000);
  await turn();
  assert.equal(runs, 1);
});

test("one run of the housekeeper deletes everything expired, however many batches it needs", async (t) => {
  const store = await openStoreOf(temporaryFolder(t));
  t.after(() => store.close());
  const clock = new FakeClock();
  const hashes = Array.from({ length: 1_700 }, () => randomBytes(16));
  const insert = (hash: Buffer) =>
    store.write("w", ({ answers }) => answers.insert(hash, { status: 201, body: "{}" }, clock.now()));
  await Promise.all(hashes.map(insert));
  const kept = async (hash: Buffer) => (await store.read("w").answers.find(hash)) !== undefined;
  const day = 86_400_000;

  clock.advance(30 * day);
  const young = randomBytes(16);
  await insert(young);
  const { run } = pruneExpired(store, followsClock(clock));
  await run();
  assert.ok(await kept(hashes[0] as Buffer), "kept for the whole of 30 days");
  clock.advance(1);
  await run();
  for (const hash of hashes) assert.ok(!(await kept(hash)));
  assert.ok(await kept(young));
});
