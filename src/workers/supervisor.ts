import type { JobStatus } from "../core/server-probe.ts";
import { createThrottle, type Log } from "../lib/log.ts";

/** A job that a worker repeats. */
export interface Job {
  name: string;
  /** From the start of one run to the start of the next, in ms. */
  everyMs: number;
  /** The signal is aborted when the server stops: work that can wait is left for the next start. */
  run(signal?: AbortSignal): Promise<void>;
}

interface Kept {
  job: Job;
  /** When its last run without an error ended, by the clock of the machine. */
  succeededAt: number | null;
  failing: boolean;
  timer?: NodeJS.Timeout;
  running?: { abort: AbortController; ended: Promise<void> };
  /** Woken while it ran. */
  again: boolean;
}

/**
 * Repeats jobs until it is stopped. A job never overlaps itself: a time that falls into its run is left out. One
 * that fails is logged and tried again at its next time, and none keeps the process alive.
 */
export class Supervisor {
  readonly #log: Log;
  readonly #kept = new Map<string, Kept>();
  readonly #throttle = createThrottle();
  #stopped = false;

  constructor(log: Log) {
    this.#log = log;
  }

  start(job: Job): void {
    if (this.#kept.has(job.name)) throw new Error(`There are two jobs named ${job.name}.`);
    const kept: Kept = { job, succeededAt: null, failing: false, again: false };
    this.#kept.set(job.name, kept);
    this.#await(kept);
  }

  /** Runs the job now, or once more right after its present run. One that was not started stays stopped. */
  wake(name: string): void {
    const kept = this.#kept.get(name);
    if (kept === undefined) return;
    if (kept.running === undefined) this.#begin(kept);
    else kept.again = true;
  }

  status(): JobStatus[] {
    return [...this.#kept.values()].map(({ job: { name, everyMs }, succeededAt, failing }) => ({
      name,
      everyMs,
      succeededAt,
      failing,
    }));
  }

  /** Starts nothing more, signals running jobs to end, and waits for them. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { timer } of this.#kept.values()) clearTimeout(timer);
    const running = [...this.#kept.values()].flatMap((kept) => kept.running ?? []);
    for (const { abort } of running) abort.abort();
    await Promise.all(running.map(({ ended }) => ended));
  }

  /** The next time is counted from now. */
  #await(kept: Kept): void {
    clearTimeout(kept.timer);
    if (this.#stopped) return;
    kept.timer = setTimeout(() => {
      if (kept.running === undefined) this.#begin(kept);
      else this.#await(kept);
    }, kept.job.everyMs);
    kept.timer.unref();
  }

  #begin(kept: Kept): void {
    if (this.#stopped) return;
    this.#await(kept);
    kept.again = false;
    const running = { abort: new AbortController(), ended: Promise.resolve() };
    kept.running = running;
    running.ended = this.#attempt(kept.job, running.abort.signal).then((succeeded) => {
      kept.failing = !succeeded;
      if (succeeded) kept.succeededAt = Date.now();
      delete kept.running;
      if (kept.again) this.#begin(kept);
    });
  }

  async #attempt(job: Job, signal: AbortSignal): Promise<boolean> {
    try {
      await job.run(signal);
      return true;
    } catch (error) {
      if (signal.aborted && error instanceof Error && error.name === "AbortError") return true;
      const message = "a background job failed; it will be tried again";
      this.#throttle(job.name, (left) => this.#log.error({ err: error, job: job.name, ...left }, message));
      return false;
    }
  }
}
