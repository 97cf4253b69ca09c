import type { Instance } from "./leases.ts";
import type { Store } from "./store.ts";

/** What an upgrade of an existing database is about to do. */
export interface Upgrade {
  migrations: string[];
  /** Where the database is copied to first. */
  copy: string;
  bytes: number;
  /** About how long copying it and checking the copy takes. */
  expectedSeconds: number;
}

export interface OpenedStore extends Store {
  /** Where an upgrade of the schema wrote its copy of the database as it was before. */
  readonly upgradedFrom: string | undefined;
  /** The version of the schema: its last migration. */
  readonly schema: string;
  readonly engine: "sqlite" | "postgres";
  engineVersion(): Promise<string>;
  /** How many servers with background jobs share the database. */
  servers(): Promise<number>;
  /**
   * Copies the database to a new file in a folder, keeps the newest copies there, and records it.
   *
   * @throws OperatorError where it can't be done
   * @throws DiskFault
   */
  backUpInto(folder: string, keep: number, now: number, signal: AbortSignal): Promise<void>;
  /** Copies the database to an empty file, page by page between writes. See `copyLive`. */
  copyLive(target: string, signal: AbortSignal): Promise<void>;
  /** Enlists this process among those that do background work on the database. */
  enlist(): Instance;
  /** Whether this process does what only one of those that share the database does, such as pruning. */
  leads(): boolean;
  /** What to add to this machine's clock, so that all processes on the database agree about leases. */
  skewMs(): number;
  /** Calls `told` when another process has written. It may miss one. */
  onWrittenElsewhere(told: () => void): void;
  /** Bytes of the database, of what is written ahead of it, and free; NaN for what is not known. */
  diskUse(): Promise<{ database: number; wal: number; free: number }>;
  /** Counts for all processes on the database. Undefined where each counts for itself. */
  readonly counters: Counters | undefined;
}

/** Makes a counter of requests in windows of so many seconds. */
export type Counters = (bounds: { name: string; points: number; duration: number }) => Counter;

export interface Counter {
  /** Rejects with RateLimiterRes once the points are used up. */
  consume(key: string): Promise<unknown>;
  /** Takes one back. */
  reward(key: string): Promise<unknown>;
}

/** What the server learns of its database while it runs, and what it does for its next start. */
export interface StoreOptions {
  /** Keep room on the disk for the next start, which needs some even to read. */
  reserve?: boolean;
  /** The caller said that the database is meant to be new. */
  isNew?: boolean;
  /** A commit failed, and so did all jobs in it. */
  onCommitFailed?: (error: unknown, jobs: number) => void;
  /** Writes began to fail, or work again. */
  onWrites?: (fault: Error | undefined) => void;
  /** An upgrade of the schema begins. */
  onUpgrade?: (upgrade: Upgrade) => void;
}
