import { distance } from "fastest-levenshtein";

/** Longer names are no typos, and comparing them takes time. */
const MAX_COMPARED = 64;
/** Words such as `id` and `at` are part of many names that have nothing else in common. */
const MIN_SHARED = 4;

/**
 * The known name that a misspelled one was probably meant to be: it differs in letter case or separators, in a few
 * letters, or has a word too many or too few. Undefined where none is near.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  let nearest: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    const edits = editsBetween(name, candidate);
    if (edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { name: candidate, edits };
  }
  return nearest?.name;
}

/** Infinite for names that are not near each other. */
function editsBetween(given: string, candidate: string): number {
  const [left, right] = [wordsOf(given), wordsOf(candidate)];
  const [plain, other] = [left.join(""), right.join("")];
  const edits = distance(plain, other);
  if (edits <= Math.ceil(Math.min(plain.length, other.length) / 3)) return edits;
  const [fewer, more] = left.length < right.length ? [left, right] : [right, left];
  const shared = fewer.length > 0 && fewer.every((word) => more.includes(word));
  // `contact_id` may mean `id`, the only id that is asked for. `id` may mean any of several.
  const telling = fewer === right || fewer.join("").length >= MIN_SHARED;
  return shared && telling ? edits : Number.POSITIVE_INFINITY;
}

/** `contactId`, `contact_id` and `Contact-ID` have the same words. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
