import { z } from "zod";
import { isTimeZone } from "../domain/window.ts";

const clockTime = (to: string) =>
  z.string().regex(new RegExp(`^(?:(?:[01]\\d|2[0-3]):[0-5]\\d${to})$`), "is not a time of day as in 09:00");

/** When something may happen: ISO weekdays, from a local time to a later one of the same day. */
const window = z
  .strictObject({
    days: z
      .array(z.int().min(1).max(7))
      .min(1)
      .refine((days) => new Set(days).size === days.length, "names a day twice")
      .describe("ISO weekdays, each once: 1 is Monday, 7 is Sunday."),
    from: clockTime("").describe("The local time at which it opens: HH:MM."),
    to: clockTime("|24:00").describe("The local time at which it closes: HH:MM, later than from; 24:00 ends the day."),
  })
  .refine(({ from, to }) => from < to, { path: ["to"], error: "is not later than from" });

/** At most three a day. */
export const windows = z
  .array(window)
  .max(21)
  .describe("When it is open, at most 21 of { days, from, to }; an empty list is always open.");

export const timeZone = z
  .string()
  .refine(isTimeZone, "is not a time zone of the IANA database, spelled as there: Europe/Berlin, or UTC")
  .describe("The time zone's IANA name, as in Europe/Berlin.");
