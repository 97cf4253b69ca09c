/** What the subscribers of an account know: how many actions can be claimed, and when they were last told. */
export interface Known {
  announced: number;
  announcedAt: number | null;
}

/** While it grows, subscribers are told at most so often. */
export const ANNOUNCE_EVERY_MS = 15 * 60_000;

/**
 * What follows from a new count: work where there was none is told at once, more of it every 15 minutes at most, and
 * less of it is only remembered. `again` is when to look, where the telling has to wait.
 */
export function announcement(
  known: Known,
  claimable: number,
  now: number,
): { tell: boolean; known: Known; again: number | null } {
  if (claimable <= known.announced) {
    return { tell: false, known: { ...known, announced: claimable }, again: null };
  }
  const due = (known.announcedAt ?? Number.NEGATIVE_INFINITY) + ANNOUNCE_EVERY_MS;
  if (known.announced > 0 && now < due) return { tell: false, known, again: due };
  return { tell: true, known: { announced: claimable, announcedAt: now }, again: null };
}
