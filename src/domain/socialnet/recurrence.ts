import { RRuleTemporal } from "rrule-temporal";

/** Anchors for rules without a start. Any moment will do, if UNTIL has the same form. */
const ANCHOR = { moment: "DTSTART:20260101T000000Z", day: "DTSTART;VALUE=DATE:20260101" };

const like = (pattern: RegExp) => (value: string) => pattern.test(value);
const each = (one: (value: string) => boolean) => (value: string) => value.split(",").every(one);
const number = (least: number, most: number) => (value: string) =>
  /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most;
/** A number that counts from the end where it is negative. */
const signed = (most: number) => (value: string) => number(1, most)(value.replace(/^[+-]/, ""));

/** The values that each part of a rule may have. The library checks how the parts fit together. */
const PARTS = new Map<string, (value: string) => boolean>([
  ["FREQ", like(/^(?:SECOND|MINUTE|HOUR|DAI|WEEK|MONTH|YEAR)LY$/)],
  ["UNTIL", like(/^\d{8}(?:T\d{6}Z?)?$/)],
  ["COUNT", number(1, 999_999_999)],
  ["INTERVAL", number(1, 999_999_999)],
  ["BYSECOND", each(number(0, 60))],
  ["BYMINUTE", each(number(0, 59))],
  ["BYHOUR", each(number(0, 23))],
  ["BYDAY", each(like(/^(?:[+-]?(?:[1-4]?[1-9]|[1-5]0|5[1-3]))?(?:MO|TU|WE|TH|FR|SA|SU)$/))],
  ["BYMONTHDAY", each(signed(31))],
  ["BYYEARDAY", each(signed(366))],
  ["BYWEEKNO", each(signed(53))],
  ["BYMONTH", each(number(1, 12))],
  ["BYSETPOS", each(signed(366))],
  ["WKST", like(/^(?:MO|TU|WE|TH|FR|SA|SU)$/)],
]);

const NO_RULE = "must be an RFC 5545 recurrence rule";

/** Why a text is not a recurrence rule of RFC 5545, worded to follow its field's name; undefined where it is one. */
export function recurrenceFault(text: string): string | undefined {
  const rule = text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "")
    .replace(/;$/, "");
  const parts = rule.split(";").map((part) => part.split("="));
  const names = parts.map(([name]) => name);
  if (!names.includes("FREQ") || parts.some(({ length }) => length !== 2)) {
    return `${NO_RULE} such as FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9`;
  }
  for (const [name = "", value = ""] of parts) {
    const fits = PARTS.get(name);
    if (fits === undefined) return `${NO_RULE}. It can't have the part ${name}`;
    if (!fits(value)) return `${NO_RULE}. Its part ${name} can't be ${value === "" ? "empty" : value}`;
  }
  if (new Set(names).size !== names.length) return `${NO_RULE}. Use each part once`;
  try {
    const anchor = /UNTIL=\d{8}(?:;|$)/.test(rule) ? ANCHOR.day : ANCHOR.moment;
    new RRuleTemporal({ rruleString: `${anchor}\nRRULE:${rule}`, strict: true });
    return undefined;
  } catch (error) {
    return `${NO_RULE}: ${(error as Error).message.replace(/\.$/, "")}`;
  }
}
