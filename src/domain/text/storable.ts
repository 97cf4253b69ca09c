import { MAX_JSON_DEPTH } from "../../lib/json-text.ts";

/**
 * Finds what cannot be stored or shown in a value: a NUL character or half a surrogate pair in a string or a name, or a
 * number that is not finite. Returns the path and what is wrong, or undefined.
 */
export function findUnstorable(value: unknown, path = "", depth = 0): { path: string; fault: string } | undefined {
  if (typeof value === "string") {
    const fault = textFault(value);
    return fault === undefined ? undefined : { path, fault };
  }
  if (typeof value === "number" && !Number.isFinite(value)) return { path, fault: "is too large a number" };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= MAX_JSON_DEPTH) return { path, fault: `is nested deeper than ${MAX_JSON_DEPTH} levels` };
  for (const [name, member] of Object.entries(value)) {
    const inner = path === "" ? name : `${path}.${name}`;
    const fault = textFault(name);
    if (fault !== undefined) return { path: path || "body", fault: `has a name that ${fault}` };
    const found = findUnstorable(member, inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textFault(text: string): string | undefined {
  if (text.includes("\0")) return "holds a NUL character; remove it";
  if (!text.isWellFormed()) return "holds half a surrogate pair; send well-formed Unicode";
  return undefined;
}
