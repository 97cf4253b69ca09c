import { trimEndOf } from "../../lib/trim-end.ts";

const QUESTION = "Don't want these emails?";
const FOOTER = `${QUESTION} Unsubscribe:`;

/** The text part of an email. Without an address, it has no link to unsubscribe. */
export function textOf(body: string, unsubscribeUrl: string | null): string {
  if (unsubscribeUrl === null) return `${body.trimEnd()}\n`;
  return `${body.trimEnd()}\n\n--\n${FOOTER}\n${unsubscribeUrl}\n`;
}

/** The HTML part: the same text, escaped, with its line breaks and spaces, and URLs as links. */
export function htmlOf(body: string, unsubscribeUrl: string | null): string {
  const paragraphs = body
    .trimEnd()
    .replaceAll(/\r\n?/g, "\n")
    .split("\n\n")
    .map((paragraph) => `<p>${paragraph === "" ? "<br>" : spaced(linked(paragraph))}</p>`);
  if (unsubscribeUrl !== null) {
    paragraphs.push(`<p><small>${escaped(QUESTION)} ${link(unsubscribeUrl, "Unsubscribe")}</small></p>`);
  }
  return `<!doctype html>\n<html>\n<body>\n${paragraphs.join("\n")}\n</body>\n</html>\n`;
}

/** A tab, which HTML would show as one space. The line can wrap behind it. */
const TAB = `${"&nbsp;".repeat(3)} `;

/** HTML shows spaces in a row as one, and none at the start of a line. People approved all of them. */
function spaced(html: string): string {
  return html
    .replaceAll("\t", TAB)
    .replaceAll(/(?<=^|\n) | (?= )/g, "&nbsp;")
    .replaceAll("\n", "<br>\n");
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => ESCAPES[mark] as string);
}

function link(url: string, text: string): string {
  return `<a href="${escaped(url)}">${escaped(text)}</a>`;
}

const URLS = /\bhttps?:\/\/[^\s<>"]+/g;

const count = (text: string, mark: string) => text.split(mark).length - 1;

/** Without the marks that end a sentence around an address, and the closing brackets that none opens inside of it. */
function urlIn(run: string): string {
  let url = trimEndOf(run, ".,;:!?'*_");
  for (let unopened = count(url, ")") - count(url, "("); unopened > 0 && url.endsWith(")"); unopened -= 1) {
    url = trimEndOf(url.slice(0, -1), ".,;:!?'*_");
  }
  return url;
}

function linked(text: string): string {
  let html = "";
  let from = 0;
  for (const { 0: run, index } of text.matchAll(URLS)) {
    const url = urlIn(run);
    if (!URL.canParse(url)) continue;
    html += escaped(text.slice(from, index)) + link(url, url);
    from = index + url.length;
  }
  return html + escaped(text.slice(from));
}
