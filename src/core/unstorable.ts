import { MAX_FREE_DEPTH, MAX_JSON_DEPTH } from "../lib/json-text.ts";

/** Where an input is wrong, and how: `filter.email`, `must be an email address`. */
export interface InputFault {
  path: string;
  fault: string;
  /** The fault is a sentence that names the field itself. */
  isSentence?: true;
  /** What helps with every fault of this kind, and so is said once. */
  hint?: string;
}

/** Fields whose JSON is kept as it was parsed. */
type FreeForm = readonly string[] | undefined;

/**
 * Finds what cannot be stored or shown in a value: a NUL character or half a surrogate pair in a string or a name, or a
 * number that is not finite. Returns the path and what is wrong, or undefined. A free-form field is stored as JSON,
 * which can escape every character.
 */
export function findUnstorable(value: unknown, freeForm?: FreeForm): InputFault | undefined {
  return walk(value, freeForm);
}

/** Finds every one of them. */
export function unstorables(value: unknown, freeForm: FreeForm): InputFault[] {
  const all: InputFault[] = [];
  walk(value, freeForm, all);
  return all;
}

/** Answers the first fault; given a list, adds every fault to it. */
function walk(
  value: unknown,
  freeForm: FreeForm,
  all?: InputFault[],
  path = "",
  depth = 0,
  isFree = false,
): InputFault | undefined {
  if (typeof value === "string") return isFree ? undefined : found(path, textFault(value), all);
  if (typeof value === "number" && !Number.isFinite(value))
    return found(path, "is too large a number. Send a smaller one", all);
  if (typeof value !== "object" || value === null) return undefined;
  const most = isFree ? MAX_FREE_DEPTH : MAX_JSON_DEPTH;
  if (depth >= most) return found(path, `can't be nested deeper than ${most} levels`, all);
  for (const [name, member] of Object.entries(value)) {
    const fault = isFree ? undefined : textFault(name);
    const named = fault === undefined ? undefined : found(path, `has a field name that ${fault}`, all);
    const free = isFree || (depth === 0 && freeForm !== undefined && freeForm.includes(name));
    const first = named ?? walk(member, freeForm, all, path === "" ? name : `${path}.${name}`, depth + 1, free);
    if (first !== undefined) return first;
  }
  return undefined;
}

function found(path: string, fault: string | undefined, all: InputFault[] | undefined): InputFault | undefined {
  if (fault === undefined) return undefined;
  if (all === undefined) return { path, fault };
  all.push({ path, fault });
  return undefined;
}

function textFault(text: string): string | undefined {
  if (text.includes("\0")) return "contains a NUL character. Remove it";
  if (!text.isWellFormed()) return "contains half of a surrogate pair. Send well-formed Unicode";
  return undefined;
}
