import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createLog } from "../../src/lib/log.ts";
import { Supervisor } from "../../src/workers/supervisor.ts";
import { keptLog } from "../support/log.ts";

const silent = createLog("silent");

/** A job whose runs end when told to. */
function held(name = "one", everyMs = 1_000) {
  const runs: { signal: AbortSignal | undefined; end(): Promise<void> }[] = [];
  const run = (signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = async () => {
        resolve();
        await turn();
      };
      runs.push({ signal, end });
    });
  return { job: { name, everyMs, run }, runs };
}

test("a period is counted from start to start, and one that falls during a run is skipped", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const supervisor = new Supervisor(silent);
  const { job, runs } = held();
  supervisor.start(job);
  t.mock.timers.tick(1_000);
  t.mock.timers.tick(400);
  await runs[0]?.end();
  t.mock.timers.tick(599);
  assert.equal(runs.length, 1);
  t.mock.timers.tick(1);
  assert.equal(runs.length, 2, "1 s after the first began");
  t.mock.timers.tick(1_000);
  t.mock.timers.tick(500);
  await runs[1]?.end();
  assert.equal(runs.length, 2, "what was missed is not made up for");
  t.mock.timers.tick(499);
  assert.equal(runs.length, 2);
  t.mock.timers.tick(1);
  assert.equal(runs.length, 3);
  await runs[2]?.end();
  await supervisor.stop();
});

test("a job that is woken runs at once, and its period is counted from there", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const supervisor = new Supervisor(silent);
  const [one, other] = [held(), held("other")];
  supervisor.start(one.job);
  supervisor.start(other.job);
  t.mock.timers.tick(600);
  supervisor.wake("one");
  assert.deepEqual([one.runs.length, other.runs.length], [1, 0]);
  await one.runs[0]?.end();
  t.mock.timers.tick(999);
  assert.deepEqual([one.runs.length, other.runs.length], [1, 1]);
  t.mock.timers.tick(1);
  assert.equal(one.runs.length, 2);
  for (const run of [one.runs[1], other.runs[0]]) await run?.end();
  await supervisor.stop();
});

test("a job woken while it runs runs one more time right after, however often it was woken", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const supervisor = new Supervisor(silent);
  const { job, runs } = held();
  supervisor.start(job);
  supervisor.wake("one");
  supervisor.wake("one");
  supervisor.wake("one");
  assert.equal(runs.length, 1);
  await runs[0]?.end();
  assert.equal(runs.length, 2);
  await runs[1]?.end();
  assert.equal(runs.length, 2);
  await supervisor.stop();
});

test("a job that wakes itself as it begins does not run in parallel with itself", async () => {
  const supervisor = new Supervisor(silent);
  let [runs, beside, most] = [0, 0, 0];
  const run = async () => {
    beside += 1;
    most = Math.max(most, beside);
    runs += 1;
    if (runs === 1) supervisor.wake("one");
    await turn();
    beside -= 1;
  };
  supervisor.start({ name: "one", everyMs: 1_000, run });
  supervisor.wake("one");
  while (runs < 2) await turn();
  await supervisor.stop();
  assert.deepEqual([runs, most], [2, 1]);
});

test("a stop aborts and awaits running jobs, and woken jobs no longer run", async () => {
  const { log, text } = keptLog();
  const supervisor = new Supervisor(log);
  const { job, runs } = held();
  supervisor.start(job);
  const heeds = (signal?: AbortSignal) =>
    new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  supervisor.start({ name: "heeds", everyMs: 1_000, run: heeds });
  const fails = async (signal?: AbortSignal) => {
    await heeds(signal).catch(() => undefined);
    throw new Error("mine");
  };
  supervisor.start({ name: "fails", everyMs: 1_000, run: fails });
  for (const name of ["one", "heeds", "fails"]) supervisor.wake(name);
  supervisor.wake("one");
  assert.equal(runs[0]?.signal?.aborted, false);
  let stopped = false;
  const stop = supervisor.stop().then(() => {
    stopped = true;
  });
  await turn();
  assert.deepEqual([runs[0]?.signal?.aborted, stopped], [true, false]);
  await runs[0]?.end();
  await stop;
  supervisor.wake("one");
  await turn();
  assert.equal(runs.length, 1, "nor what was woken before");
  const logged = text().trim().split("\n");
  assert.equal(logged.length, 1, "to give up as told is no failure");
  assert.match(logged[0] ?? "", /"job":"fails"/);
});

test("a name is unique, and an unknown one wakes nothing", async () => {
  const supervisor = new Supervisor(silent);
  const { job, runs } = held();
  supervisor.start(job);
  assert.throws(() => supervisor.start(job), /two jobs named one/);
  supervisor.wake("nobody");
  assert.equal(runs.length, 0);
  await supervisor.stop();
});

test("a job that fails repeatedly is logged once a minute", async () => {
  const { log, text } = keptLog();
  const supervisor = new Supervisor(log);
  let runs = 0;
  const run = async () => {
    runs += 1;
    throw new Error("mine");
  };
  for (const name of ["one", "other"]) supervisor.start({ name, everyMs: 60_000, run });
  for (let i = 1; i <= 5; i += 1) {
    supervisor.wake("one");
    while (runs < i) await turn();
    await turn();
  }
  supervisor.wake("other");
  while (runs < 6) await turn();
  await supervisor.stop();
  const logged = text().trim().split("\n");
  assert.deepEqual(
    logged.map((line) => JSON.parse(line).job),
    ["one", "other"],
  );
});

test("the status of a job is that of its last run, and keeps the time of its last success", async () => {
  const { log } = keptLog();
  const supervisor = new Supervisor(log);
  let fails = false;
  const run = async () => {
    if (fails) throw new Error("mine");
  };
  supervisor.start({ name: "one", everyMs: 60_000, run });
  const status = () => supervisor.status()[0];
  assert.deepEqual(status(), { name: "one", everyMs: 60_000, succeededAt: null, failing: false });
  const before = Date.now();
  supervisor.wake("one");
  await turn();
  const succeededAt = status()?.succeededAt ?? 0;
  assert.ok(succeededAt >= before && succeededAt <= Date.now() && status()?.failing === false);
  fails = true;
  supervisor.wake("one");
  await turn();
  assert.deepEqual([status()?.succeededAt, status()?.failing], [succeededAt, true]);
  await supervisor.stop();
});
