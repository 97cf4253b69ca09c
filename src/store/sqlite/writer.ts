import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { isUnavailable } from "./connection.ts";

interface Job {
  run: () => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  arrived: number;
  forgettable: boolean;
}

interface WriterOptions {
  /** How long the first job of a batch waits for others at most. */
  gatherMs?: number;
  /** How long a job waits for another process to release the write lock. */
  lockWaitMs?: number;
  /** Throws where there is no sense in beginning: the batch fails with what it throws. */
  check?: () => void;
  /** Called before each batch, and before its commit. */
  onBatch?: () => void;
  /** Told of each batch that fails as a whole, and of a job that the database itself fails; and how many jobs that is. */
  onCommitFailed?: (error: unknown, jobs: number) => void;
}

const LOCK_WAIT_MS = 5_000;
const BATCH = 256;
/** How long the first job of a batch waits for others at most, as long as each turn brings some. */
const GATHER_MS = 5;

/**
 * The queue for the one connection that writes. Jobs that arrive together share a transaction, each in its own
 * savepoint, and are answered after the one commit. With synchronous=FULL a commit is a disk sync, and sharing it makes
 * 50 concurrent writers several times faster. A job may only wait for store calls, which settle within
 * the turn. One that waits for real I/O would hold the write lock, so it is refused as soon as the turn passes, and
 * rolled back.
 */
export class Writer {
  readonly #db: Database;
  readonly #statements: Record<"begin" | "commit" | "rollback" | "savepoint" | "release" | "undo", { run(): unknown }>;
  readonly #gatherMs: number;
  readonly #lockWaitMs: number;
  readonly #check: () => void;
  readonly #onBatch: () => void;
  readonly #onCommitFailed: (error: unknown, jobs: number) => void;
  #queue: Job[] = [];
  #level: "FULL" | "NORMAL" = "FULL";
  #flushing: Promise<void> | undefined;
  #refuseRunning: (() => void) | undefined;

  constructor(db: Database, options: WriterOptions = {}) {
    const {
      gatherMs = GATHER_MS,
      lockWaitMs = LOCK_WAIT_MS,
      check = () => undefined,
      onBatch = () => undefined,
      onCommitFailed = () => undefined,
    } = options;
    this.#db = db;
    this.#onBatch = onBatch;
    this.#onCommitFailed = onCommitFailed;
    this.#gatherMs = gatherMs;
    this.#lockWaitMs = lockWaitMs;
    this.#check = check;
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

  /**
   * Resolves when what the job wrote is durable. What is forgettable survives the process but not the machine: alone
   * in its batch it costs no disk sync.
   */
  run<T>(job: () => Promise<T>, { forgettable = false } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = { resolve: resolve as (value: unknown) => void, reject };
      this.#queue.push({ run: job, ...settle, arrived: performance.now(), forgettable });
      this.#flushing ??= this.#drain();
    });
  }

  /** Resolves when nothing is queued or running. */
  async idle(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      await this.#flush(this.#queue.splice(0, BATCH));
    }
    this.#flushing = undefined;
  }

  /**
   * Waits while turns of the event loop bring more jobs. Clients that were answered together send their next requests
   * over a few turns: without this, they would split into ever smaller batches. One job alone waits for one turn.
   */
  async #gather(): Promise<void> {
    const until = performance.now() + this.#gatherMs;
    let known: number;
    do {
      known = this.#queue.length;
      await this.#nextTurn();
    } while (this.#queue.length > known && this.#queue.length < BATCH && performance.now() < until);
  }

  /**
   * Resolves in a separate turn of the event loop. Two immediates that are set together run one after the other, with
   * only the promises that the first one settles in between. A job that is unfinished when the second one runs has
   * waited for something else.
   */
  #nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve);
      setImmediate(() => this.#refuseRunning?.());
    });
  }

  async #flush(batch: Job[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      this.#sync(batch.every(({ forgettable }) => forgettable) ? "NORMAL" : "FULL");
      await this.#begin((batch[0] as Job).arrived + this.#lockWaitMs);
      this.#onBatch();
      for (const job of batch) settle.push(await this.#attempt(job));
      this.#onBatch();
      this.#statements.commit.run();
    } catch (error) {
      for (const job of batch) job.reject(error);
      this.#abandon();
      this.#onCommitFailed(error, batch.length);
      return;
    }
    for (const answer of settle) answer();
  }

  /** Which commits reach the disk before they are answered; in WAL mode either keeps the database whole. */
  #sync(level: "FULL" | "NORMAL"): void {
    if (level === this.#level) return;
    this.#db.exec(`PRAGMA synchronous = ${level}`);
    this.#level = level;
  }

  /** Runs one job in its savepoint and says how to settle it once the batch is durable. */
  async #attempt(job: Job): Promise<() => void> {
    let late = false;
    const turned = new Promise<never>((_, reject) => {
      this.#refuseRunning = () => {
        late = true;
        reject(new Error("A write job waited for I/O inside its transaction."));
      };
    });
    this.#statements.savepoint.run();
    try {
      const value = await Promise.race([job.run(), turned]);
      this.#statements.release.run();
      return () => job.resolve(value);
    } catch (error) {
      // A full disk or an I/O error ends the whole transaction: then the whole batch has failed, not only this job.
      if (!this.#db.inTransaction) throw error;
      this.#statements.undo.run();
      this.#statements.release.run();
      if (isUnavailable(error)) this.#onCommitFailed(error, 1);
      return () => job.reject(error);
    } finally {
      this.#refuseRunning = undefined;
      if (late) await this.#nextTurn();
    }
  }

  /** A rollback that fails as well changes nothing: the jobs are refused, and the next BEGIN says why. */
  #abandon(): void {
    try {
      if (this.#db.open && this.#db.inTransaction) this.#statements.rollback.run();
    } catch {}
  }

  async #begin(deadline: number): Promise<void> {
    for (;;) {
      try {
        this.#check();
        this.#statements.begin.run();
        return;
      } catch (error) {
        const busy = (error as { code?: string }).code?.startsWith("SQLITE_BUSY");
        if (!busy || performance.now() > deadline) throw error;
        await sleep(5 + Math.random() * 20);
        await this.#nextTurn();
      }
    }
  }
}
