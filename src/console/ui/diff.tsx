/** @jsxRuntime automatic @jsxImportSource preact */

import { diffWordsWithSpace } from "diff";
import { revealHidden } from "../../domain/text/hidden.ts";

/** A text that takes longer to compare is shown beside the other whole. */
const PATIENCE_MS = 25;

/** What was taken out and put in, in place, with what hides in either shown. */
export function Diff({ before, after }: { before: string; after: string }) {
  const parts = diffWordsWithSpace(seen(before), seen(after), { timeout: PATIENCE_MS });
  if (parts === undefined) {
    return (
      <div class="copytext diff">
        <del>{seen(before)}</del>
        {"\n"}
        <ins>{seen(after)}</ins>
      </div>
    );
  }
  return (
    <div class="copytext diff">
      {parts.map(({ value, added, removed }, i) =>
        added ? <ins key={i}>{value}</ins> : removed ? <del key={i}>{value}</del> : value,
      )}
    </div>
  );
}

/** A text as somebody approves it: what hides in it is shown by its number. */
export function seen(text: string): string {
  return revealHidden(text) ?? text;
}
