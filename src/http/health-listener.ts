import { Worker } from "node:worker_threads";
import { UNAVAILABLE_SECONDS } from "../core/problem.ts";
import { packageFile } from "../lib/package.ts";
import type { Readiness, ReadReadiness } from "./health.ts";
import { VALID_REQUEST_ID } from "./json.ts";
import { urlOf } from "./server-url-file.ts";

/** How often the server says that it is alive. */
const BEAT_MS = 250;
/** How often it says whether it is ready. While writes fail, each time tries a small one. */
const PUBLISH_MS = 1_000;
/** A server that has been busy for this long gets no new work. */
const NOT_READY_MS = 2_000;
/** A server that has been busy for this long will hardly recover: an orchestrator should restart it. */
const STUCK_MS = 30_000;

export interface HealthListener {
  /** Where /healthz and /readyz are. */
  url: string;
  /** Publishes the readiness now, not a second later. */
  publish(): Promise<void>;
  close(): Promise<void>;
}

/** What the thread is started with. Each message to it is a `Readiness`. */
export interface HealthThread {
  /** When the server's event loop was last alive, in nanoseconds of the monotonic clock. */
  memory: SharedArrayBuffer;
  host: string;
  port: number;
  notReadyMs: number;
  stuckMs: number;
  /** What a 503 says, in seconds. */
  retryAfter: number;
  /** Which X-Request-Id of a caller is sent back. */
  validId: RegExp;
  /** Until the first message. */
  readiness: Readiness;
}

/**
 * Serves `/healthz` and `/readyz` on a port of their own, from a worker thread: it answers while the server's event loop
 * is busy, and says so when that is stuck. Undefined if no port is set.
 */
export async function serveHealth(
  port: number | undefined,
  host: string,
  readiness: ReadReadiness,
): Promise<HealthListener | undefined> {
  if (port === undefined) return undefined;
  const memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const lastBeat = new BigInt64Array(memory);
  const beat = () => Atomics.store(lastBeat, 0, process.hrtime.bigint());
  beat();
  const workerData: HealthThread = {
    memory,
    host,
    port,
    notReadyMs: NOT_READY_MS,
    stuckMs: STUCK_MS,
    retryAfter: UNAVAILABLE_SECONDS,
    validId: VALID_REQUEST_ID,
    readiness: { status: 503, text: "starting" },
  };
  const thread = new Worker(packageFile("src/http/health-thread.js"), {
    workerData,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  const bound = await listening(thread).catch(async (error) => {
    await thread.terminate();
    throw error;
  });
  // The server keeps the process alive, not its health.
  thread.unref();
  const publish = async () => thread.postMessage(await readiness());
  const timers = [setInterval(beat, BEAT_MS).unref(), setInterval(() => void publish(), PUBLISH_MS).unref()];
  return {
    url: urlOf(host, bound),
    publish,
    async close() {
      for (const timer of timers) clearInterval(timer);
      await thread.terminate();
    },
  };
}

type Started = { port: number } | { error: Pick<NodeJS.ErrnoException, "message" | "code" | "syscall"> };

/** @throws the thread's own error, where it cannot listen */
function listening(thread: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    thread.once("error", reject);
    thread.once("message", (started: Started) => {
      thread.off("error", reject);
      if ("port" in started) resolve(started.port);
      else reject(Object.assign(new Error(started.error.message), started.error));
    });
  });
}
