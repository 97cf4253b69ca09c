import { z } from "zod";

/** What is wrong with a value, to follow the field's name: `limit must be 100 or less.` */
function explain(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${typeName(issue.expected)}`;
    case "too_big":
      return issue.origin === "string"
        ? `must be ${issue.maximum} characters or fewer`
        : issue.origin === "array"
          ? `can have ${issue.maximum} entries at most`
          : issue.inclusive === false
            ? `must be less than ${issue.maximum}`
            : `must be ${issue.maximum} or less`;
    case "too_small":
      return issue.origin === "string"
        ? issue.minimum === 1
          ? "can't be empty"
          : `must be at least ${issue.minimum} characters long`
        : issue.origin === "array"
          ? `must have at least ${issue.minimum === 1 ? "one entry" : `${issue.minimum} entries`}`
          : issue.inclusive === false
            ? `must be more than ${issue.minimum}`
            : `must be ${issue.minimum} or more`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : `must be ${oneOf(issue.values.map(String))}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "has the wrong format";
    case "invalid_union":
      return issue.input === undefined ? "is required" : "has a value of the wrong kind";
    default:
      return "has a value that isn't allowed";
  }
}

const oneOf = (values: readonly string[]) => (values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`);

const FORMATS: Record<string, string> = {
  datetime: "must be a date and time such as 2026-11-20T09:30:00Z",
  date: "must be a date such as 2026-11-20",
  email: "must be an email address such as name@example.com",
  guid: "must be a UUID",
  uuid: "must be a UUID",
  url: "must be a URL such as https://example.com",
};

function typeName(expected: string): string {
  if (expected === "int") return "a whole number";
  if (expected === "record") return "an object";
  if (expected === "boolean") return "true or false";
  if (expected === "null") return expected;
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

/** Makes every schema use these messages, except where it declares its own. */
export function useErrorMessages(): void {
  z.config({ customError: explain });
}
