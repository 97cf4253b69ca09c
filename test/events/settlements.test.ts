import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Settlements } from "../../src/workers/settlements.ts";
import { keptLog } from "../support/log.ts";
import { until } from "../support/until.ts";

test("attempts that can't be recorded are retried until they are, and logged once a minute", async () => {
  const { log, text } = keptLog();
  let failures = 5;
  const written: unknown[] = [];
  const settle = async (batch: readonly unknown[]) => {
    if (failures > 0) {
      failures -= 1;
      throw new Error("the disk is full");
    }
    written.push(...batch);
  };
  const settlements = new Settlements({ outbox: { settle, settleSoon: settle } as never }, log, () => ({
    all: 1,
    prompt: 1,
  }));
  await settlements.add({ seq: 1 } as never, false);
  assert.equal(failures, 0);
  assert.deepEqual(written, [{ seq: 1 }]);
  assert.equal(text().match(/attempts could not be recorded/g)?.length, 1);
});

test("while more are in flight, successes are only recorded, and settled together a moment later", async () => {
  const calls: unknown[] = [];
  const outbox = {
    settle: async (batch: { seq: number }[], recorded: { seq: number }[]) =>
      void calls.push(["settle", ...seqs(batch, recorded)]),
    settleSoon: async (batch: { seq: number }[], recorded: { seq: number }[]) =>
      void calls.push(["settleSoon", ...seqs(batch, recorded)]),
    record: async (batch: { seq: number }[]) => void calls.push(["record", seqs(batch)[0]]),
  };
  const seqs = (...lists: { seq: number }[][]) => lists.map((list) => list.map(({ seq }) => seq));
  let all = 2;
  const settlements = new Settlements({ outbox } as never, keptLog().log, () => ({ all, prompt: 1 }));
  const add = (seq: number, isUsual = true) => settlements.add({ seq, at: 1 } as never, isUsual);
  await add(1);
  for (const seq of [2, 3]) await add(seq);
  await add(4, false);
  await add(5);
  all = 1;
  await add(6);
  all = 2;
  await add(7);
  assert.deepEqual(calls.splice(0), [
    ["settle", [1], []],
    ["record", [2]],
    ["record", [3]],
    ["settleSoon", [4], [2, 3]],
    ["record", [5]],
    ["settleSoon", [6], [5]],
    ["record", [7]],
  ]);
  await until(() => calls.length > 0);
  assert.deepEqual(calls.splice(0), [["settle", [], [7]]]);
  await add(8);
  settlements.close();
  await settlements.settleRecorded();
  assert.deepEqual(calls, [
    ["record", [8]],
    ["settle", [], [8]],
  ]);
});

test("outcomes of prompt hosts wait until there are half of them, or for a millisecond, and share a transaction", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const recorded: number[][] = [];
  const outbox = {
    settle: async () => {},
    record: async (batch: { seq: number }[]) => void recorded.push(batch.map(({ seq }) => seq)),
  };
  const settlements = new Settlements({ outbox } as never, keptLog().log, () => ({ all: 20, prompt: 6 }));
  const add = (...seqs: number[]) => seqs.map((seq) => settlements.add({ seq, at: 1 } as never, true));
  // The first ones are settled, not recorded.
  await Promise.all(add(0, 0, 0));
  const first = add(1, 2);
  await turns();
  assert.deepEqual(recorded, []);
  // The fourth one comes in the same turn.
  await Promise.all([...first, ...add(3, 4)]);
  assert.deepEqual(recorded.splice(0), [[1, 2, 3, 4]]);
  const late = add(5);
  await turns();
  assert.deepEqual(recorded, []);
  t.mock.timers.tick(1);
  await Promise.all(late);
  assert.deepEqual(recorded, [[5]]);
  settlements.close();
  await settlements.settleRecorded();
});

async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await nextTurn();
}
