const DAY_MS = 86_400_000;

/**
 * Whether a calendar date, YYYY-MM-DD, has come anywhere on earth: the zones east of Greenwich are up to a day ahead
 * of UTC.
 */
export function hasCome(date: string, now: number): boolean {
  return date <= new Date(now + DAY_MS).toISOString().slice(0, 10);
}
