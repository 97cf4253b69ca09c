/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";

/** Something to be copied as it stands. */
export function Snippet({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="snippet">
      <p>{title}</p>
      <div class="copy">
        <code>{text}</code>
        <button type="button" data-copy={text} aria-label={`Copy: ${title}`} hidden>
          Copy
        </button>
      </div>
      {children !== undefined && <p class="hint">{children}</p>}
    </div>
  );
}
