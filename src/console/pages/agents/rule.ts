const DAYS = { MO: "Mon", TU: "Tue", WE: "Wed", TH: "Thu", FR: "Fri", SA: "Sat", SU: "Sun" } as const;
const CODES = Object.keys(DAYS);
const UNITS: Record<string, string> = { MINUTELY: "minute", HOURLY: "hour", DAILY: "day", WEEKLY: "week" };
/** What can be said in a line; a rule of other parts is shown as it is. */
const SAID = new Set(["FREQ", "INTERVAL", "BYDAY", "BYHOUR", "BYMINUTE", "WKST"]);

/** A recurrence rule for people: `Mon to Fri at 09:00`. Undefined where it says more than a line can. */
export function ruleInWords(rrule: string): string | undefined {
  const parts = rrule
    .trim()
    .toUpperCase()
    .replace(/^RRULE:|;$/g, "")
    .split(";")
    .map((part) => part.split("=") as [string, string]);
  if (parts.some(([name]) => !SAID.has(name))) return undefined;
  const { FREQ = "", INTERVAL = "1", BYDAY, BYHOUR, BYMINUTE } = Object.fromEntries(parts);
  const unit = UNITS[FREQ];
  const times = timesOf(BYHOUR, BYMINUTE);
  const days = BYDAY === undefined ? "" : daysInWords(BYDAY.split(","));
  const isShort = FREQ === "HOURLY" || FREQ === "MINUTELY";
  // Minutes without an hour, and an hour of what recurs within the day, need more than a line.
  if (unit === undefined || times === undefined || days === undefined || (isShort && times !== "")) return undefined;
  const every = INTERVAL === "1" ? `every ${unit}` : `every ${Number(INTERVAL)} ${unit}s`;
  const weekly = INTERVAL === "1" && !isShort && days !== "";
  const words = [weekly ? "" : every, days && (weekly ? days : `on ${days}`), times && `at ${times}`];
  const said = words.filter(Boolean).join(" ");
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** `Mon to Fri` where three or more follow each other; undefined for days of a month, as the second Monday. */
function daysInWords(codes: readonly string[]): string | undefined {
  const places = codes.map((code) => CODES.indexOf(code)).sort((a, b) => a - b);
  const [first = -1] = places;
  if (first < 0) return undefined;
  const names = places.map((place) => Object.values(DAYS)[place] as string);
  const isRun = places.length > 2 && places.every((place, i) => place === first + i);
  return isRun ? `${names[0]} to ${names.at(-1)}` : inOne(names);
}

function timesOf(hours: string | undefined, minutes = "0"): string | undefined {
  if (hours === undefined) return minutes === "0" ? "" : undefined;
  const two = (figure: string) => figure.padStart(2, "0");
  return inOne(hours.split(",").flatMap((hour) => minutes.split(",").map((minute) => `${two(hour)}:${two(minute)}`)));
}

const inOne = (all: readonly string[]) => all.join(", ").replace(/, ([^,]*)$/, " and $1");
