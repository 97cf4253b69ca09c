import assert from "node:assert/strict";
import { test } from "node:test";
import { HostQueues } from "../../src/workers/host-queues.ts";

interface Due {
  host: string;
  subscriptionSeq: number;
  subscription: { failedSince: number | null };
}

const due = (subscriptionSeq: number, host = "a.example", failedSince: number | null = null): Due => ({
  host,
  subscriptionSeq,
  subscription: { failedSince },
});

function queuesWith(...deliveries: readonly Due[]) {
  const queues = new HostQueues<Due>();
  const add = (delivery: Due, count = 1) => {
    for (let i = 0; i < count; i++) queues.add(delivery);
  };
  for (const delivery of deliveries) add(delivery);
  /** Everything that can be sent now. */
  const drain = () => {
    const sent: Due[] = [];
    for (let next = queues.next(); next !== undefined; next = queues.next()) sent.push(next);
    return sent;
  };
  return { queues, add, drain };
}

const times = (count: number, delivery: Due): Due[] => Array.from({ length: count }, () => delivery);

type Ended = boolean | undefined;
const WIDTHS: { of: string; failedSince?: number; ends: Ended[]; width: number }[] = [
  { of: "one of which nothing is known", ends: [], width: 4 },
  { of: "one that failed last", failedSince: 1, ends: [], width: 1 },
  { of: "one success", ends: [true], width: 8 },
  { of: "two successes", ends: [true, true], width: 15 },
  { of: "any more of them", ends: [true, true, true, true], width: 15 },
  { of: "a failure", ends: [false], width: 1 },
  { of: "a failure after successes", ends: [true, true, false], width: 1 },
  { of: "a second failure", ends: [false, false], width: 1 },
  { of: "a success after a failure", ends: [false, true], width: 2 },
  { of: "four successes after a failure", ends: [false, true, true, true, true], width: 15 },
  { of: "a failing one that succeeds", failedSince: 1, ends: [true], width: 2 },
  { of: "one that was not asked", ends: [undefined], width: 4 },
  { of: "one that was not asked after a failure", ends: [false, undefined], width: 1 },
  { of: "one that was not asked after a success", ends: [true, undefined], width: 8 },
];

test("an endpoint gets as many parallel requests as it has proven to handle", () => {
  for (const { of, failedSince = null, ends, width } of WIDTHS) {
    const delivery = due(1, "a.example", failedSince);
    const { queues, drain } = queuesWith(...times(40, delivery));
    for (const ended of ends) {
      assert.equal(queues.next(), delivery);
      queues.ended(delivery, ended);
    }
    assert.equal(drain().length, width, of);
  }
});

/** Deliveries of ten endpoints of a host, four each. */
const manyOf = (host: string, failedSince: number | null = null) =>
  Array.from({ length: 10 }, (_, i) => times(4, due(host.charCodeAt(0) * 100 + i, host, failedSince))).flat();

const SLOW_MS = 400;

test("a slow host gets 15 requests at a time, however many endpoints it has, and another host as many", () => {
  const { queues, drain } = queuesWith(...manyOf("a.example"), ...manyOf("b.example"));
  for (const host of ["a.example", "b.example"]) {
    const asked = queues.next() as Due;
    assert.equal(asked.host, host);
    queues.ended(asked, true, SLOW_MS);
  }
  const sent = drain();
  assert.equal(sent.filter(({ host }) => host === "a.example").length, 15);
  assert.equal(sent.filter(({ host }) => host === "b.example").length, 15);
  queues.ended(sent[0] as Due, false, SLOW_MS);
  assert.equal(drain().length, 1, "the place of one that has ended is free");
});

test("fast hosts together get 15 requests at a time, and take no slot from slow ones", () => {
  const { queues, add, drain } = queuesWith(...manyOf("a.example"), ...manyOf("b.example"), ...manyOf("c.example"));
  const sent = drain();
  assert.deepEqual(
    ["a.example", "b.example", "c.example"].map((name) => sent.filter(({ host }) => host === name).length),
    [5, 5, 5],
  );
  queues.ended(sent[0] as Due, true, 3);
  assert.equal(drain().length, 1, "the place of one that is recorded is free");
  for (const delivery of manyOf("d.example", 1)) add(delivery);
  assert.equal(drain().length, 10, "an endpoint that failed last takes no place: each has its one POST");
});

test("of fast hosts, one that takes longer than others gets no more slots than its share while those have work", () => {
  const { queues, drain } = queuesWith(...manyOf("a.example"), ...manyOf("b.example"), ...manyOf("c.example"));
  const isOthers = ({ host }: Due) => host !== "a.example";
  let inFlight = drain().filter(isOthers);
  for (let round = 0; round < 6; round++) {
    assert.equal(inFlight.length, 10);
    for (const delivery of inFlight) queues.ended(delivery, true, 2);
    inFlight = drain();
    assert.ok(inFlight.every(isOthers), `${round}`);
  }
  for (const delivery of inFlight) queues.ended(delivery, true, 2);
  for (const delivery of drain().filter(isOthers)) queues.ended(delivery, true, 2);
  drain();
  assert.equal(queues.inDoubt, 15, "what the others don't need is free for it");
});

test("a host that hangs frees its slots after a while, and takes none until it has responded quickly", () => {
  const { queues, add, drain } = queuesWith(...manyOf("h.example"));
  const hanging = drain();
  assert.equal(hanging.length, 15);
  for (const delivery of manyOf("p.example")) add(delivery);
  assert.deepEqual(drain(), []);
  const ticks = Array.from({ length: 7 }, () => queues.tick());
  assert.deepEqual(ticks, [...Array(6).fill(false), true]);
  assert.deepEqual(
    drain().map(({ host }) => host),
    Array(15).fill("p.example"),
  );
  queues.ended(hanging[0] as Due, false, 10_000);
  assert.deepEqual(
    drain().map(({ host }) => host),
    ["h.example"],
    "slow, beside the prompt ones",
  );
  queues.ended(hanging[1] as Due, true, 2);
  assert.deepEqual(drain(), [], "prompt again: it waits for a place among them");
});

test("one late response of a fast host changes nothing; a host that stays slow counts as slow", () => {
  const waits = due(1);
  const { queues, add, drain } = queuesWith(waits);
  const answer = (answeredMs: number) => {
    add(waits);
    queues.ended(queues.next() as Due, true, answeredMs);
  };
  const other = manyOf("b.example");
  answer(3);
  answer(900);
  // Four slots are left to others while this host uses eleven of its own.
  add(waits, 10);
  assert.equal(drain().length, 11);
  for (const delivery of other) add(delivery);
  assert.equal(drain().length, 4);
  for (let i = 0; i < 11; i++) queues.ended(waits, true, 900);
  for (let i = 0; i < 150; i++) answer(900);
  add(waits, 15);
  assert.ok(drain().length > 11, "its POSTs take no place any more");
});

test("deliveries that wait for a slow host do not count as sent soon", () => {
  const { queues } = queuesWith(...times(3, due(1)), ...times(2, due(2, "b.example")));
  assert.equal(queues.waitingPromptly, 5);
  const asked = queues.next() as Due;
  assert.equal(queues.waitingPromptly, 4, "nor what is in flight");
  queues.ended(asked, true, SLOW_MS);
  assert.equal(queues.waitingPromptly, 2);
});

test("hosts take turns, and endpoints of one host are sent in order of arrival", () => {
  const [a, b, c] = [due(1), due(2, "b.example"), due(3, "c.example")];
  const { drain } = queuesWith(...times(3, a), ...times(2, b), c);
  assert.deepEqual(drain(), [a, b, c, a, b, a]);
  const [first, second] = [due(1), due(2)];
  const shared = queuesWith(...times(6, first), second);
  assert.deepEqual(shared.drain(), [...times(4, first), second], "past one that has its share already");
});

test("a host's queue is full at four rounds of its fifteen", () => {
  const { queues, add } = queuesWith();
  assert.equal(queues.room("a.example"), 60);
  for (let seq = 0; seq < 4; seq++) add(due(seq), 15);
  assert.deepEqual([queues.room("a.example"), queues.room("b.example"), queues.size], [0, 60, 60]);
  const sent = queues.next() as Due;
  assert.equal(queues.room("a.example"), 0, "what is under way takes room too");
  queues.ended(sent, true);
  assert.deepEqual([queues.room("a.example"), queues.size], [1, 59]);
});

const REACHES: { ends: Ended[]; reach: number }[] = [
  { ends: [], reach: 16 },
  { ends: [true], reach: 32 },
  { ends: [true, true, true], reach: 60 },
];

test("an endpoint's queue is full at four rounds of its width", () => {
  for (const { ends, reach } of REACHES) {
    const delivery = due(1);
    // One always waits, so that the endpoint is remembered.
    const { queues, add } = queuesWith(delivery, ...ends.map(() => delivery));
    for (const ended of ends) queues.ended(queues.next() as Due, ended);
    add(delivery, reach - 2);
    assert.deepEqual(queues.full(), []);
    const admits = queues.admission();
    assert.deepEqual([admits(delivery), admits(delivery)], [true, false], `${reach}`);
    assert.equal(admits(due(2)), true, "for itself alone");
    assert.equal(queues.admission()(delivery), true, "another claim begins anew");
    add(delivery);
    assert.deepEqual(queues.full(), [1]);
  }
});

test("nothing waits behind the one POST that probes a failing endpoint", () => {
  const failing = due(1, "a.example", 1);
  const admits = queuesWith().queues.admission();
  assert.deepEqual([admits(failing), admits(failing)], [true, false]);
  assert.deepEqual(queuesWith(failing).queues.full(), [1]);
  const { queues } = queuesWith(due(2), due(2));
  queues.ended(queues.next() as Due, false);
  assert.deepEqual(queues.full(), [2]);
});

test("nothing is stored about an endpoint without work in progress", () => {
  const delivery = due(1);
  const { queues, add, drain } = queuesWith(delivery);
  queues.ended(queues.next() as Due, false);
  assert.deepEqual([queues.size, queues.full(), queues.room("a.example"), queues.waiting()], [0, [], 60, []]);
  add(delivery, 40);
  assert.equal(drain().length, 4, "what the outbox says of it holds again");
});

test("the queue is exactly what was added and not sent", () => {
  const [a, b] = [due(1), due(2, "b.example")];
  const { queues } = queuesWith(a, b, b);
  assert.equal(queues.next(), a);
  assert.deepEqual(queues.waiting(), [b, b]);
  queues.ended(a, true);
  assert.equal(queues.size, 2);
});
