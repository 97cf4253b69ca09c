import { createHash } from "node:crypto";
import type pg from "pg";
import type { Db, RunOptions } from "../sql/statement.ts";
import { ConnectionExecutor, IDLE_IN_TRANSACTION_MS, type PoolExecutor, STATEMENT_MS } from "./connect.ts";
import { postgresDb } from "./db.ts";
import { isUnavailable, StoreClosed } from "./faults.ts";

interface Job {
  run: (db: Db) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

interface WriterOptions {
  /** Whether a pooler gives each transaction another session. */
  pooled: boolean;
  /** Told of each batch that fails as a whole, and of a job that the database itself fails; and how many jobs that is. */
  onCommitFailed: (error: unknown, jobs: number) => void;
  /** Told of each commit that changed rows. */
  onCommit: () => void;
}

/** Jobs in one transaction: the other gateways' jobs of the workspace wait for all of them. */
const BATCH = 64;

/** How long a job may wait without a statement of the store under way. */
const WAITING_MS = 100;

/** What is locked for jobs that must be alone. Every job of a workspace shares it. */
const EVERYTHING = lockNumber("everything");

/** The number of an advisory lock, by its name. */
export function lockNumber(name: string): bigint {
  return createHash("sha256").update(name).digest().readBigInt64BE();
}

/** A connection that writes, and its statements. */
interface Lane {
  executor: ConnectionExecutor;
  db: Db;
}

/**
 * Runs write jobs, those of one workspace one after the other, whichever gateway they came to: each transaction begins
 * with an advisory lock of its workspace. Jobs of a workspace that wait together share a transaction, each in a savepoint,
 * and are answered after the one commit.
 */
export class PostgresWriter {
  readonly #pool: pg.Pool;
  readonly #reader: PoolExecutor;
  readonly #options: WriterOptions;
  /** Jobs that wait, by the lock that they need. */
  readonly #queues = new Map<string, Job[]>();
  readonly #lanes = new WeakMap<pg.PoolClient, Lane>();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  constructor(pool: pg.Pool, reader: PoolExecutor, options: WriterOptions) {
    this.#pool = pool;
    this.#reader = reader;
    this.#options = options;
  }

  get depth(): number {
    let depth = 0;
    for (const queue of this.#queues.values()) depth += queue.length;
    return depth;
  }

  /** Resolves when what the job wrote is durable. Connections share a disk sync, so what is forgettable is durable too. */
  run<T>(job: (db: Db) => Promise<T>, { workspaceId, alone = false }: RunOptions = {}): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreClosed("The store is closed."));
    return new Promise<T>((resolve, reject) => {
      const queued: Job = { run: job, resolve: resolve as (value: unknown) => void, reject };
      const key = alone ? ALONE : (workspaceId ?? FREE);
      const queue = this.#queues.get(key);
      if (queue !== undefined) {
        queue.push(queued);
        return;
      }
      this.#queues.set(key, [queued]);
      const running = this.#drain(key).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
  }

  /** Refuses further jobs, and resolves when those that came before are done. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #drain(key: string): Promise<void> {
    // What arrives in this turn of the event loop shares the first transaction.
    await new Promise((resolve) => setImmediate(resolve));
    const queue = this.#queues.get(key) as Job[];
    while (queue.length > 0) await this.#flush(key, queue);
    this.#queues.delete(key);
  }

  async #flush(key: string, queue: Job[]): Promise<void> {
    let batch: Job[] = [];
    // Jobs without a lock hold rows in an order of their own, which one transaction for several would break.
    const take = () => {
      batch = queue.splice(0, key === FREE ? 1 : BATCH);
      return batch;
    };
    let client: pg.PoolClient | undefined;
    let settle: (() => void)[];
    try {
      client = await this.#pool.connect();
      await client.query(beginning(key, this.#options.pooled));
      // What came while another gateway held the lock shares this transaction.
      settle = await this.#transaction(client, take());
      client.release();
    } catch (error) {
      // The connection is given up with whatever it had begun.
      client?.release(true);
      if (batch.length === 0) take();
      for (const job of batch) job.reject(error);
      this.#options.onCommitFailed(error, batch.length);
      return;
    }
    for (const answer of settle) answer();
  }

  /** Runs the jobs, and says how to settle them once they are durable. */
  async #transaction(client: pg.PoolClient, batch: Job[]): Promise<(() => void)[]> {
    const lane = this.#laneOf(client);
    const changedBefore = lane.executor.changed;
    const committed = () => {
      if (lane.executor.changed > changedBefore) this.#options.onCommit();
    };
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      const { settle, failed } = await this.#attempt(lane, only);
      const { command } = await client.query(failed ? "ROLLBACK" : "COMMIT");
      // A commit of a transaction that has failed is a rollback, and no error.
      if (!failed && command !== "COMMIT") throw new Error("A job continued after one of its statements had failed.");
      if (!failed) committed();
      return [settle];
    }
    const settled: (() => void)[] = [];
    let before = "";
    for (const job of batch) {
      await client.query(`${before}SAVEPOINT job`);
      const { settle, failed } = await this.#attempt(lane, job);
      settled.push(settle);
      before = failed ? "ROLLBACK TO SAVEPOINT job; RELEASE SAVEPOINT job; " : "RELEASE SAVEPOINT job; ";
    }
    await client.query(`${before}COMMIT`);
    committed();
    return settled;
  }

  #laneOf(client: pg.PoolClient): Lane {
    let lane = this.#lanes.get(client);
    if (lane === undefined) {
      const executor = new ConnectionExecutor(client, this.#options.pooled);
      lane = { executor, db: postgresDb(executor) };
      this.#lanes.set(client, lane);
    }
    return lane;
  }

  async #attempt({ executor, db }: Lane, job: Job): Promise<{ settle: () => void; failed: boolean }> {
    let stop: () => void = () => undefined;
    const waited = new Promise<never>((_, reject) => {
      let begun = executor.begun;
      const timer = setInterval(() => {
        const isActive = executor.pending > 0 || this.#reader.pending > 0 || executor.begun > begun;
        begun = executor.begun;
        if (!isActive) reject(new WaitedForIo("A write job waited for I/O inside its transaction."));
      }, WAITING_MS);
      stop = () => clearInterval(timer);
    });
    try {
      const value = await Promise.race([job.run(db), waited]);
      return { settle: () => job.resolve(value), failed: false };
    } catch (error) {
      // It may go on at any time: its connection is given up, and the batch with it.
      if (error instanceof WaitedForIo) throw error;
      if (isUnavailable(error)) this.#options.onCommitFailed(error, 1);
      return { settle: () => job.reject(error), failed: true };
    } finally {
      stop();
    }
  }
}

class WaitedForIo extends Error {}

/** Names of locks that are no workspace's id: of jobs that must be alone, and of those that need no lock. */
const ALONE = "*";
const FREE = "";

/** What a session of our own is opened with, for one that a pooler shares. */
const POOLED_SETTINGS =
  `SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL synchronous_commit = on; ` +
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};`;

function beginning(key: string, pooled: boolean): string {
  const settings = pooled ? ` ${POOLED_SETTINGS}` : "";
  if (key === FREE) return `BEGIN;${settings}`;
  if (key === ALONE) return `BEGIN;${settings} SELECT pg_advisory_xact_lock(${EVERYTHING})`;
  const own = lockNumber(key);
  return `BEGIN;${settings} SELECT pg_advisory_xact_lock_shared(${EVERYTHING}), pg_advisory_xact_lock(${own})`;
}
