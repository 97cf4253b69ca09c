import type { ClaimedDelivery } from "../store/events.ts";

/**
 * Deliveries to one host that were begun and whose outcome is not recorded, however many endpoints it has; the client
 * opens as many connections. A crash repeats these and no others.
 */
export const MAX_TO_HOST = 15;
/** The same over all prompt hosts. More would not send faster where answers take so little time. */
export const MAX_IN_DOUBT = 15;
/** A host is prompt while its best recent answer took no longer. Slow hosts need many POSTs in flight. */
const PROMPT_MS = 250;
/** Each answer lets the best one fade by this, so that a host that has become slow counts as slow after a while. */
const FADING = 1.05;
/** After so many ticks without an answer a host counts as slow, so that one that hangs does not delay the prompt ones. */
const MAX_TICKS = 6;
/** POSTs in flight to an endpoint without history; one whose last delivery failed gets a single one as a probe. */
const WIDTH = 4;
const WIDTH_WHEN_FAILING = 1;
/** So many rounds of POSTs are claimed in one go: they share the commits. */
export const ROUNDS = 4;

/** The deliveries of one subscription that wait or are in flight, and how many POSTs at a time it may have. */
interface SubscriptionQueue {
  width: number;
  inFlight: number;
  waiting: number;
}

interface Host<D> {
  queue: D[];
  inFlight: number;
  isSlow: boolean;
  /** The fading best time of its answers; undefined before the first. */
  bestMs: number | undefined;
}

/** A place among the deliveries in doubt. Ticks are counted instead of time, so that a stall of this process counts against no host. */
interface Place<D> {
  delivery: D;
  ticks: number;
}

interface Due {
  subscriptionSeq: number;
  subscription: Pick<ClaimedDelivery["subscription"], "failedSince">;
}

/**
 * Queues of deliveries, one for each host. Hosts take turns, with a bounded number of POSTs at a time for each, and fewer
 * for an endpoint until it has answered. So an endpoint that hangs delays neither its host nor others. A subscription
 * without deliveries is forgotten; that an endpoint fails is recorded in the outbox.
 */
export class HostQueues<D extends Due & { host: string }> {
  readonly #hosts = new Map<string, Host<D>>();
  readonly #subscriptions = new Map<number, SubscriptionQueue>();
  /** Hosts that may have something to send, whose turn it is first. A host is in one of them. */
  readonly #prompt = new Set<string>();
  readonly #slow = new Set<string>();
  /** Deliveries to prompt hosts that were begun and are not recorded. */
  readonly #inDoubt: Place<D>[] = [];
  #size = 0;

  /** How many deliveries wait or are in flight. */
  get size(): number {
    return this.#size;
  }

  /** Deliveries to prompt hosts that were begun and are not recorded. */
  get inDoubt(): number {
    return this.#inDoubt.length;
  }

  /** How many deliveries wait for hosts that answer promptly: they are sent soon. */
  get waitingPromptly(): number {
    let waiting = 0;
    for (const { queue, isSlow } of this.#hosts.values()) if (!isSlow) waiting += queue.length;
    return waiting;
  }

  /** How many more deliveries of the host may be claimed. */
  room(name: string): number {
    const host = this.#hosts.get(name);
    return MAX_TO_HOST * ROUNDS - (host === undefined ? 0 : host.queue.length + host.inFlight);
  }

  /** Subscriptions of which nothing more may be claimed. */
  full(): number[] {
    return [...this.#subscriptions]
      .filter(([, queued]) => queued.waiting + queued.inFlight >= capacity(queued))
      .map(([seq]) => seq);
  }

  /** Says of one row after another whether it may be claimed; what it admits counts only for its own answers. */
  admission(): (due: Due) => boolean {
    const admitted = new Map<number, number>();
    return (due) => {
      const { subscriptionSeq: seq } = due;
      const queued = this.#subscriptions.get(seq) ?? newQueue(due);
      const taken = admitted.get(seq) ?? 0;
      if (queued.waiting + queued.inFlight + taken >= capacity(queued)) return false;
      admitted.set(seq, taken + 1);
      return true;
    };
  }

  add(delivery: D): void {
    const { host: name, subscriptionSeq: seq } = delivery;
    const host = this.#hosts.get(name) ?? newHost(delivery);
    const queued = this.#subscriptions.get(seq) ?? newQueue(delivery);
    this.#hosts.set(name, host);
    this.#subscriptions.set(seq, queued);
    this.#makeReady(name, host);
    host.queue.push(delivery);
    queued.waiting += 1;
    this.#size += 1;
  }

  /** Takes out the next delivery that may be sent now, and counts it as in flight. */
  next(): D | undefined {
    // Otherwise, a host that takes 200 ms holds nearly every place, and delays hosts that take 2 ms.
    const share = Math.ceil(MAX_IN_DOUBT / Math.max(1, this.#prompt.size));
    const prompt = this.#inDoubt.length < MAX_IN_DOUBT ? this.#nextOf(this.#prompt, share) : undefined;
    if (prompt === undefined) return this.#nextOf(this.#slow);
    this.#inDoubt.push({ delivery: prompt, ticks: 0 });
    return prompt;
  }

  /** @param share the most that one host may have in flight while others wait for a place */
  #nextOf(ready: Set<string>, share = MAX_TO_HOST): D | undefined {
    for (const name of ready) {
      const host = this.#hosts.get(name);
      if (host !== undefined && host.inFlight >= share && host.inFlight < MAX_TO_HOST) continue;
      ready.delete(name);
      const at = host === undefined || host.inFlight >= MAX_TO_HOST ? -1 : this.#firstFree(host);
      if (host === undefined || at === -1) continue;
      const [delivery] = host.queue.splice(at, 1) as [D];
      const queued = this.#subscriptionOf(delivery);
      queued.waiting -= 1;
      queued.inFlight += 1;
      host.inFlight += 1;
      // To the end of the line.
      if (host.queue.length > 0) ready.add(name);
      return delivery;
    }
    return undefined;
  }

  /**
   * The outcome of a delivery is recorded, or nothing was sent.
   *
   * @param delivered undefined where its endpoint has not answered for itself
   * @param answeredMs how long its host took to answer, where it did
   */
  ended(delivery: D, delivered: boolean | undefined, answeredMs?: number): void {
    const { host: name, subscriptionSeq: seq } = delivery;
    const host = this.#hosts.get(name) as Host<D>;
    const queued = this.#subscriptionOf(delivery);
    this.#leave(delivery);
    host.inFlight -= 1;
    queued.inFlight -= 1;
    this.#size -= 1;
    if (delivered !== undefined)
      queued.width = delivered ? Math.min(MAX_TO_HOST, queued.width * 2) : WIDTH_WHEN_FAILING;
    if (answeredMs !== undefined) {
      host.bestMs = Math.min(answeredMs, (host.bestMs ?? answeredMs) * FADING);
      host.isSlow = host.bestMs > PROMPT_MS;
    }
    if (host.queue.length > 0) this.#makeReady(name, host);
    else if (host.inFlight === 0) this.#forget(name);
    if (queued.inFlight === 0 && queued.waiting === 0) this.#subscriptions.delete(seq);
  }

  /** Called at an even pace while POSTs are in flight. Answers whether places became free. */
  tick(): boolean {
    const hanging = this.#inDoubt.filter((place) => ++place.ticks > MAX_TICKS);
    for (const place of hanging) {
      this.#inDoubt.splice(this.#inDoubt.indexOf(place), 1);
      const { host: name } = place.delivery;
      const host = this.#hosts.get(name) as Host<D>;
      host.isSlow = true;
      if (this.#prompt.has(name)) this.#makeReady(name, host);
    }
    return hanging.length > 0;
  }

  /** What was claimed and not sent. */
  waiting(): D[] {
    return [...this.#hosts.values()].flatMap(({ queue }) => queue);
  }

  #makeReady(name: string, { isSlow }: Host<D>): void {
    (isSlow ? this.#prompt : this.#slow).delete(name);
    (isSlow ? this.#slow : this.#prompt).add(name);
  }

  #forget(name: string): void {
    this.#hosts.delete(name);
    this.#prompt.delete(name);
    this.#slow.delete(name);
  }

  #leave(delivery: D): void {
    const at = this.#inDoubt.findIndex((place) => place.delivery === delivery);
    if (at !== -1) this.#inDoubt.splice(at, 1);
  }

  #subscriptionOf({ subscriptionSeq }: D): SubscriptionQueue {
    return this.#subscriptions.get(subscriptionSeq) as SubscriptionQueue;
  }

  #firstFree({ queue }: Host<D>): number {
    return queue.findIndex((delivery) => {
      const { inFlight, width } = this.#subscriptionOf(delivery);
      return inFlight < width;
    });
  }
}

/** An endpoint that failed last may hang again: its host has to answer first. */
function newHost<D extends Due>({ subscription }: D): Host<D> {
  return { queue: [], inFlight: 0, isSlow: subscription.failedSince !== null, bestMs: undefined };
}

function newQueue({ subscription }: Due): SubscriptionQueue {
  const width = subscription.failedSince === null ? WIDTH : WIDTH_WHEN_FAILING;
  return { width, inFlight: 0, waiting: 0 };
}

/** How much may be claimed of a subscription. Nothing waits behind the one POST that probes a failing endpoint. */
function capacity({ width }: SubscriptionQueue): number {
  return width === WIDTH_WHEN_FAILING ? width : width * ROUNDS;
}
