import { advanceRetention, type ClockState } from "../domain/time/retention.ts";
import type { Log } from "../lib/log.ts";
import { COMMAND } from "../lib/package.ts";
import { type Clock, DAY_MS, HOUR_MS, iso } from "../lib/time.ts";
import type { Store } from "../store/store.ts";

/** How often it is recorded where nothing unusual happens. */
const RECORD_EVERY_MS = HOUR_MS;

/** The time by which old rows are deleted: the clock's, unless that has jumped. See `advanceRetention`. */
export interface RetentionClock {
  /** Never ahead of the clock. */
  now(): Promise<number>;
  /** Records how far it has come, and reports jumps. To be called every minute or so. */
  update(): Promise<void>;
}

export function createRetentionClock(
  store: Pick<Store, "retention" | "recordRetention">,
  clock: Clock,
  log: Log,
): RetentionClock {
  /** Where it was, by this process's count of elapsed time. */
  let anchor: { at: number; counted: number } | undefined;
  let recorded: number | undefined;
  let state: ClockState = "right";
  const count = () => clock.elapsed?.() ?? clock.now();

  /** Another process may have recorded a later time, or a person said that the clock is right. */
  async function load(): Promise<{ at: number; counted: number }> {
    const { at, newest } = await store.retention();
    if (anchor === undefined || at !== recorded) {
      anchor = { at: at ?? newest ?? clock.now(), counted: count() };
      recorded = at;
    }
    return anchor;
  }

  const advance = ({ at, counted }: { at: number; counted: number }) =>
    advanceRetention(at, count() - counted, clock.now());

  return {
    async now() {
      return Math.min(clock.now(), advance(anchor ?? (await load())).at);
    },
    async update() {
      const from = await load();
      const next = advance(from);
      const jumped = next.state !== state && next.state !== "right";
      const now = clock.now();
      if (jumped) report(log, next.state, from.at + count() - from.counted, now);
      if (state !== "right" && next.state === "right")
        log.info({ clock: iso(now) }, "retention follows the clock again");
      state = next.state;
      anchor = { at: next.at, counted: count() };
      if (!jumped && recorded !== undefined && Math.abs(next.at - recorded) < RECORD_EVERY_MS) return;
      await store.recordRetention(next.at, jumped ? { from: from.at, to: now } : undefined, now);
      recorded = Math.round(next.at);
    },
  };
}

function report(log: Log, state: ClockState, expected: number, now: number): void {
  const at = { clock: iso(now), expected: iso(expected), days: Math.round(Math.abs(now - expected) / DAY_MS) };
  if (state === "back") {
    log.warn(at, "the clock moved back; old records are kept until the clock is correct");
    return;
  }
  log.warn(
    at,
    "the clock jumped ahead; old records are kept longer. " +
      `If the clock is right, run ${COMMAND} clock accept with the same --data option as this server`,
  );
}
