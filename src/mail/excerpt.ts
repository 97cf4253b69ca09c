import { convert } from "html-to-text";
import type { Email } from "postal-mime";

const MAX_EXCERPT = 2_000;
const MAX_READ = 200_000;
const MAX_DEPTH = 100;
const LINES_OF_HEADER = 3;

/** Where the message that is answered begins, as mail programs write it above what they quote. */
const QUOTE_BEGINS = [
  /^\s*>/,
  /^\s*-{2,}\s*(?:original message|original-nachricht|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|forwarded message)\s*-{2,}/i,
  /^\s*_{20,}\s*$/,
  /^\s*(?:from|von|de|da|van|från|od)\s*:\s.*@/i,
];
/** "On …, … wrote:" and its like; mail programs break it over up to three lines. */
const ATTRIBUTION =
  /^\s*(?:on|am|le|el|il|em|op|den|w dniu|dnia)\s.{5,300}\s(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|pisze|napisał\(?a?\)?)\b.{0,200}[:：]\s*$/i;

/** What a person wrote, as text: without what is quoted below it, and not too long. */
export function excerptOf({ text, html }: Email): string {
  const written = text?.trim() ? text.slice(0, MAX_READ) : plain((html ?? "").slice(0, MAX_READ));
  const lines = written.replaceAll("\r\n", "\n").split("\n");
  const end = lines.findIndex((_, i) => beginsQuote(lines, i));
  const own = lines
    .slice(0, end === -1 ? undefined : end)
    .join("\n")
    .trim();
  // Somebody who answers below the quote, or in between, is shown with it.
  const shown = own === "" ? written.trim() : own;
  return shown.length > MAX_EXCERPT ? `${shown.slice(0, MAX_EXCERPT - 1).trimEnd()}…` : shown;
}

function beginsQuote(lines: readonly string[], at: number): boolean {
  const line = lines[at] as string;
  if (QUOTE_BEGINS.some((mark) => mark.test(line))) return true;
  for (let more = 1; more <= LINES_OF_HEADER; more++) {
    const joined = lines.slice(at, at + more).join(" ");
    if (joined.length < 600 && ATTRIBUTION.test(joined)) return true;
  }
  return false;
}

function plain(html: string): string {
  return convert(html, {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    selectors: [
      ...["blockquote", "img", ".gmail_quote", "#divRplyFwdMsg", "#appendonsend", ".moz-cite-prefix"].map(
        (selector) => ({
          selector,
          format: "skip",
        }),
      ),
      { selector: "a", options: { ignoreHref: true } },
    ],
  });
}
