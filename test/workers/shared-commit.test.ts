import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedCommit } from "../../src/workers/shared-commit.ts";

function observed(commit: SharedCommit) {
  const ended: string[] = [];
  return {
    ended,
    handOver: (name: string) => commit.handOver().then(() => ended.push(name)),
    outcome: (name: string) => commit.outcome().then(() => ended.push(name)),
  };
}

test("hand-overs wait to share a commit, and outcomes wait for them", async () => {
  const { ended, handOver, outcome } = observed(new SharedCommit(() => 3));
  const waiting = [handOver("a"), outcome("b"), handOver("c")];
  await Promise.resolve();
  assert.deepEqual(ended, []);
  waiting.push(handOver("d"));
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(ended, ["a", "b", "c", "d"]);
  await Promise.all(waiting);
});

test("a single connection does not wait, and no outcome waits for a hand-over that is not prepared", async () => {
  let busy = 1;
  const { ended, handOver, outcome } = observed(new SharedCommit(() => busy));
  const first = handOver("a");
  await first;
  busy = 0;
  await outcome("b");
  assert.deepEqual(ended, ["a", "b"]);
});

test("the wait ends by itself, and the next one starts empty", async () => {
  const { ended, handOver } = observed(new SharedCommit(() => 2));
  await handOver("a");
  const second = handOver("b");
  await Promise.resolve();
  assert.deepEqual(ended, ["a"]);
  await Promise.all([second, handOver("c")]);
  assert.deepEqual(ended, ["a", "b", "c"]);
});
