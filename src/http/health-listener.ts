import { Worker } from "node:worker_threads";
import { packageFile } from "../lib/package.ts";
import { READINESS, type Readiness } from "./health.ts";
import { urlOf } from "./server-url-file.ts";

/** How often the server says that it is alive and whether it is ready. */
const BEAT_MS = 250;
/** A server that has been busy for this long gets no new work. */
const NOT_READY_MS = 2_000;
/** A server that has been busy for this long will hardly recover: an orchestrator should restart it. */
const STUCK_MS = 30_000;

export interface HealthListener {
  /** Where /healthz and /readyz are. */
  url: string;
  /** Publishes the readiness now, not at the next beat. */
  beat(): Promise<void>;
  close(): Promise<void>;
}

/** What the thread is started with. */
export interface HealthThread {
  /** When the server was last alive, in nanoseconds of the monotonic clock, and the index of its readiness. */
  memory: SharedArrayBuffer;
  host: string;
  port: number;
  notReadyMs: number;
  stuckMs: number;
  readiness: readonly (readonly [status: number, text: string])[];
}

/**
 * Serves `/healthz` and `/readyz` on a port of their own, from a worker thread: it answers while the server's event loop
 * is busy, and says so when that is stuck. Undefined if no port is set.
 */
export async function serveHealth(
  port: number | undefined,
  host: string,
  read: () => Promise<Readiness>,
): Promise<HealthListener | undefined> {
  if (port === undefined) return undefined;
  const names = Object.keys(READINESS);
  const memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
  const shared = new BigInt64Array(memory);
  const publish = (readiness: Readiness) => {
    Atomics.store(shared, 1, BigInt(names.indexOf(readiness)));
    Atomics.store(shared, 0, process.hrtime.bigint());
  };
  publish("starting");
  const workerData: HealthThread = {
    memory,
    host,
    port,
    notReadyMs: NOT_READY_MS,
    stuckMs: STUCK_MS,
    readiness: Object.values(READINESS),
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
  const beat = async () => publish(await read());
  const beating = setInterval(() => void beat(), BEAT_MS).unref();
  return {
    url: urlOf(host, bound),
    beat,
    async close() {
      clearInterval(beating);
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
