import assert from "node:assert/strict";
import { test } from "node:test";
import { Lanes } from "../../src/workers/lanes.ts";

interface Due {
  host: string;
  subscriptionSeq: number;
  subscription: { failedSince: number | null };
}

const due = (subscriptionSeq: number, host = "a.example", failedSince: number | null = null): Due => ({
  ...{ host, subscriptionSeq },
  subscription: { failedSince },
});

function lanesWith(...deliveries: readonly Due[]) {
  const lanes = new Lanes<Due>();
  const add = (delivery: Due, count = 1) => {
    for (let i = 0; i < count; i++) lanes.add(delivery);
  };
  for (const delivery of deliveries) add(delivery);
  /** All that may be sent now. */
  const drain = () => {
    const sent: Due[] = [];
    for (let next = lanes.next(); next !== undefined; next = lanes.next()) sent.push(next);
    return sent;
  };
  return { lanes, add, drain };
}

const times = (count: number, delivery: Due): Due[] => Array.from({ length: count }, () => delivery);

type Ended = boolean | undefined;
const WIDTHS: { of: string; failedSince?: number; ends: Ended[]; width: number }[] = [
  { of: "one of which nothing is known", ends: [], width: 4 },
  { of: "one that failed last", failedSince: 1, ends: [], width: 1 },
  { of: "one success", ends: [true], width: 8 },
  { of: "two successes", ends: [true, true], width: 16 },
  { of: "any more of them", ends: [true, true, true, true], width: 16 },
  { of: "a failure", ends: [false], width: 1 },
  { of: "a failure after successes", ends: [true, true, false], width: 1 },
  { of: "a second failure", ends: [false, false], width: 1 },
  { of: "a success after a failure", ends: [false, true], width: 2 },
  { of: "four successes after a failure", ends: [false, true, true, true, true], width: 16 },
  { of: "a failing one that succeeds", failedSince: 1, ends: [true], width: 2 },
  { of: "one that was not asked", ends: [undefined], width: 4 },
  { of: "one that was not asked after a failure", ends: [false, undefined], width: 1 },
  { of: "one that was not asked after a success", ends: [true, undefined], width: 8 },
];

test("an endpoint is sent as many at a time as it has shown itself fit for", () => {
  for (const { of, failedSince = null, ends, width } of WIDTHS) {
    const delivery = due(1, "a.example", failedSince);
    const { lanes, drain } = lanesWith(...times(40, delivery));
    for (const ended of ends) {
      assert.equal(lanes.next(), delivery);
      lanes.ended(delivery, ended);
    }
    assert.equal(drain().length, width, of);
  }
});

test("a host is sent 16 at a time, however many endpoints it has, and another one as many again", () => {
  const one = Array.from({ length: 10 }, (_, i) => times(4, due(i))).flat();
  const other = Array.from({ length: 10 }, (_, i) => times(4, due(100 + i, "b.example"))).flat();
  const { lanes, drain } = lanesWith(...one, ...other);
  const sent = drain();
  assert.equal(sent.filter(({ host }) => host === "a.example").length, 16);
  assert.equal(sent.filter(({ host }) => host === "b.example").length, 16);
  lanes.ended(sent[0] as Due, false);
  assert.equal(drain().length, 1, "the place of one that has ended is free");
});

test("hosts take turns, and endpoints of one host are sent in the order they came", () => {
  const [a, b, c] = [due(1), due(2, "b.example"), due(3, "c.example")];
  const { drain } = lanesWith(...times(3, a), ...times(2, b), c);
  assert.deepEqual(drain(), [a, b, c, a, b, a]);
  const [first, second] = [due(1), due(2)];
  const shared = lanesWith(...times(6, first), second);
  assert.deepEqual(shared.drain(), [...times(4, first), second], "past one that has its share already");
});

test("a host has room for eight rounds of its sixteen", () => {
  const { lanes, add } = lanesWith();
  assert.equal(lanes.room("a.example"), 128);
  for (let seq = 0; seq < 4; seq++) add(due(seq), 32);
  assert.deepEqual([lanes.room("a.example"), lanes.room("b.example"), lanes.size], [0, 128, 128]);
  const sent = lanes.next() as Due;
  assert.equal(lanes.room("a.example"), 0, "what is under way takes room too");
  lanes.ended(sent, true);
  assert.deepEqual([lanes.room("a.example"), lanes.size], [1, 127]);
});

const REACHES: { ends: Ended[]; reach: number }[] = [
  { ends: [], reach: 32 },
  { ends: [true], reach: 64 },
  { ends: [true, true, true], reach: 128 },
];

test("an endpoint is full at eight rounds of its width", () => {
  for (const { ends, reach } of REACHES) {
    const delivery = due(1);
    // One waits all the time, so that the endpoint is remembered.
    const { lanes, add } = lanesWith(delivery, ...ends.map(() => delivery));
    for (const ended of ends) lanes.ended(lanes.next() as Due, ended);
    add(delivery, reach - 2);
    assert.deepEqual(lanes.full(), []);
    const admits = lanes.admission();
    assert.deepEqual([admits(delivery), admits(delivery)], [true, false], `${reach}`);
    assert.equal(admits(due(2)), true, "for itself alone");
    assert.equal(lanes.admission()(delivery), true, "another claim begins anew");
    add(delivery);
    assert.deepEqual(lanes.full(), [1]);
  }
});

test("nothing waits behind the one POST that tries a failing endpoint out", () => {
  const failing = due(1, "a.example", 1);
  const admits = lanesWith().lanes.admission();
  assert.deepEqual([admits(failing), admits(failing)], [true, false]);
  assert.deepEqual(lanesWith(failing).lanes.full(), [1]);
  const { lanes } = lanesWith(due(2), due(2));
  lanes.ended(lanes.next() as Due, false);
  assert.deepEqual(lanes.full(), [2]);
});

test("nothing is remembered of an endpoint that has nothing under way", () => {
  const delivery = due(1);
  const { lanes, add, drain } = lanesWith(delivery);
  lanes.ended(lanes.next() as Due, false);
  assert.deepEqual([lanes.size, lanes.full(), lanes.room("a.example"), lanes.waiting()], [0, [], 128, []]);
  add(delivery, 40);
  assert.equal(drain().length, 4, "what the outbox says of it holds again");
});

test("what waits is all that was added and not sent", () => {
  const [a, b] = [due(1), due(2, "b.example")];
  const { lanes } = lanesWith(a, b, b);
  assert.equal(lanes.next(), a);
  assert.deepEqual(lanes.waiting(), [b, b]);
  lanes.ended(a, true);
  assert.equal(lanes.size, 2);
});
