import { GCProfiler } from "node:v8";
import type { Answered } from "../../test/support/clients.ts";

/** What a server has used of the machine. */
export interface Usage {
  /** Microseconds of CPU since its start, all threads. */
  cpu: number;
  /** Bytes allocated on the JavaScript heap since its start. Buffers and SQLite's memory are not in it. */
  allocated: number;
  /** Bytes resident. */
  resident: number;
}

/** What became of more requests than a server could answer. */
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
  /** Median microseconds of a page of 25 by offset, timed at the store. */
  pages: Record<number, number>;
  /** Lets go of the events that warm it up. */
  warm: undefined;
  /** Lets go of what was put into the outbox; the usage at that moment. */
  go: Usage;
  /** The usage once every attempt is written down. */
  settled: Usage;
  /** Has something happen that an event tells of; the moments before it, and when it was answered. */
  emit: { before: Moment; after: Moment };
  /** Signs a body and POSTs it, with nothing around it; the moment before it. */
  post: Moment;
  /** Microseconds of CPU of a write that emits, and of the same write without subscribers. */
  writes: { emitting: number; silent: number };
  /** Messages composed and handed over a second, all due at once; microseconds of CPU for one. */
  mails: { perSecond: number; cpuMicros: number };
  /** Steps of a full sequence taken a second, and the bytes resident before and after; ms of a run with nothing due. */
  steps: { perSecond: number; before: number; after: number; idleMs: number };
  /** Emails due at once, recorded, handed over and settled, a second; microseconds of CPU for one. */
  letters: { perSecond: number; cpuMicros: number };
  /** Signs the owner in: the cookie of the session, and where the pages of the workspace begin. */
  enter: { cookie: string; root: string };
  /** What clients were answered until the server was gone. */
  gone: Answered;
  /** Floods a server, as the arguments say. */
  flood: Flood;
  /** What the receiver was sent since it was last asked. */
  received: { count: number; first: Moment; last: Moment };
}

/** Microseconds on the machine's own clock, which all processes share. */
export type Moment = number;

export function moment(): Moment {
  return Number(process.hrtime.bigint() / 1_000n);
}

interface Served {
  port: number;
  /** All of them, where it listens on several. */
  ports?: readonly number[];
  close(): Promise<void> | void;
  answers?: { [Question in keyof Asks]?: () => Promise<Asks[Question]> | Asks[Question] };
}

/** Tells the bench that the server is ready, answers its questions, and ends with it. */
export function serve({ port, ports = [port], close, answers = {} }: Served): void {
  const end = async () => {
    await close();
    process.exit(0);
  };
  process.on("disconnect", () => void end());
  process.on("message", async ({ ask }: { ask: keyof Asks | "stop" }) => {
    if (ask === "stop") return end();
    process.send?.((await (answers[ask] ?? usage)()) ?? null);
  });
  process.send?.({ port, ports });
}

export function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, allocated: allocated(), resident: process.memoryUsage.rss() };
}

let collections = new GCProfiler();
let collected = 0;
collections.start();

/** What is on the heap, and what collections have taken from it. */
function allocated(): number {
  for (const { beforeGC, afterGC } of collections.stop().statistics) {
    collected += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
  }
  collections = new GCProfiler();
  collections.start();
  return collected + process.memoryUsage().heapUsed;
}
