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

/**
 * Zones and links of the IANA database that are not named by an area. The database adds none of these any more; what
 * else a platform takes without an area is an abbreviation of its own.
 */
const WITHOUT_AREA = new Set(
  (
    "UTC GMT UCT Universal Zulu Greenwich GMT0 GMT+0 GMT-0 CET EET MET WET EST HST MST CST6CDT EST5EDT MST7MDT PST8PDT " +
    "Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC Poland " +
    "Portugal ROC ROK Singapore Turkey W-SU"
  ).split(" "),
);

/** Whether this is a name of the IANA database, in its own letter case: no offset, no abbreviation that it has not. */
export function isTimeZone(name: string): boolean {
  if (WITHOUT_AREA.has(name)) return true;
  if (!/^[A-Z].*\//.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === name || ALIAS.test(name);
  } catch {
    return false;
  }
}
