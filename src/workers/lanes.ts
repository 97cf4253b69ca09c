import type { ClaimedDelivery } from "../store/events.ts";

/** POSTs under way to one host, however many endpoints it has; the client opens as many connections. */
export const MOST_TO_HOST = 16;
/** POSTs under way to an endpoint of which nothing is known; to one that failed last, a single one tries it out. */
const WIDTH = 4;
const WIDTH_WHEN_FAILING = 1;
/** So many rounds of POSTs are claimed in one go: they share the commits. */
export const ROUNDS = 8;

/** What is under way or waits for one subscription, and how many POSTs at a time it is trusted with. */
interface Lane {
  width: number;
  underWay: number;
  waiting: number;
}

interface Host<D> {
  queue: D[];
  underWay: number;
}

interface Due {
  subscriptionSeq: number;
  subscription: Pick<ClaimedDelivery["subscription"], "failedSince">;
}

/**
 * Who is sent to next: hosts take turns, with a bounded number of POSTs at a time for each, and fewer for an endpoint
 * until it has shown that it answers. So one that hangs holds up neither its host nor others. Nothing is remembered of
 * who has nothing under way; that an endpoint fails stands in the outbox.
 */
export class Lanes<D extends Due & { host: string }> {
  readonly #hosts = new Map<string, Host<D>>();
  readonly #lanes = new Map<number, Lane>();
  /** Hosts that may have something to send, whose turn it is first. */
  readonly #ready = new Set<string>();
  #size = 0;

  /** How many deliveries wait or are under way. */
  get size(): number {
    return this.#size;
  }

  /** How many more deliveries of the host may be claimed. */
  room(name: string): number {
    const host = this.#hosts.get(name);
    return MOST_TO_HOST * ROUNDS - (host === undefined ? 0 : host.queue.length + host.underWay);
  }

  /** Subscriptions of which nothing more may be claimed. */
  full(): number[] {
    return [...this.#lanes].filter(([, lane]) => lane.waiting + lane.underWay >= reach(lane)).map(([seq]) => seq);
  }

  /** Says of one row after another whether it may be claimed; what it admits counts for its own answers alone. */
  admission(): (due: Due) => boolean {
    const admitted = new Map<number, number>();
    return (due) => {
      const { subscriptionSeq: seq } = due;
      const lane = this.#lanes.get(seq) ?? newLane(due);
      const taken = admitted.get(seq) ?? 0;
      if (lane.waiting + lane.underWay + taken >= reach(lane)) return false;
      admitted.set(seq, taken + 1);
      return true;
    };
  }

  add(delivery: D): void {
    const { host: name, subscriptionSeq: seq } = delivery;
    const host = this.#hosts.get(name) ?? { queue: [], underWay: 0 };
    const lane = this.#lanes.get(seq) ?? newLane(delivery);
    this.#hosts.set(name, host);
    this.#lanes.set(seq, lane);
    this.#ready.add(name);
    host.queue.push(delivery);
    lane.waiting += 1;
    this.#size += 1;
  }

  /** Takes out the next delivery that may be sent now, and counts it as under way. */
  next(): D | undefined {
    for (const name of this.#ready) {
      this.#ready.delete(name);
      const host = this.#hosts.get(name);
      const at = host === undefined || host.underWay >= MOST_TO_HOST ? -1 : this.#firstFree(host);
      if (host === undefined || at === -1) continue;
      const [delivery] = host.queue.splice(at, 1) as [D];
      const lane = this.#laneOf(delivery);
      lane.waiting -= 1;
      lane.underWay += 1;
      host.underWay += 1;
      // To the end of the line.
      if (host.queue.length > 0) this.#ready.add(name);
      return delivery;
    }
    return undefined;
  }

  /** A delivery is no longer under way; undefined where its endpoint has not answered for itself. */
  ended(delivery: D, delivered: boolean | undefined): void {
    const { host: name, subscriptionSeq: seq } = delivery;
    const host = this.#hosts.get(name) as Host<D>;
    const lane = this.#laneOf(delivery);
    host.underWay -= 1;
    lane.underWay -= 1;
    this.#size -= 1;
    if (delivered !== undefined) lane.width = delivered ? Math.min(MOST_TO_HOST, lane.width * 2) : WIDTH_WHEN_FAILING;
    if (host.queue.length > 0) this.#ready.add(name);
    else if (host.underWay === 0) this.#hosts.delete(name);
    if (lane.underWay === 0 && lane.waiting === 0) this.#lanes.delete(seq);
  }

  /** What was claimed and not sent. */
  waiting(): D[] {
    return [...this.#hosts.values()].flatMap(({ queue }) => queue);
  }

  #laneOf({ subscriptionSeq }: D): Lane {
    return this.#lanes.get(subscriptionSeq) as Lane;
  }

  #firstFree({ queue }: Host<D>): number {
    return queue.findIndex((delivery) => {
      const { underWay, width } = this.#laneOf(delivery);
      return underWay < width;
    });
  }
}

function newLane({ subscription }: Due): Lane {
  const width = subscription.failedSince === null ? WIDTH : WIDTH_WHEN_FAILING;
  return { width, underWay: 0, waiting: 0 };
}

/** Nothing waits behind the one POST that tries a failing endpoint out. */
function reach({ width }: Lane): number {
  return width === WIDTH_WHEN_FAILING ? width : width * ROUNDS;
}
