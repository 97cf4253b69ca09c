import type { Log } from "../log.ts";
import type { Settlement } from "../store/events.ts";
import type { Store } from "../store/store.ts";

/** Long enough for the answers of many POSTs to share a commit, short beside any wait of the schedule. */
const GATHER_MS = 30;
/** So many are written without waiting longer: a crash forgets them, and they are sent again. */
const MOST_GATHERED = 200;
const AGAIN_MS = 250;

/** Gathers how attempts ended, and writes many of them in one transaction. Nothing is let go before it is written. */
export class Settlements {
  readonly #store: Pick<Store, "outbox">;
  readonly #log: Log;
  #gathered: Settlement[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<boolean> | undefined;

  constructor(store: Pick<Store, "outbox">, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  add(settlement: Settlement): void {
    this.#gathered.push(settlement);
    if (this.#gathered.length === MOST_GATHERED) void this.flush();
    else this.#schedule(GATHER_MS);
  }

  /** Hands what is gathered to the store before it returns, unless a write is under way; resolves once it is written. */
  async flush(): Promise<void> {
    if (this.#writing !== undefined) return void (await this.#writing);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#gathered.length === 0) return;
    this.#writing = this.#write();
    const written = await this.#writing;
    this.#writing = undefined;
    if (this.#gathered.length > 0) this.#schedule(written ? GATHER_MS : AGAIN_MS);
  }

  /** Writes what is gathered; what cannot be written now is sent again once its lease has run out. */
  async close(): Promise<void> {
    await this.flush();
    await this.flush();
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#writing !== undefined) return;
    this.#timer = setTimeout(() => void this.flush(), ms);
  }

  async #write(): Promise<boolean> {
    const batch = this.#gathered;
    this.#gathered = [];
    try {
      await this.#store.outbox.settle(batch);
      return true;
    } catch (error) {
      this.#log.error({ err: error, settlements: batch.length }, "attempts could not be recorded; trying again");
      this.#gathered = [...batch, ...this.#gathered];
      return false;
    }
  }
}
