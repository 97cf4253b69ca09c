import type { ClaimedDelivery } from "../store/events.ts";

/** POSTs in flight to one host, however many endpoints it has; the client opens as many connections. */
export const MAX_TO_HOST = 16;
/** POSTs in flight to an endpoint without history; one whose last delivery failed gets a single one as a probe. */
const WIDTH = 4;
const WIDTH_WHEN_FAILING = 1;
/** So many rounds of POSTs are claimed in one go: they share the commits. */
export const ROUNDS = 8;

/** The deliveries of one subscription that wait or are in flight, and how many POSTs at a time it may have. */
interface SubscriptionQueue {
  width: number;
  inFlight: number;
  waiting: number;
}

interface Host<D> {
  queue: D[];
  inFlight: number;
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
  /** Hosts that may have something to send, whose turn it is first. */
  readonly #ready = new Set<string>();
  #size = 0;

  /** How many deliveries wait or are in flight. */
  get size(): number {
    return this.#size;
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

  /** Says of one row after another whether it may be claimed; what it admits counts for its own answers alone. */
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
    const host = this.#hosts.get(name) ?? { queue: [], inFlight: 0 };
    const queued = this.#subscriptions.get(seq) ?? newQueue(delivery);
    this.#hosts.set(name, host);
    this.#subscriptions.set(seq, queued);
    this.#ready.add(name);
    host.queue.push(delivery);
    queued.waiting += 1;
    this.#size += 1;
  }

  /** Takes out the next delivery that may be sent now, and counts it as in flight. */
  next(): D | undefined {
    for (const name of this.#ready) {
      this.#ready.delete(name);
      const host = this.#hosts.get(name);
      const at = host === undefined || host.inFlight >= MAX_TO_HOST ? -1 : this.#firstFree(host);
      if (host === undefined || at === -1) continue;
      const [delivery] = host.queue.splice(at, 1) as [D];
      const queued = this.#subscriptionOf(delivery);
      queued.waiting -= 1;
      queued.inFlight += 1;
      host.inFlight += 1;
      // To the end of the line.
      if (host.queue.length > 0) this.#ready.add(name);
      return delivery;
    }
    return undefined;
  }

  /** A delivery is no longer in flight; undefined where its endpoint has not answered for itself. */
  ended(delivery: D, delivered: boolean | undefined): void {
    const { host: name, subscriptionSeq: seq } = delivery;
    const host = this.#hosts.get(name) as Host<D>;
    const queued = this.#subscriptionOf(delivery);
    host.inFlight -= 1;
    queued.inFlight -= 1;
    this.#size -= 1;
    if (delivered !== undefined)
      queued.width = delivered ? Math.min(MAX_TO_HOST, queued.width * 2) : WIDTH_WHEN_FAILING;
    if (host.queue.length > 0) this.#ready.add(name);
    else if (host.inFlight === 0) this.#hosts.delete(name);
    if (queued.inFlight === 0 && queued.waiting === 0) this.#subscriptions.delete(seq);
  }

  /** What was claimed and not sent. */
  waiting(): D[] {
    return [...this.#hosts.values()].flatMap(({ queue }) => queue);
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

function newQueue({ subscription }: Due): SubscriptionQueue {
  const width = subscription.failedSince === null ? WIDTH : WIDTH_WHEN_FAILING;
  return { width, inFlight: 0, waiting: 0 };
}

/** How much may be claimed of a subscription. Nothing waits behind the one POST that probes a failing endpoint. */
function capacity({ width }: SubscriptionQueue): number {
  return width === WIDTH_WHEN_FAILING ? width : width * ROUNDS;
}
