import { Temporal } from "temporal-polyfill";
import { DAY_MS } from "../../lib/time.ts";

/** When something may happen: ISO weekdays (1 is Monday), from a local time to a local time of the same day. */
export interface Window {
  days: number[];
  /** `09:00` */
  from: string;
  /** `17:00`; later than `from`. */
  to: string;
}

/**
 * Names that the platform maps to another name (Asia/Kolkata, US/Pacific), in the spelling of the IANA database. For
 * these the platform does not report the proper letter case.
 */
const ALIAS = /^(?:Etc\/(?:GMT|UTC)|(?!Etc|Us\/)(?:US|[A-Z][a-z]+)\/[A-Z][a-z]+(?:[/_-][A-Z][a-z]+)*)$/;

/** The other names that the platform maps to another one: their capitals follow no rule. */
const ODD_ALIASES = new Set(
  (
    "Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/Universal Etc/Zulu America/Argentina/ComodRivadavia " +
    "America/Knox_IN Australia/ACT Australia/LHI Australia/NSW Brazil/DeNoronha Chile/EasterIsland Mexico/BajaNorte " +
    "Mexico/BajaSur"
  ).split(" "),
);

/**
 * Zones and links of the IANA database whose name has no area. The database adds no more of these. Anything else that a
 * platform accepts without an area is an abbreviation.
 */
const WITHOUT_AREA = new Set(
  (
    "UTC GMT UCT Universal Zulu Greenwich GMT0 GMT+0 GMT-0 CET EET MET WET EST HST MST CST6CDT EST5EDT MST7MDT PST8PDT " +
    "Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC Poland " +
    "Portugal ROC ROK Singapore Turkey W-SU"
  ).split(" "),
);

/** Whether this is a name of the IANA database, in its own letter case: no offset and no other abbreviation. */
export function isTimeZone(name: string): boolean {
  if (WITHOUT_AREA.has(name)) return true;
  if (!/^[A-Z].*\//.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === name || ALIAS.test(name) || ODD_ALIASES.has(name);
  } catch {
    return false;
  }
}

/**
 * The local day and month that a moment is in, as milliseconds since the epoch: where each begins, and where the next
 * begins.
 */
export interface Calendar {
  readonly dayStart: number;
  readonly nextDay: number;
  readonly monthStart: number;
  readonly nextMonth: number;
}

const local = (at: number, timeZone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);

/** The last answer for each time zone: a page and a run of the engine ask for the same day many times. */
const known = new Map<string, Calendar>();
const MAX_KNOWN = 1_000;

export function calendarAt(at: number, timeZone: string): Calendar {
  const last = known.get(timeZone);
  // On a day whose clocks change, a moment between its ends can belong to another day.
  const isWhole = last !== undefined && last.nextDay - last.dayStart === DAY_MS;
  if (isWhole && last.dayStart <= at && at < last.nextDay) return last;
  const calendar = findCalendar(at, timeZone);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(timeZone, calendar);
  return calendar;
}

function findCalendar(at: number, timeZone: string): Calendar {
  const today = local(at, timeZone).startOfDay();
  const first = today.with({ day: 1 }).startOfDay();
  return {
    dayStart: today.epochMilliseconds,
    nextDay: today.add({ days: 1 }).startOfDay().epochMilliseconds,
    monthStart: first.epochMilliseconds,
    nextMonth: first.add({ months: 1 }).startOfDay().epochMilliseconds,
  };
}

/** The local day that a moment is in and the days before it, oldest first. */
export function lastDays(at: number, timeZone: string, count: number): { date: string; from: number; to: number }[] {
  const today = local(at, timeZone).toPlainDate();
  const days = Array.from({ length: count + 1 }, (_, i) => today.add({ days: i + 1 - count }));
  const starts = days.map((day) => day.toZonedDateTime(timeZone).epochMilliseconds);
  return days.slice(0, count).map((day, i) => ({
    date: day.toString(),
    from: starts[i] as number,
    to: starts[i + 1] as number,
  }));
}

/** The time between two moments: `from` is included, `to` is not. */
interface Span {
  from: number;
  to: number;
}

/**
 * A window on one local day. Where clocks go forward, a skipped time becomes the moment after the gap, so that a window
 * inside the gap is empty. Where they go back, a time that occurs twice is its first occurrence.
 */
function spanOn(day: Temporal.PlainDate, timeZone: string, { from, to }: Window): Span {
  const at = (time: string) =>
    time === "24:00"
      ? day.add({ days: 1 }).toZonedDateTime(timeZone)
      : afterGap(day.toPlainDateTime(Temporal.PlainTime.from(time)), timeZone);
  return { from: at(from).epochMilliseconds, to: at(to).epochMilliseconds };
}

function afterGap(time: Temporal.PlainDateTime, timeZone: string): Temporal.ZonedDateTime {
  const moment = time.toZonedDateTime(timeZone, { disambiguation: "earlier" });
  const skipped = !moment.toPlainDateTime().equals(time);
  return skipped ? (moment.getTimeZoneTransition("next") ?? moment) : moment;
}

/** The spans of a day's windows, in order of time. */
function spansOn(day: Temporal.PlainDate, timeZone: string, windows: readonly Window[]): Span[] {
  return windows
    .filter(({ days }) => days.includes(day.dayOfWeek))
    .map((window) => spanOn(day, timeZone, window))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
}

/**
 * How many days to look ahead: two weeks and the day itself, because a change of clocks can remove one week's window.
 */
const DAYS_AHEAD = 15;

export interface Opening {
  open: boolean;
  /** When it opens next, while it is closed; null where it is open, or never opens. */
  opensAt: number | null;
  /** When it closes, while it is open; null where it is closed, or always open. */
  closesAt: number | null;
}

/** Whether windows in a time zone are open at a moment. No window at all means always open. */
export function openingAt(windows: readonly Window[], timeZone: string, at: number): Opening {
  if (windows.length === 0) return { open: true, opensAt: null, closesAt: null };
  const today = local(at, timeZone).toPlainDate();
  let openUntil = at;
  for (let days = 0; days < DAYS_AHEAD; days += 1) {
    for (const { from, to } of spansOn(today.add({ days }), timeZone, windows)) {
      if (to <= at) continue;
      // Windows may overlap, or follow one another without a gap.
      if (from <= openUntil) openUntil = Math.max(openUntil, to);
      else if (openUntil > at) return { open: true, opensAt: null, closesAt: openUntil };
      else return { open: false, opensAt: from, closesAt: null };
    }
  }
  // Open without a gap for this long means always open.
  return { open: openUntil > at, opensAt: null, closesAt: null };
}
