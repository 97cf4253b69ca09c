import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { JobStatus } from "../core/server-probe.ts";
import { type Attempted, judge, outcomeOf, SUSPEND_AFTER_MS, type Verdict } from "../domain/events/delivery.ts";
import { createDeliver } from "../events/deliver.ts";
import type { GuardedClient } from "../lib/http-client/client.ts";
import { createThrottle, type Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import { type Clock, iso } from "../lib/time.ts";
import type { Vault } from "../lib/vault.ts";
import type { ClaimedDelivery, Settlement } from "../store/events.ts";
import { leaseOf } from "../store/leases.ts";
import type { Store } from "../store/store.ts";
import { HostQueues, ROUNDS } from "./host-queues.ts";
import { Settlements } from "./settlements.ts";

export interface DispatcherParts {
  store: Pick<Store, "outbox">;
  client: Pick<GuardedClient, "post">;
  vault: Vault;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "delivered">;
  /** The id of this process, which its leases carry. */
  instance: string;
  /** The limit of POSTs in flight, over all hosts. */
  most?: number;
}

/** `delivered` is undefined where the endpoint was not asked, and so is how long it took to answer. */
interface Ended {
  delivered?: boolean;
  answeredMs?: number;
}

/** Each claim has its own token, so that results of an earlier claim settle nothing of a later one. */
type Leased = ClaimedDelivery & { lease: string };

/** High enough that a handful of endpoints that hang cannot use it up. */
const MAX_IN_FLIGHT = 512;
/** Longer than the wait for its turn, the POST and recording how it went. */
export const DELIVERY_LEASE_MS = 30_000;
/** A delivery that still waits this long after its claim is left for the next claim. */
const FRESH_MS = 15_000;
/** How often to look for what other processes put into the outbox, or what has come due. */
const POLL_MS = 250;
/** The pause between two claims: shorter than it takes to send what waits, but long enough that a claim is worth its cost. */
const LONGEST_PACE_MS = 40;
const paceMs = (waiting: number) => Math.min(LONGEST_PACE_MS, Math.ceil(waiting / 16));
/** See HostQueues.tick. */
const TICK_MS = 100;
/**
 * How long a stopping server waits for endpoints that have not answered. The process ends 7.5 seconds after it drained,
 * whatever still runs: until then, the deliveries must be given back.
 */
const STOP_GRACE_MS = 6_000;

/**
 * Sends what is due in the outbox and records the outcome: at least once, and never again once a 2xx is recorded.
 * Several may run on one database; each sends what it has leased.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #most: number;
  readonly #queues = new HostQueues<Leased>();
  readonly #deliver: ReturnType<typeof createDeliver>;
  readonly #settlements: Settlements;
  readonly #throttle = createThrottle();
  /** When the outbox was last read without an error. */
  #turnedAt: number | null = null;
  #isFailing = false;
  readonly #inFlight = new Set<Promise<void>>();
  /** Aborts the POSTs in flight. They share a signal: a controller for each costs more than a listener on this one. */
  readonly #abort = new AbortController();
  /** In flight when the server stopped: it is unknown whether the endpoint received them. */
  readonly #unknown: Leased[] = [];
  /** Deliveries about which the store is asked in this turn of the event loop, with their leases, and its answer. */
  readonly #asked = new Map<number, string>();
  #answer: Promise<ReadonlySet<number>> | undefined;
  #lastHost = "";
  #ticking: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  #woken = false;
  /** More is due than could be claimed. */
  #moreDue = false;
  #endIdle: (() => void) | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#deliver = createDeliver(parts);
    this.#most = parts.most ?? MAX_IN_FLIGHT;
    this.#settlements = new Settlements(parts.store, parts.log, () => ({
      all: this.#queues.size,
      prompt: this.#queues.inDoubt,
    }));
  }

  start(): void {
    this.#running ??= this.#run();
  }

  status(): JobStatus {
    return { name: "deliver_events", everyMs: POLL_MS, succeededAt: this.#turnedAt, failing: this.#isFailing };
  }

  /** Something was put into the outbox. */
  wake(): void {
    this.#woken = true;
    this.#endIdle?.();
  }

  /** Claims nothing more, gives POSTs in flight a moment to end, and returns what was not sent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#running;
    this.#settlements.close();
    const late = setTimeout(() => this.#abort.abort(new Stopped()), STOP_GRACE_MS);
    await this.#settlements.settleRecorded();
    await Promise.all(this.#inFlight);
    clearTimeout(late);
    await this.#settlements.settleRecorded();
    await this.#release([...this.#queues.waiting(), ...this.#unknown]);
  }

  async #release(left: readonly Leased[]): Promise<void> {
    const { store, clock, log } = this.#parts;
    const seqs = new Map<string, number[]>();
    for (const { lease } of left) seqs.set(lease, []);
    for (const { lease, seq } of left) seqs.get(lease)?.push(seq);
    const releases = [...seqs].map(([lease, its]) => store.outbox.release(lease, its, clock.now()));
    for (const released of await Promise.allSettled(releases)) {
      if (released.status === "fulfilled") continue;
      log.warn({ err: released.reason }, "leases were not released; they will expire");
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false;
      let found = 0;
      try {
        found = await this.#turn();
        this.#turnedAt = Date.now();
        this.#isFailing = false;
      } catch (error) {
        this.#isFailing = true;
        const message = "the outbox could not be read; it will be tried again";
        this.#throttle("read", (left) => this.#parts.log.error({ err: error, ...left }, message));
        await sleep(POLL_MS);
      }
      if (found > 0) await sleep(paceMs(this.#queues.waitingPromptly));
      else if (!this.#woken) await this.#idle();
    }
  }

  /** Until something happens: an emit, a finished POST that frees a slot, or the time to check again. */
  async #idle(): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      timer.unref();
      this.#endIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endIdle = undefined;
  }

  /** Claims as much as the free slots allow and sends it. Returns how much it found to do. */
  async #turn(): Promise<number> {
    const { store, clock } = this.#parts;
    let left = this.#most * ROUNDS - this.#queues.size;
    const due = left > 0 ? await store.outbox.dueHosts(clock.now(), this.#lastHost, this.#most) : [];
    const share = Math.ceil(left / due.length);
    const hosts: { host: string; most: number }[] = [];
    for (const host of due) {
      const most = Math.min(left, share, this.#queues.room(host));
      if (most <= 0) continue;
      hosts.push({ host, most });
      left -= most;
      this.#lastHost = host;
    }
    this.#moreDue = due.length > 0 || left <= 0;
    if (hosts.length === 0) return 0;
    const lease = leaseOf(this.#parts.instance, randomUUID());
    const { claimed, delivered, dropped } = await store.outbox.claim({
      hosts,
      except: this.#queues.full(),
      admits: this.#queues.admission(),
      lease,
      leaseMs: DELIVERY_LEASE_MS,
      now: clock.now(),
    });
    for (const delivery of claimed) this.#queues.add({ ...delivery, lease });
    this.#send();
    if (delivered.length > 0) await store.outbox.settle([], delivered);
    return claimed.length + delivered.length + dropped;
  }

  /** Sends what waits, as much at a time as there are places. */
  #send(): void {
    while (!this.#stopped && this.#inFlight.size < this.#most) {
      const delivery = this.#queues.next();
      if (delivery === undefined) return;
      const sending = this.#attempt(delivery).then(({ delivered, answeredMs }) => {
        this.#inFlight.delete(sending);
        this.#queues.ended(delivery, delivered, answeredMs);
        this.#send();
        if (this.#moreDue) this.wake();
      });
      this.#inFlight.add(sending);
      this.#tickSoon();
    }
  }

  #tickSoon(): void {
    this.#ticking ??= setTimeout(() => {
      this.#ticking = undefined;
      if (this.#queues.tick()) this.#send();
      if (this.#inFlight.size > 0) this.#tickSoon();
    }, TICK_MS);
    this.#ticking.unref();
  }

  /** Resolves once the outcome is recorded, or where the endpoint was not asked. Never throws. */
  async #attempt(delivery: Leased): Promise<Ended> {
    const { clock, metrics } = this.#parts;
    const started = performance.now();
    // Not before its claim, also where the clock stepped back: by that, its success is recognized.
    const at = Math.max(clock.now(), delivery.claimedAt);
    if (!(await this.#mayStillSend(delivery, at))) return {};
    const attempted = await this.#post(delivery, at);
    if (attempted === undefined) return {};
    const verdict = this.#judge(attempted, delivery);
    const outcome = outcomeOf(attempted);
    metrics.delivered(outcome);
    const durationMs = Math.round(performance.now() - started);
    const delivered = verdict.status === "delivered";
    const isUsual = delivered && delivery.subscription.failedSince === null;
    await this.#settlements.add(this.#settlement(delivery, verdict, { at, durationMs, outcome }), isUsual);
    return outcome === "internal" ? {} : { delivered, answeredMs: durationMs };
  }

  /** Whether it may still be sent. What may not, or can't be asked about, is left to its lease. */
  async #mayStillSend({ seq, lease, claimedAt }: Leased, now: number): Promise<boolean> {
    // What waited too long may be another's by now.
    if (now - claimedAt > FRESH_MS) return false;
    this.#asked.set(seq, lease);
    this.#answer ??= nextTurn().then(() => this.#askStore());
    return (await this.#answer).has(seq);
  }

  /** One question for all that begin in one turn of the event loop. Never throws. */
  async #askStore(): Promise<ReadonlySet<number>> {
    const { store, clock, log } = this.#parts;
    const asked = [...this.#asked].map(([seq, lease]) => ({ seq, lease }));
    this.#asked.clear();
    this.#answer = undefined;
    try {
      return await store.outbox.stillSendable(asked, clock.now());
    } catch (error) {
      const deliveries = asked.map(({ seq }) => seq);
      log.error({ err: error, deliveries }, "deliveries could not be checked; retrying when their leases expire");
      return new Set();
    }
  }

  async #post(delivery: Leased, now: number): Promise<Attempted | undefined> {
    const { signal } = this.#abort;
    try {
      return await this.#deliver(delivery, now, signal);
    } catch (error) {
      if (signal.aborted) {
        this.#unknown.push(delivery);
        return undefined;
      }
      // A fault of this server. It counts as an attempt, so that retries end.
      this.#parts.log.error({ err: error, delivery: delivery.seq }, "a delivery could not be sent");
      return { failed: "internal" };
    }
  }

  #judge(attempted: Attempted, { kind, attempts }: Leased): Verdict {
    const verdict = judge(attempted, attempts + 1, Math.random());
    // The notification of lost access is sent only once.
    return kind === "terminated" && verdict.status === "pending" ? { status: "dead", error: verdict.error } : verdict;
  }

  #settlement(
    { seq, lease, subscription: { failedSince } }: Leased,
    verdict: Verdict,
    { at, durationMs, outcome }: Pick<Settlement, "at" | "durationMs" | "outcome">,
  ): Settlement {
    const error = verdict.status === "delivered" ? null : verdict.error;
    // A fault of this server does not count against the endpoint.
    const lost = verdict.status === "dead" && outcome !== "internal";
    const hopeless = lost && failedSince !== null && at - failedSince >= SUSPEND_AFTER_MS;
    return {
      seq,
      lease,
      at,
      durationMs,
      outcome,
      status: verdict.status,
      error,
      nextAttemptAt: verdict.status === "pending" ? this.#parts.clock.now() + verdict.waitMs : null,
      suspend: hopeless
        ? { failedSince, reason: `Every delivery has failed since ${iso(failedSince)}: ${error}.` }
        : null,
    };
  }
}

class Stopped extends Error {}
