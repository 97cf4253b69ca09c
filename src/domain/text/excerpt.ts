/** Characters of an excerpt. */
const MAX_LENGTH = 60;

/** The first words of a text, shown where it has no title. */
export function excerptOf(text: string): string {
  const [line = ""] = text.trim().split(/\s*\n/);
  const characters = [...line];
  if (characters.length <= MAX_LENGTH) return line;
  const cut = characters.slice(0, MAX_LENGTH).join("");
  return `${cut.replace(/[\s,;:–—-]+\S*$/, "")}…`;
}
