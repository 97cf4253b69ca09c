import { counted } from "../figures.ts";

const UNITS = [
  // Up to two months days say more than "last month" does.
  { unit: "month", ms: 2_592_000_000, from: 5_184_000_000 },
  { unit: "day", ms: 86_400_000, from: 86_400_000 },
  { unit: "hour", ms: 3_600_000, from: 3_600_000 },
  { unit: "minute", ms: 60_000, from: 60_000 },
] as const;

// In whole days, since whose yesterday it would be is not known here.
const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** `3 hours ago`, `in 1 day`; within a minute, `just now`. */
export function relatively(at: number, now: number): string {
  const away = at - now;
  const found = UNITS.find(({ from }) => Math.abs(away) >= from);
  return found === undefined ? "just now" : words.format(Math.trunc(away / found.ms), found.unit);
}

const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** A day without an hour: `2027-01-16` is 16 Jan 2027. */
export function dayInWords(date: string): string {
  return days.format(new Date(date));
}

/** `for 3 hours`, of what began then and goes on. */
export function lasting(from: number, now: number): string {
  const { ms, unit } = UNITS.find((known) => now - from >= known.from) ?? {};
  if (ms === undefined) return "for less than a minute";
  return `for ${counted(Math.trunc((now - from) / ms), unit ?? "")}`;
}

/** In UTC; console.js puts the person's own zone in its place. */
export function exactly(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}
