/** When something may happen: ISO weekdays (1 is Monday), from a local time to a local time of the same day. */
export interface Window {
  days: number[];
  /** `09:00` */
  from: string;
  /** `17:00`; later than `from`. */
  to: string;
}

/**
 * Names that the platform knows under another one (Asia/Kolkata, US/Pacific), spelled as the IANA database spells them:
 * of these it does not tell the proper letter case.
 */
const ALIAS = /^(?:Etc\/(?:GMT|UTC)|(?!Etc|Us\/)(?:US|[A-Z][a-z]+)\/[A-Z][a-z]+(?:[/_-][A-Z][a-z]+)*)$/;

/** Whether this is UTC or a place's name in the IANA database, in its own letter case: no offset, no abbreviation. */
export function isTimeZone(name: string): boolean {
  if (name === "UTC") return true;
  if (!/^[A-Z].*\//.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === name || ALIAS.test(name);
  } catch {
    return false;
  }
}
