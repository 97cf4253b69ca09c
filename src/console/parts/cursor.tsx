/** @jsxRuntime automatic @jsxImportSource preact */
import { useVisit } from "../visit.ts";

/** Where a list that goes by cursor goes on, and back to its newest. */
export function CursorPager({ next, label = "Pages" }: { next: string | null; label?: string }) {
  const { href, path, query } = useVisit();
  const { before, ...kept } = Object.fromEntries(query);
  if (next === null && before === undefined) return null;
  return (
    <nav class="pager" aria-label={label}>
      <span class="quiet" />
      {before !== undefined && (
        <a class="button" rel="first" href={href(path, kept)}>
          Newest
        </a>
      )}
      {next !== null && (
        <a class="button" rel="next" href={href(path, { ...kept, before: next })}>
          Older
        </a>
      )}
    </nav>
  );
}
