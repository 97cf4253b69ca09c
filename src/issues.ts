import { z } from "zod";

/** What is wrong with a value and how to mend it, after the field's name: `limit: is larger than 100; send at most 100.` */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `is not ${typeName(issue.expected)}`;
    case "too_big":
      return issue.origin === "string"
        ? `is longer than ${issue.maximum} characters; shorten it`
        : issue.origin === "array"
          ? `has more than ${issue.maximum} entries`
          : `is larger than ${issue.maximum}`;
    case "too_small":
      return issue.origin === "string"
        ? issue.minimum === 1
          ? "is empty"
          : `is shorter than ${issue.minimum} characters`
        : issue.origin === "array"
          ? `has fewer than ${issue.minimum} entries`
          : `is smaller than ${issue.minimum}`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : `is none of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return FORMATS[issue.format];
    default:
      return undefined;
  }
}

const FORMATS: Record<string, string> = {
  datetime: "is not a date and time as in 2026-11-20T09:30:00Z",
  date: "is not a date as in 2026-11-20",
};

function typeName(expected: string): string {
  if (expected === "int") return "a whole number";
  if (expected === "null") return expected;
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

/** Makes every schema speak so, except where it brings words of its own. */
export function useOwnWords(): void {
  z.config({ customError: explain });
}
