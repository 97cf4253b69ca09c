/** How long a write may wait for others. Short beside a disk sync, and beside what a mail server takes. */
const MAX_WAIT_MS = 5;

/**
 * Lets the writes of messages in flight share a commit, which is a disk sync. Without it, connections fall out of step,
 * and each write has a commit of its own.
 */
export class SharedCommit {
  /** How many hand-overs can be expected: no more than there are busy connections. */
  readonly #expected: () => number;
  #handOvers = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(expected: () => number) {
    this.#expected = expected;
  }

  /** Resolves when every busy connection is at its hand-over too, or after 5 ms. */
  handOver(): Promise<void> {
    this.#handOvers += 1;
    return this.outcome();
  }

  /** The same for an outcome: it waits for hand-overs, and no hand-over waits for it. */
  outcome(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#handOvers >= this.#expected()) this.#release();
      else this.#timer ??= setTimeout(() => this.#release(), MAX_WAIT_MS);
    });
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#handOvers = 0;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
