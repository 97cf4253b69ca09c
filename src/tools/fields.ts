import { z } from "zod";
import { revealHidden } from "../domain/text/hidden.ts";
import { isTimeZone } from "../domain/time/calendar.ts";

const given = (input: object, names: readonly string[]) =>
  names.filter((name) => (input as Record<string, unknown>)[name] !== undefined);

/** For `.refine`: a check that runs even where a field is wrong, so that one answer names every fault. */
export const always = () => true;

/** The moment that a value names, for a check that runs always. NaN for a value of another kind. */
export const momentOf = (value: unknown): number => (typeof value === "string" ? Date.parse(value) : Number.NaN);

type Refinement = [(input: object) => boolean, { error: string; when: () => boolean }];

/** For `.refine`: at least one of an input's fields is there. The input stays a plain object on the wire. */
export function atLeastOne(names: readonly string[]): Refinement {
  const error = `send at least one of these fields: ${names.join(", ")}`;
  return [(input) => given(input, names).length > 0, { error, when: always }];
}

/** For `.refine`: exactly one of an input's fields is there. */
export function exactlyOne(...names: string[]): Refinement {
  const error = `send exactly one of these fields: ${names.join(", ")}`;
  return [(input) => given(input, names).length === 1, { error, when: always }];
}

/** A name out of a table of them, each told in the description. */
export function oneOf<K extends string>(table: Readonly<Record<K, string>>, about = "") {
  const told = Object.entries<string>(table).map(([name, means]) => `${name}: ${means}`);
  return z.enum(Object.keys(table) as [K, ...K[]]).describe([about, ...told].filter(Boolean).join(" "));
}

/** The id of a record: a UUID of any version, in either letter case. */
export function recordId(of: string) {
  return z
    .guid({ error: ({ code }) => (code === "invalid_format" ? "must be a UUID" : undefined) })
    .toLowerCase()
    .meta({ format: "uuid", description: `The ${of}'s id, a UUID.` });
}

/** What a reviewer wants changed. */
export const changeRequest = z.string().max(2_000).trim().min(1).describe("What to change. The author reads it.");

const DATE_TIME = z.regexes.datetime({ offset: true });

/** A moment as a caller gives it: RFC 3339 with any offset. Its t and z may be in lower case (RFC 3339, 5.6). */
export const givenTime = z
  .string()
  .toUpperCase()
  .regex(DATE_TIME, "must be a date and time such as 2026-11-20T09:30:00Z")
  .meta({ format: "date-time" });

/** A moment on the wire: RFC 3339, UTC. */
export const time = z.iso.datetime();

const clockTime = (to: string) =>
  z.string().regex(new RegExp(`^(?:(?:[01]\\d|2[0-3]):[0-5]\\d${to})$`), "must be a time of day such as 09:00");

/** When something may happen: ISO weekdays, from a local time to a later one of the same day. */
const window = z
  .strictObject({
    days: z
      .array(z.int().min(1).max(7))
      .min(1)
      .refine((days) => new Set(days).size === days.length, "has a day twice. Send each day once")
      .describe("ISO weekdays, each once: 1 is Monday, 7 is Sunday."),
    from: clockTime("").describe("The local opening time, HH:MM."),
    to: clockTime("|24:00").describe("The local closing time, HH:MM, later than from. 24:00 is the end of the day."),
  })
  .refine(({ from, to }) => from < to, { path: ["to"], error: "must be later than the start time" });

/** At most three a day. */
export const windows = z
  .array(window)
  .max(21)
  .describe("The hours: at most 21 of { days, from, to }. An empty list means always open.");

export const timeZone = z
  .string()
  .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin or UTC")
  .describe("An IANA time zone, such as Europe/Berlin.");

export const hidden = z
  .record(z.string(), z.string())
  .nullable()
  .describe(
    "The texts with characters that are invisible or change the reading direction. Each such character is shown " +
      "by its code, such as [U+202E]. Null if there are none.",
  );

/** The texts in which something hides, with that shown. */
export function reveal(texts: Record<string, string | null>): z.infer<typeof hidden> {
  const shown = Object.entries(texts).flatMap(([name, text]): [string, string][] => {
    const revealed = text === null ? undefined : revealHidden(text);
    return revealed === undefined ? [] : [[name, revealed]];
  });
  return shown.length === 0 ? null : Object.fromEntries(shown);
}

/** The stored values with the given ones on top; fields that were left out stay. */
export function overlay<T extends object>(before: T, given: { [F in keyof T]?: T[F] | undefined }): T {
  return { ...before, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}
