import fc from "fast-check";
import type { Opening, Window } from "../../src/domain/time/calendar.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Zones whose clocks change at midnight, around it, by half an hour, not at all, or which are far from UTC. */
const ZONES = [
  ...["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Beirut", "America/Santiago"],
  ...["Africa/Cairo", "America/Havana", "Atlantic/Azores", "America/Nuuk", "Antarctica/Troll", "Africa/Casablanca"],
  ...["Asia/Kolkata", "Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Chatham", "America/St_Johns", "UTC"],
];
export const anyZone = fc.constantFrom(...ZONES);

/** Clock changes in these zones, and ends of months and years. */
const EDGES = [
  ...["2026-03-08", "2026-03-29", "2026-04-05", "2026-04-24", "2026-09-06", "2026-10-04", "2026-10-25", "2026-10-30"],
  ...["2026-11-01", "2026-03-15", "2026-02-15", "2026-12-31", "2028-02-29", "2011-12-30", "2027-03-28", "2026-09-27"],
].map((day) => Date.parse(day));

/** Moments, half of them around a change of clocks. */
export const anyMoment = fc.oneof(
  fc.integer({ min: Date.parse("2012-02-01"), max: Date.parse("2032-01-01") }),
  fc
    .record({ edge: fc.constantFrom(...EDGES), off: fc.integer({ min: -DAY, max: 2 * DAY }) })
    .map(({ edge, off }) => edge + off),
);

const clockTime = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => `${part}`.padStart(2, "0")).join(":");
const anyTime = fc.oneof(
  fc.integer({ min: 0, max: 1_440 }),
  fc.integer({ min: 0, max: 240 }),
  fc.integer({ min: 0, max: 96 }).map((quarters) => quarters * 15),
);
const anyWindow: fc.Arbitrary<Window> = fc
  .record({
    days: fc.oneof(
      fc.constant<number[]>([1, 2, 3, 4, 5, 6, 7]),
      fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    ),
    times: fc.uniqueArray(anyTime, { minLength: 2, maxLength: 2 }),
  })
  .map(({ days, times }) => {
    const [from = 0, to = 0] = times.sort((a, b) => a - b);
    return { days, from: clockTime(from), to: clockTime(to) };
  });
export const anyWindows = fc.array(anyWindow, { minLength: 1, maxLength: 4 });

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local wall-clock time: `2026-03-29 02:15`. */
function wall(zone: string, at: number): string {
  let format = formats.get(zone);
  if (format === undefined) {
    const digits = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
    format = new Intl.DateTimeFormat("sv-SE", { ...digits, hourCycle: "h23", timeZone: zone });
    formats.set(zone, format);
  }
  return format.format(at);
}

const minuteOf = (at: number) => Math.floor(at / MINUTE) * MINUTE;

/** The first moment of this day and of the next, found by stepping through the minutes. */
export function calendarByHand(zone: string, at: number): { dayStart: number; nextDay: number } {
  const day = (time: number) => wall(zone, time).slice(0, 10);
  const today = day(at);
  let nextDay = minuteOf(at);
  while (day(nextDay) <= today) nextDay += MINUTE;
  // The end of the previous day may have interrupted this one, if clocks went back over midnight.
  let dayStart = minuteOf(at);
  for (let time = dayStart; time > at - 2 * DAY; time -= MINUTE) if (day(time) >= today) dayStart = time;
  return { dayStart, nextDay };
}

/**
 * Whether it is open, found by stepping through the minutes of the wall clock. A window opens when the clock first
 * shows its beginning or a later time, and closes when it first shows its end or a later one.
 */
export function openingByHand(windows: readonly Window[], zone: string, at: number): Opening {
  const start = minuteOf(at);
  /** The latest time that the clock has shown: repeated times are ignored. */
  let furthest = "";
  const isOpenAt = (time: number) => {
    const shown = wall(zone, time);
    if (shown > furthest) furthest = shown;
    const [day = "", clock = ""] = furthest.split(" ");
    const weekday = new Date(day).getUTCDay() || 7;
    return windows.some(({ days, from, to }) => days.includes(weekday) && from <= clock && clock < to);
  };
  for (let time = start - 26 * 60 * MINUTE; time < start; time += MINUTE) isOpenAt(time);
  const open = isOpenAt(start);
  for (let time = start + MINUTE; time < start + 16 * DAY; time += MINUTE) {
    if (isOpenAt(time) === open) continue;
    return open ? { open, opensAt: null, closesAt: time } : { open, opensAt: time, closesAt: null };
  }
  return { open, opensAt: null, closesAt: null };
}
