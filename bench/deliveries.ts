import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RESULTS } from "./build.ts";
import { Child } from "./child.ts";
import { figure, median, percentile } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";

export interface DeliveryPace {
  rounds: number;
  events: number;
  /** Emits and plain POSTs per round, one at a time on an idle server. */
  idle: number;
}

/** POSTs in flight at a time, and endpoints, each at its own host. */
const AT_A_TIME = 50;
const ENDPOINTS = 10;
const TIMES_FASTER = 5;
const IDLE_P99_BELOW_MS = 50;
/** Pause between two emits, longer than any work left by the last one. */
const IDLE_MS = 20;
/** Events before the measured ones: to a full outbox, and one at a time. */
const WARM_UP = 10_000;
const IDLE_WARM_UP = 10;

const SENDERS = { rostrum: "rostrum-deliveries", "fetch, a commit each": "floor-deliveries" } as const;
type Sender = keyof typeof SENDERS;

interface Drained {
  perSecond: number;
  cpuMicros: number;
}

/** What each sender reached, with the first one's throughput to its own. */
export type DrainedBy<Name extends string> = Record<Name, Drained & { ratio: number }>;

export interface DeliveryFigures {
  drained: DrainedBy<Sender>;
  idle: Record<Leg, Latency>;
  writes: { emitting: number; silent: number };
}

/** `whole` begins before the operation that emits, `sent` at its commit: until then there is no event. */
const LEGS = ["whole", "answered", "sent", "bare"] as const;
type Leg = (typeof LEGS)[number];

interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/** How fast the outbox is emptied compared with its floor, how soon an event arrives on an idle server, and its cost. */
export async function measureDeliveries(pace: DeliveryPace, profiles: string | undefined): Promise<DeliveryFigures> {
  const receiver = await Child.start("receiver", [String(ENDPOINTS)]);
  const start = (sender: Sender, events: number) =>
    startSender(SENDERS[sender], receiver, events, { profiles: profiles && join(profiles, SENDERS[sender]) });
  try {
    const drained = await drainInTurns(receiver, pace, {
      rostrum: (events) => start("rostrum", events),
      "fetch, a commit each": (events) => start("fetch, a commit each", events),
    });
    const child = await start("rostrum", 0);
    const idle = await idleLatency(child, receiver, pace);
    const writes = await child.ask("writes");
    await child.stop();
    return { drained, idle, writes };
  } finally {
    await receiver.stop();
  }
}

/** The same outbox on PostgreSQL and on SQLite. */
export async function compareDeliveries(
  pace: DeliveryPace,
  newDatabase: () => Promise<string>,
): Promise<DrainedBy<"postgres" | "sqlite">> {
  const receiver = await Child.start("receiver", [String(ENDPOINTS)]);
  try {
    return await drainInTurns(receiver, pace, {
      postgres: async (events) => startSender(SENDERS.rostrum, receiver, events, { url: await newDatabase() }),
      sqlite: (events) => startSender(SENDERS.rostrum, receiver, events),
    });
  } finally {
    await receiver.stop();
  }
}

/** A server in a new data folder, whose outbox has so many events after those to warm it up. */
function startSender(
  script: string,
  receiver: Child,
  events: number,
  { url = "", profiles }: { url?: string; profiles?: string | undefined } = {},
): Promise<Child> {
  const folder = join(RESULTS, "work", `deliveries-${script}`);
  for (const used of [folder, `${folder}-writes`]) rmSync(used, { recursive: true, force: true });
  // The idle server starts with an empty outbox.
  const counts = [events > 0 ? WARM_UP : 0, events, AT_A_TIME].map(String);
  return Child.start(script, [folder, ...counts, receiver.ports.join(), url], profiles);
}

async function drainInTurns<Name extends string>(
  receiver: Child,
  pace: DeliveryPace,
  starts: Record<Name, (events: number) => Promise<Child>>,
): Promise<DrainedBy<Name>> {
  const senders = Object.keys(starts) as Name[];
  const rounds = new Map<Name, Drained[]>(senders.map((sender) => [sender, []]));
  for (let round = 0; round < pace.rounds; round++) {
    for (const sender of round % 2 === 0 ? senders : senders.toReversed()) {
      const child = await starts[sender](pace.events);
      rounds.get(sender)?.push(await drain(child, receiver, pace.events));
      await child.stop();
    }
  }
  const [first] = senders.map((sender) => rounds.get(sender) as Drained[]);
  return Object.fromEntries(
    senders.map((sender) => {
      const runs = rounds.get(sender) as Drained[];
      const ratios = runs.map(({ perSecond }, i) => (first?.[i]?.perSecond ?? 0) / perSecond);
      const of = (name: keyof Drained) => median(runs.map((run) => run[name]));
      return [sender, { perSecond: of("perSecond"), cpuMicros: of("cpuMicros"), ratio: median(ratios) }];
    }),
  ) as DrainedBy<Name>;
}

async function drain(child: Child, receiver: Child, events: number): Promise<Drained> {
  await child.ask("warm");
  await child.ask("settled");
  await receiver.ask("received");
  const before = await child.ask("go");
  const after = await child.ask("settled");
  const { count, first, last } = await receiver.ask("received");
  if (count !== events) throw new Error(`${events} events were put into the outbox, ${count} were received.`);
  return { perSecond: (count / (last - first)) * 1e6, cpuMicros: (after.cpu - before.cpu) / count };
}

/** Samples of all rounds together: the 99th percentile is over all of them. */
async function idleLatency(child: Child, receiver: Child, pace: DeliveryPace): Promise<DeliveryFigures["idle"]> {
  await idleSamples(child, receiver, IDLE_WARM_UP);
  const taken = await idleSamples(child, receiver, pace.rounds * pace.idle);
  return Object.fromEntries(LEGS.map((leg) => [leg, latencyOf(taken[leg])])) as DeliveryFigures["idle"];
}

async function idleSamples(child: Child, receiver: Child, samples: number): Promise<Record<Leg, number[]>> {
  const taken: Record<Leg, number[]> = { whole: [], answered: [], sent: [], bare: [] };
  const receipt = async () => {
    let received = await receiver.ask("received");
    while (received.count === 0) received = await receiver.ask("received");
    await sleep(IDLE_MS);
    return received.last;
  };
  await receiver.ask("received");
  for (let i = 0; i < samples; i++) {
    const { before, after } = await child.ask("emit");
    const received = await receipt();
    taken.whole.push((received - before) / 1_000);
    taken.answered.push((after - before) / 1_000);
    taken.sent.push((received - after) / 1_000);
    const posted = await child.ask("post");
    taken.bare.push(((await receipt()) - posted) / 1_000);
  }
  return taken;
}

function latencyOf(samples: number[]): Latency {
  const sorted = samples.sort((a, b) => a - b);
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
}

export function deliveriesTable({ drained, idle, writes }: DeliveryFigures): string {
  const blank = ["", ""];
  return markdown(
    ["Deliveries", "Server", "Per second", "CPU µs", "p50 ms", "p99 ms"],
    [
      ...(Object.keys(drained) as Sender[]).map((sender, i) => [
        i === 0 ? `To ${ENDPOINTS} endpoints` : "",
        sender,
        figure(drained[sender].perSecond),
        figure(drained[sender].cpuMicros),
        ...blank,
      ]),
      ["From emit to receipt, idle", "rostrum", ...blank, figure(idle.sent.p50Ms), figure(idle.sent.p99Ms)],
      ["", "the operation that emits", ...blank, figure(idle.answered.p50Ms), figure(idle.answered.p99Ms)],
      ["", "operation and delivery", ...blank, figure(idle.whole.p50Ms), figure(idle.whole.p99Ms)],
      ["", "a bare signed POST", ...blank, figure(idle.bare.p50Ms), figure(idle.bare.p99Ms)],
      ["An operation that emits", "rostrum", "", figure(writes.emitting), ...blank],
      ["The same without subscriptions", "rostrum", "", figure(writes.silent), ...blank],
    ],
  );
}

export function deliveryVerdicts({ drained, idle }: DeliveryFigures): Verdict[] {
  const { ratio } = drained["fetch, a commit each"];
  const { sent, whole, bare } = idle;
  return [
    {
      what: "Deliveries per second",
      found: `${figure(ratio)} × fetch, a commit each`,
      target: `at least ${figure(TIMES_FASTER)}`,
      met: ratio >= TIMES_FASTER,
    },
    {
      what: "From emit to receipt, idle, p99",
      found: `${figure(sent.p99Ms)} ms (${figure(sent.p99Ms / bare.p99Ms)} × a bare signed POST), ${figure(whole.p99Ms)} ms with the emitting operation`,
      target: `below ${figure(IDLE_P99_BELOW_MS)} ms`,
      met: sent.p99Ms < IDLE_P99_BELOW_MS,
    },
  ];
}
