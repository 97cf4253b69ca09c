/** @jsxRuntime automatic @jsxImportSource preact */
import { inWords } from "../names.ts";

/** What somebody typed into a form that is not there any more, to be copied. */
export function YouWrote({ words }: { words: readonly (readonly [name: string, text: string])[] }) {
  if (words.length === 0) return null;
  return (
    <dl class="wrote">
      {words.map(([name, text]) => (
        <div key={name}>
          <dt class="hint">{inWords(name)}</dt>
          <dd class="copytext">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
