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
  /** Copies the database to an empty file, page by page between writes. See `copyLive`. */
  copyLive(target: string, signal: AbortSignal): Promise<void>;
  /** Enlists this process among those that do background work on the database. */
  enlist(): Instance;
}

/** What the server learns of its database while it runs, and what it does for its next start. */
export interface StoreOptions {
  /** Keep room on the disk for the next start, which needs some even to read. */
  reserve?: boolean;
  /** Somebody said that the database is meant to be new. */
  isNew?: boolean;
  /** A commit failed, and so did all jobs in it. */
  onCommitFailed?: (error: unknown, jobs: number) => void;
  /** Writes began to fail, or work again. */
  onWrites?: (fault: Error | undefined) => void;
  /** An upgrade of the schema begins. */
  onUpgrade?: (upgrade: Upgrade) => void;
}
