import { trimEndOf } from "../../lib/trim-end.ts";

/** Characters of an excerpt. */
const MAX_LENGTH = 60;

/** The first words of a text, shown where it has no title. */
export function excerptOf(text: string): string {
  const line = (text.trim().split("\n", 1)[0] ?? "").trimEnd();
  const characters = [...line];
  if (characters.length <= MAX_LENGTH) return line;
  const cut = characters.slice(0, MAX_LENGTH).join("");
  const lastWord = cut.search(/\s\S*$/);
  return `${lastWord === -1 ? cut : trimEndOf(cut.slice(0, lastWord), " \t,;:–—-")}…`;
}
