import { problem } from "../../core/problem.ts";
import type { Window } from "../../domain/time/calendar.ts";
import { MAX_JSON_DEPTH } from "../../lib/json-text.ts";

/** The fields of a form by name, with their values as typed. */
export type Typed = ReadonlyMap<string, readonly string[]>;

/** Ten times the number of fields of our largest form. */
const MAX_FIELDS = 2_000;

/** @throws Problem payload_too_large */
export function readForm(bytes: Buffer): Typed {
  return readFields(new URLSearchParams(bytes.toString("utf8")));
}

/** @throws Problem payload_too_large */
export function readFields(pairs: Iterable<[string, string]>): Typed {
  const typed = new Map<string, string[]>();
  let fields = 0;
  for (const [name, value] of pairs) {
    fields += 1;
    if (fields > MAX_FIELDS)
      throw problem(
        "payload_too_large",
        `The form has more than ${MAX_FIELDS} fields. Remove some, and submit it again.`,
      );
    const text = value.replaceAll("\r\n", "\n");
    const values = typed.get(name);
    if (values === undefined) typed.set(name, [text]);
    else values.push(text);
  }
  return typed;
}

/** No form of the console has a deeper name, and code that walks the value recurses this deep. */
const NAME = new RegExp(
  String.raw`^([a-z][a-z0-9_]*(?:\.(?:[a-z][a-z0-9_]*|\d{1,3})){0,${MAX_JSON_DEPTH - 1}})(?::([a-z]+))?$`,
);

/** The input of an operation: `steps.0.subject` goes into the first step. Names that begin with _ belong to the form. */
export function toInput(typed: Typed): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, values] of typed) {
    const [, path = "", kind = "text"] = NAME.exec(name) ?? [];
    if (path === "" || !Object.hasOwn(KINDS, kind)) continue;
    const value = KINDS[kind as Kind](values);
    if (value !== undefined) put(root, path.split("."), value);
  }
  return withLists(root) as Record<string, unknown>;
}

/** Fields without typed text: those of the form itself, ids, versions, choices. */
const NOT_TYPED =
  /^_|(?:^|[._])(?:id|hash|version|decision|status|state|token)$|^password$|^current$|^recipient_url$|^read_/;

/** The texts that a member typed into a form, by the names of their fields. */
export function typedTexts(typed: Typed): [name: string, text: string][] {
  return [...typed].flatMap(([field, [text = ""]]) => {
    const [name = "", kind] = field.split(":");
    const isText = kind === undefined || ["optional", "nullable", "lines", "entries"].includes(kind);
    return isText && !NOT_TYPED.test(name) && text.trim() !== "" ? [[name, text] as [string, string]] : [];
  });
}

/**
 * Converts the text of a field to a JSON value, by the kind after the colon of its name: `daily_cap:number`. Text that
 * does not fit its kind stays text, so that the operation's schema names the field in its error.
 */
const KINDS = {
  text: ([value = ""]) => value,
  /** Left out when empty. */
  optional: ([value = ""]) => (value.trim() === "" ? undefined : value),
  /** Null when empty. */
  nullable: ([value = ""]) => (value.trim() === "" ? null : value),
  number: ([value = ""]) => (value.trim() === "" ? undefined : numberOf(value)),
  /** A number, or null when empty. */
  limit: ([value = ""]) => (value.trim() === "" ? null : numberOf(value)),
  /** A checkbox, with a hidden field of the same name, so that an empty checkbox is sent too. */
  flag: (values) => values.includes("true"),
  /** The selected checkboxes or options. */
  list: (values) => values.filter((value) => value !== ""),
  /** Hashes, or other texts, by the id of their record: `id hash`, one in each field. */
  hashes: (values) =>
    Object.fromEntries(
      values
        .filter((value) => value.includes(" "))
        .map((value) => [value.slice(0, value.indexOf(" ")), value.slice(value.indexOf(" ") + 1)]),
    ) as Record<string, string>,
  /** Weekdays. */
  numbers: (values) => values.filter((value) => value !== "").map(numberOf),
  /** Entries separated by lines or commas. */
  lines: ([value = ""]) =>
    value
      .split(/[\n,]/)
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  /** One entry per line, which may hold commas. */
  entries: ([value = ""]) =>
    value
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  /** Sending hours: seven fields of one name, Monday first. */
  week: readWeek,
  /** A date and time as the browser's own field sends them, in UTC. */
  moment: ([value = ""]) => {
    if (value === "") return undefined;
    // Browsers leave out zero seconds. RFC 3339 does not.
    const [, day, seconds = ":00"] = /^([\d-]+T\d\d:\d\d)(:[\d.]+)?$/.exec(value) ?? [];
    return day === undefined ? value : `${day}${seconds}Z`;
  },
} satisfies Record<string, (values: readonly string[]) => unknown>;

export type Kind = keyof typeof KINDS;

function numberOf(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}

function put(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = root;
  for (const part of path.slice(0, -1)) {
    const next = Object.hasOwn(at, part) ? at[part] : undefined;
    if (typeof next === "object" && next !== null && !Array.isArray(next)) at = next as Record<string, unknown>;
    else {
      const made = {};
      at[part] = made;
      at = made;
    }
  }
  at[path.at(-1) as string] = value;
}

/** An object whose names are all numbers becomes a list in their order. */
function withLists(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, withLists(inner)] as const);
  const numbered = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name));
  return numbered ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Between the two times of a span. */
const BETWEEN = /-|–|—|to/;
/** Between two spans of one day. */
const AND = /[,;\n]/;

/** A time of day: `9`, `9:00` and `09:00` are the same. The schema rejects other text. */
function timeOf(text: string): string {
  const [, hours, minutes = "00"] = /^(\d{1,2})(?::(\d{2}))?$/.exec(text.trim()) ?? [];
  return hours === undefined ? text.trim() : `${hours.padStart(2, "0")}:${minutes}`;
}

/** Reads sending hours typed day by day, Monday first: `9-12, 13:00-17:00`. Days with the same hours share a window. */
export function readWeek(days: readonly string[]): Window[] {
  const windows = new Map<string, Window>();
  for (const [i, text] of days.entries()) {
    for (const span of text.split(AND)) {
      if (span.trim() === "") continue;
      const [from = "", ...to] = span.trim().split(BETWEEN).map(timeOf);
      const name = JSON.stringify([from, to]);
      const window = windows.get(name) ?? { days: [], from, to: to.join("-") };
      // A span may be typed twice on one day.
      if (!window.days.includes(i + 1)) window.days.push(i + 1);
      windows.set(name, window);
    }
  }
  return [...windows.values()];
}

/** The text of each day's field, Monday first. */
export function writeWeek(windows: readonly Window[]): string[] {
  return Array.from({ length: 7 }, (_, i) =>
    windows
      .filter(({ days }) => days.includes(i + 1))
      .map(({ from, to }) => `${from}-${to}`)
      .sort()
      .join(", "),
  );
}

/** Minutes since midnight; undefined for anything but a time of day. */
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
