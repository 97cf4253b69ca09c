/** @jsxRuntime automatic @jsxImportSource preact */

import { diffWordsWithSpace } from "diff";
import { revealed } from "./labels.ts";

/** Beyond this size, both texts are shown in full. */
const TIMEOUT_MS = 25;

/** An inline diff of two texts, with hidden characters shown. */
export function Diff({ before, after }: { before: string; after: string }) {
  const parts = diffWordsWithSpace(revealed(before), revealed(after), { timeout: TIMEOUT_MS });
  if (parts === undefined) {
    return (
      <div class="copytext diff">
        <del>{revealed(before)}</del>
        {"\n"}
        <ins>{revealed(after)}</ins>
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
