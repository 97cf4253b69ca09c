/**
 * What a reader cannot see, or what makes text read in another order than it is stored: controls, zero-width and
 * direction-changing characters, fillers, tags, and the separators of lines that are no line feed.
 */
const HIDDEN = String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800]|\r(?!\n)|[\p{Cc}--[\r\n\t]]`;

/** Emoji are made with such characters, and are seen. */
const SEEN_OR_HIDDEN = new RegExp(String.raw`(?<seen>\p{RGI_Emoji})|${HIDDEN}`, "gv");

/** The text with each such character shown by its number, `[U+202E]`; undefined where there is none. */
export function revealHidden(text: string): string | undefined {
  const shown = text.replace(SEEN_OR_HIDDEN, (found, seen: string | undefined) => {
    if (seen !== undefined) return seen;
    return `[U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
  });
  return shown === text ? undefined : shown;
}
