/** Longer names are no typos, and comparing them takes time. */
const MAX_COMPARED = 64;

/**
 * The known name that a misspelled one was probably meant to be: it differs in letter case or separators, in a few
 * letters, or has a word too many or too few. Undefined where none is near.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  let nearest: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = distanceOf(name, candidate);
    if (distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) nearest = { name: candidate, distance };
  }
  return nearest?.name;
}

/** Infinite for names that have nothing in common. */
function distanceOf(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const [plain, other] = [left.join(""), right.join("")];
  const edits = editsBetween(plain, other);
  if (edits <= Math.ceil(Math.min(plain.length, other.length) / 3)) return edits;
  const [fewer, more] = left.length < right.length ? [left, right] : [right, left];
  const shared = fewer.length > 0 && fewer.every((word) => more.includes(word));
  return shared ? edits : Number.POSITIVE_INFINITY;
}

/** `contactId`, `contact_id` and `Contact-ID` have the same words. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** How many letters to insert, delete, replace or swap with their neighbor (Damerau and Levenshtein). */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swap));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number) => row[index] as number;
