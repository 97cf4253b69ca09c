import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/time.ts";

/** Numbers with thousands separators and currency signs. */
const plain = new Intl.NumberFormat("en");
const currencies = new Map<string, Intl.NumberFormat>();

export function amount(count: number): string {
  return plain.format(count);
}

/** "1 contact", "1,204 contacts". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${amount(count)} ${count === 1 ? one : many}`;
}

const BYTE_UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** "512 bytes", "3.4 GiB". */
export function byteSize(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 1024 ** power;
  return `${plain.format(power === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10)} ${BYTE_UNITS[power]}`;
}

/** Larger amounts are shown in scientific notation. */
const MAX_PLAIN = 1e15;

/** @param currency of ISO 4217; anything else throws a RangeError */
export function money(value: number, currency: string): string {
  return formatOf(currency, { notation: Math.abs(value) < MAX_PLAIN ? "standard" : "scientific" }).format(value);
}

/** Omits zero cents, for small spaces. */
export function roundMoney(value: number, currency: string): string {
  if (!Number.isInteger(value) || Math.abs(value) >= MAX_PLAIN) return money(value, currency);
  return formatOf(currency, { notation: "standard", minimumFractionDigits: 0 }).format(value);
}

function formatOf(currency: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${currency} ${JSON.stringify(options)}`;
  const format =
    currencies.get(key) ??
    new Intl.NumberFormat("en", { style: "currency", currency, maximumFractionDigits: 2, ...options });
  currencies.set(key, format);
  return format;
}

const UNITS = [
  // Up to two months, a number of days says more than "last month".
  { unit: "month", ms: 2_592_000_000, from: 5_184_000_000 },
  { unit: "day", ms: DAY_MS, from: DAY_MS },
  { unit: "hour", ms: HOUR_MS, from: HOUR_MS },
  { unit: "minute", ms: MINUTE_MS, from: MINUTE_MS },
] as const;

// Always numeric, because "yesterday" depends on the reader's time zone, which the server doesn't know.
const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/**
 * `3 hours ago`, `in 1 day`; within a minute, `just now`. From 24 hours on, it counts calendar days: on a Friday evening,
 * Sunday morning is in 2 days.
 *
 * @param timeZone whose midnights separate the days
 */
export function relatively(at: number, now: number, timeZone: string): string {
  const away = at - now;
  const found = UNITS.find(({ from }) => Math.abs(away) >= from);
  if (found === undefined) return "just now";
  if (found.ms < DAY_MS) return words.format(Math.trunc(away / found.ms), found.unit);
  const days = daysAway(at, now, timeZone);
  if (found.unit === "month") return words.format(Math.trunc((days * DAY_MS) / found.ms), "month");
  // A day on which clocks are set back has 25 hours.
  return days === 0 ? words.format(Math.trunc(away / HOUR_MS), "hour") : words.format(days, "day");
}

/** How many midnights of the time zone are between two moments. */
function daysAway(at: number, now: number, timeZone: string): number {
  if (now !== today.now || timeZone !== today.timeZone) today = { now, timeZone, day: localParts(now, timeZone).day };
  return Math.round((Date.parse(localParts(at, timeZone).day) - Date.parse(today.day)) / DAY_MS);
}

/** The local day of the last moment that others were compared with: all times of a page ask for the same one. */
let today = { now: Number.NaN, timeZone: "", day: "" };

const days = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });

/** A date without a time: `2027-01-16` is Jan 16, 2027. */
export function formatDay(date: string): string {
  return days.format(new Date(date));
}

/** A date of the API that is not part of a link or a longer code. */
const DATE = /(?<![\w/.-])\d{4}-\d{2}-\d{2}(?![\w/-])/g;

/** A sentence that Rostrum stored with dates such as 2026-11-27, with these dates as a page writes them. */
export const withDates = (sentence: string): string =>
  sentence.replace(DATE, (date) => (Number.isNaN(Date.parse(date)) ? date : formatDay(date)));

/** A page has many times of few zones, and a formatter takes longer to create than to use. */
const localFormats = new Map<string, Intl.DateTimeFormat>();

function localFormat(timeZone: string): Intl.DateTimeFormat {
  const format =
    localFormats.get(timeZone) ??
    new Intl.DateTimeFormat("en", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  localFormats.set(timeZone, format);
  return format;
}

/** The local day as YYYY-MM-DD, and the time as 9:05. */
function localParts(at: number, timeZone: string): { day: string; clock: string } {
  const parts = localFormat(timeZone).formatToParts(at);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { day: `${of("year")}-${of("month")}-${of("day")}`, clock: `${Number(of("hour"))}:${of("minute")}` };
}

const weekdays = new Intl.DateTimeFormat("en-US", { weekday: "short", timeZone: "UTC" });
const shortDays = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });

/** Days of the coming year need no year. */
const NEAR_MS = 330 * DAY_MS;

/** `Jan 16`, or with its year where that isn't clear. */
export function shortDay(date: string, now: number): string {
  const at = Date.parse(date);
  return Math.abs(at - now) < NEAR_MS ? shortDays.format(at) : formatDay(date);
}

/** A moment ahead in a time zone: `Now`, `Today 9:05`, `Tomorrow 14:00`, `Mon 9:00`, `Dec 12, 9:00`. */
export function scheduledAt(at: number, now: number, timeZone: string): string {
  if (at <= now) return "Now";
  const { day, clock } = localParts(at, timeZone);
  const away = daysAway(at, now, timeZone);
  if (away <= 0) return `Today ${clock}`;
  if (away === 1) return `Tomorrow ${clock}`;
  const date = new Date(day);
  return away < 7 ? `${weekdays.format(date)} ${clock}` : `${shortDays.format(date)}, ${clock}`;
}

/** When a person or an agent acts: `Sun, Nov 29, 7:30 (Europe/London)`, with its year where that isn't clear. */
export function appointment(at: number, now: number, timeZone: string): string {
  const { day, clock } = localParts(at, timeZone);
  return `${weekdays.format(new Date(day))}, ${shortDay(day, now)}, ${clock} (${timeZone})`;
}

/** In UTC. console.js replaces it with the reader's time zone. */
export function exactly(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

/** `Jan 16, 14:02 UTC`, with its year where that isn't clear. console.js replaces it with the reader's time zone. */
export function shortMoment(at: string, now: number): string {
  return `${shortDay(at.slice(0, 10), now)}, ${at.slice(11, 16)} UTC`;
}

/** A measured time in milliseconds, from one second on in seconds: 10,000 is 10 s. */
export function elapsed(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
