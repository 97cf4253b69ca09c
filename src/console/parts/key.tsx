/** @jsxRuntime automatic @jsxImportSource preact */

/** The key that presses a button, small beside its words: for eyes alone, and where there are keys. */
export function Key({ of }: { of: string | undefined }) {
  if (of === undefined) return null;
  return (
    <span class="key" aria-hidden="true">
      {of}
    </span>
  );
}
