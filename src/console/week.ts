import type { Window } from "../domain/window.ts";

/** What separates two times, and two spans of one day. */
const BETWEEN = /\s*(?:-|–|—|to)\s*/;
const AND = /[,;\n]/;

/** A time of day as people type it: `9`, `9:00` and `09:00` are one. What is none is left, for the schema to refuse. */
function timeOf(text: string): string {
  const [, hours, minutes = "00"] = /^(\d{1,2})(?::(\d{2}))?$/.exec(text.trim()) ?? [];
  return hours === undefined ? text.trim() : `${hours.padStart(2, "0")}:${minutes}`;
}

/**
 * The windows of a week that was typed day by day, Monday first: `9-12, 13:00-17:00`. Days that are open alike share a
 * window.
 */
export function readWeek(days: readonly string[]): Window[] {
  const alike = new Map<string, Window>();
  for (const [i, text] of days.entries()) {
    for (const span of text.split(AND)) {
      if (span.trim() === "") continue;
      const [from = "", ...to] = span.trim().split(BETWEEN).map(timeOf);
      const name = JSON.stringify([from, to]);
      const window = alike.get(name) ?? { days: [], from, to: to.join("-") };
      // A span that stands twice on a day is said once.
      if (!window.days.includes(i + 1)) window.days.push(i + 1);
      alike.set(name, window);
    }
  }
  return [...alike.values()];
}

/** The same the other way: what is typed for each day, Monday first. */
export function writeWeek(windows: readonly Window[]): string[] {
  return Array.from({ length: 7 }, (_, i) =>
    windows
      .filter(({ days }) => days.includes(i + 1))
      .map(({ from, to }) => `${from}-${to}`)
      .sort()
      .join(", "),
  );
}

/** Minutes since midnight; undefined for what is no time of day. */
function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^(\d{2}):(\d{2})$/.exec(time) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

/** The spans of one day, in minutes since midnight. */
export function spansOf(text: string): { from: number; to: number }[] {
  return readWeek([text]).flatMap(({ from, to }) => {
    const [start, end] = [minutesOf(from), minutesOf(to)];
    return start === undefined || end === undefined || start >= end ? [] : [{ from: start, to: end }];
  });
}
