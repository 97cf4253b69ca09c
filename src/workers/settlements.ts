import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { createThrottle, type Log } from "../lib/log.ts";
import type { Delivered, Settlement } from "../store/events.ts";
import type { Store } from "../store/store.ts";

/** When a write that failed is tried again. */
const AGAIN_MS = 250;
/** How often what was recorded is settled and reaches the disk, while there is more: a power failure forgets the rest. */
const SETTLE_EVERY_MS = 250;
/** How long outcomes wait for others to share their transaction: short beside what an endpoint takes to answer. */
const GATHER_MS = 1;
/** How many deliveries are settled together at most. They share the pages of the indexes that they change. */
const SETTLED_TOGETHER = 256;

interface Unrecorded {
  settlement: Settlement;
  /** A success of an endpoint that was not failing. */
  isUsual: boolean;
  recorded: () => void;
}

/** Deliveries whose outcome is not recorded. */
interface Open {
  /** Waiting or in flight. */
  all: number;
  /** In flight to hosts that answer promptly. */
  prompt: number;
}

/**
 * Records how attempts ended, those that end at about the same time in one transaction. A place in the queues is free
 * once the outcome is recorded, so that a crash repeats few deliveries. While there are more to send, only the attempts
 * of those that succeeded are recorded, and many are settled together.
 */
export class Settlements {
  readonly #store: Pick<Store, "outbox">;
  readonly #log: Log;
  readonly #open: () => Open;
  readonly #throttle = createThrottle();
  #gathered: Unrecorded[] = [];
  /** Their attempts are recorded, their status is not. */
  #recorded: Delivered[] = [];
  #writing: Promise<void> | undefined;
  #settling: NodeJS.Timeout | undefined;
  #settledAt = Number.NEGATIVE_INFINITY;
  #closing = false;
  #onAdded: (() => void) | undefined;

  constructor(store: Pick<Store, "outbox">, log: Log, open: () => Open) {
    this.#store = store;
    this.#log = log;
    this.#open = open;
  }

  /** Resolves once it is recorded; while the server stops, also where it could not be recorded. */
  add(settlement: Settlement, isUsual: boolean): Promise<void> {
    return new Promise((recorded) => {
      this.#gathered.push({ settlement, isUsual, recorded });
      this.#onAdded?.();
      this.#writing ??= this.#writeAll();
    });
  }

  /** From now on each write is tried once. Deliveries whose outcome cannot be written are sent again. */
  close(): void {
    this.#closing = true;
  }

  /** Settles what is only recorded, once closed. What can't be settled here is settled when its lease has expired. */
  async settleRecorded(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#settling);
    if (this.#recorded.length > 0) await this.#write([]);
  }

  async #writeAll(): Promise<void> {
    // Answers that arrive in the same turn come along.
    await nextTurn();
    while (this.#gathered.length > 0 || (this.#recorded.length > 0 && this.#isDue)) {
      await this.#gather();
      const batch = this.#gathered;
      this.#gathered = [];
      const written = await this.#write(batch);
      if (written || this.#closing) for (const { recorded } of batch) recorded();
      else {
        this.#gathered = [...batch, ...this.#gathered];
        await sleep(AGAIN_MS);
      }
    }
    this.#writing = undefined;
    if (this.#recorded.length > 0) this.#settleLater();
  }

  /**
   * Waits until half of the prompt deliveries have an outcome. The endpoints work on the other half in the meantime. Without
   * this wait, the groups get smaller and smaller, and each group needs its own transaction.
   */
  async #gather(): Promise<void> {
    if (this.#hasHalf || this.#closing) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, GATHER_MS);
      this.#onAdded = () => {
        if (!this.#hasHalf) return;
        clearTimeout(late);
        resolve();
      };
    });
    this.#onAdded = undefined;
    await nextTurn();
  }

  get #hasHalf(): boolean {
    return this.#gathered.length * 2 >= this.#open().prompt;
  }

  #settleLater(): void {
    this.#settling ??= setTimeout(
      () => {
        this.#settling = undefined;
        this.#writing ??= this.#writeAll();
      },
      this.#settledAt + SETTLE_EVERY_MS - performance.now() + 1,
    );
  }

  /** While the server stops, a write that failed isn't tried again. */
  get #isDue(): boolean {
    return !this.#closing && performance.now() - this.#settledAt >= SETTLE_EVERY_MS;
  }

  async #write(batch: readonly Unrecorded[]): Promise<boolean> {
    const settlements = batch.map(({ settlement }) => settlement);
    try {
      if (this.#canWait(batch)) {
        await this.#store.outbox.record(settlements);
        for (const { seq, at, lease } of settlements) this.#recorded.push({ seq, at, lease });
      } else await this.#settle(settlements);
      return true;
    } catch (error) {
      const at = { err: error, settlements: batch.length };
      this.#throttle("settle", (left) =>
        this.#log.error({ ...at, ...left }, "delivery attempts could not be recorded; retrying"),
      );
      return false;
    }
  }

  /** Failures and the first success after them are settled right away: they change the state of the subscription. */
  #canWait(batch: readonly Unrecorded[]): boolean {
    if (this.#closing || this.#isDue || this.#open().all <= batch.length) return false;
    if (this.#recorded.length + batch.length > SETTLED_TOGETHER) return false;
    return batch.every(({ isUsual }) => isUsual);
  }

  async #settle(batch: readonly Settlement[]): Promise<void> {
    const { outbox } = this.#store;
    const isDue = this.#isDue || this.#closing;
    await (isDue ? outbox.settle(batch, this.#recorded) : outbox.settleSoon(batch, this.#recorded));
    this.#recorded = [];
    if (isDue) this.#settledAt = performance.now();
  }
}
