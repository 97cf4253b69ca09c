/** @jsxRuntime automatic @jsxImportSource preact */

import { diffWordsWithSpace } from "diff";
import { counted } from "./format.ts";
import { revealed } from "./labels.ts";

/** Beyond this time, both texts are shown in full. */
const TIMEOUT_MS = 25;

/** If less of the longer text stays, single words that both have by chance only get in the way. */
const MIN_KEPT = 0.2;

/** Spaces and punctuation between two changed words. The changes are read as one. */
const JOINT = /^[^\p{L}\p{N}\n]{1,3}$/u;

interface Part {
  value: string;
  added: boolean;
  removed: boolean;
}

/** The words that changed. In each place, what was removed comes before what was added. */
export function wordDiff(before: string, after: string): Part[] {
  const found = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS });
  const whole = changed(before, after);
  if (found === undefined) return whole;
  const parts: Part[] = [];
  let [removed, added] = ["", ""];
  const flush = () => {
    // A space that both have before or after a change is no part of it.
    const start = sharedSpace(removed, added, 0);
    const before = removed.slice(0, start);
    [removed, added] = [removed.slice(start), added.slice(start)];
    const end = sharedSpace(removed, added, -1);
    const after = end === 0 ? "" : removed.slice(-end);
    parts.push(...unchanged(before));
    parts.push(...changed(removed.slice(0, removed.length - end), added.slice(0, added.length - end)));
    parts.push(...unchanged(after));
    [removed, added] = ["", ""];
  };
  for (const [i, part] of found.entries()) {
    if (part.removed) removed += part.value;
    else if (part.added) added += part.value;
    else if (i > 0 && i < found.length - 1 && JOINT.test(part.value)) {
      removed += part.value;
      added += part.value;
    } else {
      flush();
      parts.push(...unchanged(part.value));
    }
  }
  flush();
  const kept = parts.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.length), 0);
  return kept < MIN_KEPT * Math.max(before.length, after.length) ? whole : parts;
}

/** How many spaces both texts have at their start (0) or at their end (-1). */
function sharedSpace(one: string, other: string, at: 0 | -1): number {
  const spaces = (text: string) => (at === 0 ? /^\s*/ : /(?<!\s)\s*$/).exec(text)?.[0] ?? "";
  const [a, b] = [spaces(one), spaces(other)];
  let shared = 0;
  while (shared < Math.min(a.length, b.length)) {
    const i = at === 0 ? shared : -1 - shared;
    if (a.at(i) !== b.at(i)) break;
    shared += 1;
  }
  return shared;
}

const unchanged = (value: string): Part[] => (value === "" ? [] : [{ value, added: false, removed: false }]);

function changed(removed: string, added: string): Part[] {
  const parts: Part[] = [
    { value: removed, added: false, removed: true },
    { value: added, added: true, removed: false },
  ];
  return parts.filter(({ value }) => value !== "");
}

const wordsIn = (parts: readonly Part[]) =>
  parts.reduce((sum, { value }) => sum + (value.match(/[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*/gu)?.length ?? 0), 0);

interface Props {
  before: string;
  after: string;
  /** What the text is, such as Subject. */
  name?: string;
}

/** A diff of two texts by words, with hidden characters shown. */
export function Diff({ before, after, name }: Props) {
  const parts = wordDiff(revealed(before), revealed(after));
  const added = wordsIn(parts.filter((part) => part.added));
  const removed = wordsIn(parts.filter((part) => part.removed));
  const isSame = parts.every((part) => !part.added && !part.removed);
  return (
    <div>
      {name !== undefined && (
        <p class="hint">
          {name}: {isSame ? "unchanged" : `${counted(added, "word")} added, ${counted(removed, "word")} removed`}
        </p>
      )}
      <div class="copytext diff">
        {parts.map((part, i) =>
          part.added ? <ins key={i}>{part.value}</ins> : part.removed ? <del key={i}>{part.value}</del> : part.value,
        )}
      </div>
    </div>
  );
}
