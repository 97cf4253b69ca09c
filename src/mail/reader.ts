import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { SECOND_MS } from "../lib/time.ts";
import type { Incoming } from "./heading.ts";

/** Reading a message of a mebibyte takes a tenth of this. */
const MAX_READING_MS = 10 * SECOND_MS;
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** How long an idle thread stays, for the next message of several. */
const IDLE_MS = 10 * SECOND_MS;

const TASK = "rostrum: read mail";

/**
 * Reads messages in a thread of its own, one at a time, in bounded time and memory: strangers write them, and parsing
 * one must not stall the server.
 */
export class MailReader {
  readonly #maxMs: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(maxMs = MAX_READING_MS) {
    this.#maxMs = maxMs;
  }

  /** Undefined where reading takes too long or too much memory, or fails. */
  async read(source: Uint8Array): Promise<Incoming | undefined> {
    clearTimeout(this.#idle);
    this.#worker ??= startThread();
    const worker = this.#worker;
    let late: NodeJS.Timeout | undefined;
    const incoming = await new Promise<Incoming | undefined>((resolve) => {
      late = setTimeout(() => resolve(undefined), this.#maxMs);
      worker.once("message", resolve);
      worker.once("error", () => resolve(undefined));
      worker.once("exit", () => resolve(undefined));
      worker.postMessage(source);
    });
    clearTimeout(late);
    for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
    if (incoming === undefined) await this.close();
    else this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
    return incoming;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    // It may fail while it ends.
    worker?.on("error", () => undefined);
    await worker?.terminate();
  }
}

function startThread(): Worker {
  const options = { workerData: TASK, resourceLimits: MEMORY };
  const here = new URL(import.meta.url);
  const worker = here.pathname.endsWith(".ts")
    ? new Worker(fromSource(here), { ...options, eval: true })
    : new Worker(here, options);
  worker.unref();
  return worker;
}

/** In development: a thread does not inherit what lets this one load TypeScript. */
function fromSource({ href }: URL): string {
  return `import("tsx/esm/api").then(({ register }) => { register(); return import(${JSON.stringify(href)}); });`;
}

// The thread runs this module.
if (!isMainThread && workerData === TASK) {
  const { readIncoming } = await import("./incoming.ts");
  parentPort?.on("message", async (source: Uint8Array) => parentPort?.postMessage(await readIncoming(source)));
}
