import { RRuleTemporal } from "rrule-temporal";

/** A moment to anchor rules at that do not say where they begin; any will do, since only their form is looked at. */
const ANCHOR = "DTSTART:20260101T000000Z";
const RULE = /^(?:RRULE:)?((?:[A-Z][A-Z-]*=[A-Z0-9,+:;-]+?;?)+)$/;

/** Why a text is no recurrence rule of RFC 5545, in words that follow its field's name; undefined where it is one. */
export function recurrenceFault(text: string): string | undefined {
  const rule = RULE.exec(text.trim())?.[1];
  if (rule === undefined || !/(?:^|;)FREQ=/.test(rule)) {
    return "is no recurrence rule of RFC 5545, as in FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9";
  }
  try {
    new RRuleTemporal({ rruleString: `${ANCHOR}\nRRULE:${rule.replace(/;$/, "")}`, strict: true });
    return undefined;
  } catch (error) {
    return `is no recurrence rule of RFC 5545: ${(error as Error).message.replace(/\.$/, "")}`;
  }
}
