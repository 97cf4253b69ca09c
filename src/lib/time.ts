export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A moment in milliseconds since the epoch, as ISO 8601 in UTC. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

/** Milliseconds since the epoch. One clock serves the whole process; tests bring their own. */
export interface Clock {
  now(): number;
  /** Milliseconds that have passed since any moment, even if the clock has been set. Without it, `now` counts. */
  elapsed?(): number;
}
