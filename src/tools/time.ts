import { z } from "zod";

/** A moment on the wire: RFC 3339, UTC. */
export const time = z.iso.datetime();

/** Milliseconds since the epoch as RFC 3339. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same; null stays null. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
