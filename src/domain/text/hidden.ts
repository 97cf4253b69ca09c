/**
 * What a reader cannot see, or what changes the reading order of text: controls, zero-width and direction-changing
 * characters, fillers, tags, and line separators other than a line feed.
 */
const HIDDEN = String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800\u{13441}\u{13442}\u{16FE4}\u{1D159}]|\r(?!\n)|[\p{Cc}--[\r\n\t]]`;

/** Rarely true: whole pages and answers are searched. */
const ANY_HIDDEN = new RegExp(HIDDEN, "v");
/**
 * Letters and signs of many languages, none of them hidden. Most texts have no others, and this search is faster than
 * the one above.
 */
const UNUSUAL =
  /[^\t\n -~\xA0-\xAC\xAE-\u034E\u0370-\u05FF\u2010-\u2027\u2030-\u205F\u2070-\u27FF\u3040-\u3163\u3400-\u9FFF\uAC00-\uD7A3]/;
/** Emoji contain such characters, and are visible. Looking ahead spares a slow comparison at every other letter. */
const SEEN_OR_HIDDEN = new RegExp(String.raw`(?<seen>(?=\p{Emoji})\p{RGI_Emoji})|${HIDDEN}`, "gv");

/** Whether a text has such a character, also as a part of an emoji. */
export function hasHidden(text: string): boolean {
  return UNUSUAL.test(text) && ANY_HIDDEN.test(text);
}

/** The text with each such character shown by its code, `[U+202E]`; undefined where there is none. */
export function revealHidden(text: string): string | undefined {
  if (!hasHidden(text)) return undefined;
  const shown = text.replace(SEEN_OR_HIDDEN, (found, seen: string | undefined) => {
    if (seen !== undefined) return seen;
    return `[U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
  });
  return shown === text ? undefined : shown;
}

/** Joiners between letters spell words of many languages. */
const SPELLING = String.raw`(?<=[\p{L}\p{M}])[\u200C\u200D](?=\p{L})`;
const SPELLED_OR_HIDDEN = new RegExp(String.raw`(?<seen>(?=\p{Emoji})\p{RGI_Emoji}|${SPELLING})|${HIDDEN}`, "gv");

/** The text without such characters. */
export function withoutHidden(text: string): string {
  return hasHidden(text) ? text.replace(SPELLED_OR_HIDDEN, (_, seen: string | undefined) => seen ?? "") : text;
}
