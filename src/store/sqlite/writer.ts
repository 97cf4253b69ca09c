import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "better-sqlite3";

interface Job {
  run: () => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** How long a batch waits for another process to let go of the write lock. */
const LOCK_WAIT_MS = 5_000;
const BATCH = 256;

/**
 * The queue before the one connection that writes. Jobs that arrive in one turn of the event loop share a
 * transaction, each in a savepoint of its own, and are answered after the one commit: with synchronous=FULL a commit
 * is a disk sync, and sharing it makes 50 concurrent writers several times faster.
 *
 * A job may only wait for store calls, which settle within the turn. One that waits for real I/O would hold the
 * write lock and let others into its savepoint, so it is refused.
 */
export class Writer {
  readonly #db: Database;
  readonly #statements: Record<"begin" | "commit" | "rollback" | "savepoint" | "release" | "undo", { run(): unknown }>;
  #queue: Job[] = [];
  #flushing: Promise<void> | undefined;

  constructor(db: Database) {
    this.#db = db;
    this.#statements = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      commit: db.prepare("COMMIT"),
      rollback: db.prepare("ROLLBACK"),
      savepoint: db.prepare("SAVEPOINT job"),
      release: db.prepare("RELEASE job"),
      undo: db.prepare("ROLLBACK TO job"),
    };
  }

  get depth(): number {
    return this.#queue.length;
  }

  run<T>(job: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: job, resolve: resolve as (value: unknown) => void, reject });
      this.#flushing ??= new Promise<void>((done) => {
        setImmediate(() => this.#drain().finally(done));
      });
    });
  }

  /** Resolves when nothing is queued or running. */
  async idle(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        await this.#flush(this.#queue.splice(0, BATCH));
        if (this.#queue.length > 0) await new Promise((next) => setImmediate(next));
      }
    } finally {
      this.#flushing = undefined;
    }
  }

  async #flush(batch: Job[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      await this.#begin();
      for (const job of batch) settle.push(await this.#attempt(job));
      this.#statements.commit.run();
    } catch (error) {
      if (this.#db.open && this.#db.inTransaction) this.#statements.rollback.run();
      for (const job of batch) job.reject(error);
      return;
    }
    for (const answer of settle) answer();
  }

  /** Runs one job in its savepoint and says how to settle it once the batch is durable. */
  async #attempt(job: Job): Promise<() => void> {
    let turnPassed = false;
    const sentinel = setImmediate(() => {
      turnPassed = true;
    });
    this.#statements.savepoint.run();
    try {
      const value = await job.run();
      if (turnPassed) throw new Error("A write job waited for I/O inside its transaction.");
      this.#statements.release.run();
      return () => job.resolve(value);
    } catch (error) {
      // A full disk or an I/O error ends the whole transaction: then the batch has failed, not this job alone.
      if (!this.#db.inTransaction) throw error;
      this.#statements.undo.run();
      this.#statements.release.run();
      return () => job.reject(error);
    } finally {
      clearImmediate(sentinel);
    }
  }

  async #begin(): Promise<void> {
    const deadline = Date.now() + LOCK_WAIT_MS;
    for (;;) {
      try {
        this.#statements.begin.run();
        return;
      } catch (error) {
        const busy = (error as { code?: string }).code?.startsWith("SQLITE_BUSY");
        if (!busy || Date.now() > deadline) throw error;
        await sleep(5 + Math.random() * 20);
      }
    }
  }
}
