/** So much of a text without a title stands for it. */
const MOST = 60;

/** The first words of a text, by which it is called where nobody gave it a title. */
export function openingOf(text: string): string {
  const [line = ""] = text.trim().split(/\s*\n/);
  const characters = [...line];
  if (characters.length <= MOST) return line;
  const cut = characters.slice(0, MOST).join("");
  return `${cut.replace(/[\s,;:–—-]+\S*$/, "")}…`;
}
