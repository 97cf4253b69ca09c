import type { Log } from "../log.ts";

/** A job that a worker repeats. */
export interface Chore {
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

/**
 * Repeats chores until it is stopped. A chore never overlaps itself, one that fails is logged and tried again at its
 * next time, and none keeps the process alive.
 */
export class Supervisor {
  readonly #log: Log;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(log: Log) {
    this.#log = log;
  }

  start(chore: Chore): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const run = this.#attempt(chore).finally(() => {
        this.#running.delete(run);
        if (!this.#stopped) this.start(chore);
      });
      this.#running.add(run);
    }, chore.everyMs);
    timer.unref();
    this.#timers.add(timer);
  }

  /** Starts nothing more and waits for what runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all(this.#running);
  }

  async #attempt(chore: Chore): Promise<void> {
    try {
      await chore.run();
    } catch (error) {
      this.#log.error({ err: error, chore: chore.name }, "a background job failed; it will be tried again");
    }
  }
}
