import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { GCProfiler } from "node:v8";
import { limitHeapGrowth } from "../../src/lib/heap.ts";
import type { Answered } from "../../test/support/clients.ts";

/** Resources that a server has used. */
export interface Usage {
  /** Microseconds of CPU since its start, all threads. */
  cpu: number;
  /** Bytes allocated on the JavaScript heap since its start, without buffers and SQLite's memory. */
  allocated: number;
  /** Resident bytes. */
  resident: number;
}

/** Results of sending more requests than a server can answer. */
export interface Flood {
  /** Requests that fell due. */
  offered: number;
  /** Requests that fell due while every connection was busy, and were never sent. */
  unsent: number;
  accepted: number;
  refused: number;
  /** Connections that the server closed or never took. */
  dropped: number;
  unanswered: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

/** The questions that the bench asks a server, and their answers. */
export interface Asks {
  usage: Usage;
  /** Starts a CPU profile. */
  profile: undefined;
  /** Ends it. */
  profiled: Profiler.Profile;
  /** Median microseconds of a page of 25 by offset, timed at the store. */
  pages: Record<number, number>;
  /** Releases the warm-up events. */
  warm: undefined;
  /** Releases the outbox; returns the usage at that moment. */
  go: Usage;
  /** The usage once every attempt is recorded. */
  settled: Usage;
  /** Triggers an event; returns the times before the trigger and when it was answered. */
  emit: { before: Moment; after: Moment };
  /** Signs a body and POSTs it, without anything else; returns the time before. */
  post: Moment;
  /** Microseconds of CPU of a write that emits, and of the same write without subscribers. */
  writes: { emitting: number; silent: number };
  /** Messages composed and handed over a second, all due at once; microseconds of CPU for one. */
  mails: { perSecond: number; cpuMicros: number };
  /** Steps of a full sequence taken a second, and the bytes resident before and after; ms of a run with nothing due. */
  steps: { perSecond: number; before: number; after: number; idleMs: number };
  /** Emails due at once, recorded, handed over and settled, a second; microseconds of CPU for one. */
  letters: { perSecond: number; cpuMicros: number };
  /** Signs the owner in; returns the session cookie and the path of the workspace's pages. */
  enter: { cookie: string; root: string };
  /** The answers that clients got until the server was gone. */
  gone: Answered;
  /** Floods a server as given by the arguments. */
  flood: Flood;
  /** The requests that the receiver got since the last question. */
  received: { count: number; first: Moment; last: Moment };
}

/** Microseconds on the machine's own clock, which all processes share. */
export type Moment = number;

export function moment(): Moment {
  return Number(process.hrtime.bigint() / 1_000n);
}

interface Served {
  port: number;
  /** All ports, if it listens on several. */
  ports?: readonly number[];
  close(): Promise<void> | void;
  answers?: { [Question in keyof Asks]?: () => Promise<Asks[Question]> | Asks[Question] };
}

/** Tells the bench that the server is ready, answers its questions, and ends with it. */
export function serve({ port, ports = [port], close, answers = {} }: Served): void {
  limitHeapGrowth();
  const end = async () => {
    await close();
    process.exit(0);
  };
  process.on("disconnect", () => void end());
  process.on("message", async ({ ask }: { ask: keyof Asks | "stop" }) => {
    if (ask === "stop") return end();
    process.send?.((await (answers[ask] ?? ANSWERS[ask] ?? usage)()) ?? null);
  });
  process.send?.({ port, ports });
}

const profiler = new Session();

/** What every server answers. */
const ANSWERS: Served["answers"] & object = {
  async profile() {
    profiler.connect();
    await profiler.post("Profiler.enable");
    await profiler.post("Profiler.start");
    return undefined;
  },
  async profiled() {
    const { profile } = await profiler.post("Profiler.stop");
    profiler.disconnect();
    return profile;
  },
};

export function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, allocated: allocated(), resident: process.memoryUsage.rss() };
}

let collections = new GCProfiler();
let collected = 0;
collections.start();

/** Heap use, and the time spent in collections. */
function allocated(): number {
  for (const { beforeGC, afterGC } of collections.stop().statistics) {
    collected += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
  }
  collections = new GCProfiler();
  collections.start();
  return collected + process.memoryUsage().heapUsed;
}
