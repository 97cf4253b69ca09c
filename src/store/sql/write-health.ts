/** How often the database is tried while writes fail, and the least time between two tries that callers ask for. */
const TRY_EVERY_MS = 1_000;
const TRY_AGAIN_MS = 100;

export interface WriteHealth {
  /** Takes note of a write that failed. */
  failed(error: unknown): void;
  /** Resolves where writes work; while they fail, it tries again first. Rejects with why they fail. */
  check(): Promise<void>;
  stop(): void;
}

/**
 * Whether writes work. One that failed counts until a trial write succeeds: a small write may fit where the next one
 * fails, and a batch that changed nothing proves nothing.
 *
 * @param faultOf what an error means to the server admin
 * @param onChange told why writes fail, and `undefined` once they work again
 */
export function watchWrites(
  faultOf: (error: unknown) => Error,
  tryWrite: () => Promise<void>,
  onChange: (fault: Error | undefined) => void,
): WriteHealth {
  let fault: Error | undefined;
  let trial: Promise<void> | undefined;
  let triedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function failed(error: unknown): void {
    const found = faultOf(error);
    const isNews = fault === undefined || fault.message !== found.message;
    fault = found;
    timer ??= setInterval(() => void attempt(), TRY_EVERY_MS).unref();
    if (isNews) onChange(found);
  }

  function attempt(): Promise<void> {
    triedAt = performance.now();
    trial ??= tryWrite()
      .then(recovered, failed)
      .finally(() => {
        trial = undefined;
      });
    return trial;
  }

  function recovered(): void {
    stop();
    if (fault === undefined) return;
    fault = undefined;
    onChange(undefined);
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    failed,
    async check() {
      if (fault !== undefined && performance.now() - triedAt > TRY_AGAIN_MS) await attempt();
      if (fault !== undefined) throw fault;
    },
    stop,
  };
}
