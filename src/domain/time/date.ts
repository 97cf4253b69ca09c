import { DAY_MS } from "../../lib/time.ts";

/**
 * Whether a calendar date, YYYY-MM-DD, has begun anywhere on earth: zones east of Greenwich are up to a day ahead of
 * UTC.
 */
export function hasCome(date: string, now: number): boolean {
  return date <= new Date(now + DAY_MS).toISOString().slice(0, 10);
}

/** The calendar day in UTC on which a moment falls: YYYY-MM-DD. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The calendar date this many days later. */
export function addDays(date: string, days: number): string {
  const day = new Date(date);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}

/** The same day this many months later, or the last day of a shorter month: 31 January, 28 February. */
export function addMonths(date: string, months: number): string {
  const day = new Date(date);
  const wanted = day.getUTCDate();
  day.setUTCMonth(day.getUTCMonth() + months, 1);
  const last = new Date(day);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  day.setUTCDate(Math.min(wanted, last.getUTCDate()));
  return day.toISOString().slice(0, 10);
}
