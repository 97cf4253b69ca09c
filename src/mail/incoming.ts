import { convert } from "html-to-text";
import PostalMime, { type Email } from "postal-mime";
import { tokenInSubject } from "../domain/outreach/unsubscribe-link.ts";
import { trimEndOf } from "../lib/trim-end.ts";
import { bounceIn, returnedIds } from "./bounce-report.ts";
import { automaticReason, type Envelope, type Incoming, MAX_TEXT } from "./heading.ts";
import { messageIdsIn, sendIdOf, threadIdsIn } from "./message.ts";

/** The parser blocks the process while it reads lines; replies and reports have what matters near the top. */
const MAX_LINES = 10_000;
const LINE_FEED = 10;

/** Reads a message as it came. It never rejects: what cannot be read is `other`. */
export async function readIncoming(source: Uint8Array): Promise<Incoming> {
  const email = await PostalMime.parse(beginningOf(source), { forceRfc822Attachments: true }).catch(() => undefined);
  if (email === undefined) {
    return {
      kind: "other",
      messageId: undefined,
      from: undefined,
      subject: "",
      token: undefined,
      sendId: undefined,
      refersTo: [],
    };
  }
  const report = bounceIn(email);
  const refersTo = [...new Set([...referencesOf(email), ...(report?.named ?? [])])];
  const envelope: Envelope = {
    messageId: email.messageId?.slice(0, MAX_TEXT),
    from: email.from?.address?.slice(0, MAX_TEXT),
    subject: (email.subject ?? "").slice(0, MAX_TEXT),
    token: tokenInSubject(email.subject ?? ""),
    sendId: refersTo.map(sendIdOf).find((id) => id !== undefined),
    refersTo,
  };
  if (report?.kind === "bounce") {
    const { kind, recipient, hard, ours, detail } = report;
    return { ...envelope, kind, recipient, hard, ours, detail };
  }
  if (report?.kind === "complaint") return { ...envelope, ...report };
  const reason = report?.reason ?? automaticReason(email);
  if (reason !== undefined) return { ...envelope, kind: "automatic", reason, excerpt: excerptOf(email) };
  if (refersTo.length === 0) return { ...envelope, kind: "other" };
  return { ...envelope, kind: "reply", excerpt: excerptOf(email) };
}

function beginningOf(source: Uint8Array): Uint8Array {
  let end = -1;
  for (let lines = 0; lines < MAX_LINES; lines++) {
    end = source.indexOf(LINE_FEED, end + 1);
    if (end === -1) return source;
  }
  return source.subarray(0, end + 1);
}

/** In-Reply-To, the message that a report returns, and the thread from its end. */
function referencesOf(email: Email): string[] {
  return [...messageIdsIn(email.inReplyTo ?? ""), ...returnedIds(email), ...threadIdsIn(email.references ?? "")];
}

const MAX_EXCERPT = 2_000;
const MAX_READ = 200_000;
const MAX_DEPTH = 100;
const LINES_OF_HEADER = 3;

/** Lines that mail programs write above the message they quote, without white space around them. */
const QUOTE_BEGINS = [/^>/, /^_{20,}$/, /^(?:from|von|de|da|van|från|od) *:\s.*@/i];
/** The text between dashes above such a message. */
const SEPARATORS = [
  "original message",
  "original-nachricht",
  "ursprüngliche nachricht",
  "message d'origine",
  "mensaje original",
  "messaggio originale",
  "oorspronkelijk bericht",
  "forwarded message",
];
/** "On …, … wrote:" and similar, by how it begins, its verb, and how it ends; mail programs break it over up to three lines. */
const ATTRIBUTION = [
  /^(?:on|am|le|el|il|em|op|den|w dniu|dnia)\s.{5}/i,
  /\s(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|pisze|napisał\(?a?\)?)(?![\p{L}\p{N}])/iu,
  /[:：]$/,
];
/** How far from the end of an attribution its verb may be. */
const MAX_AFTER_VERB = 200;
const MAX_ATTRIBUTION = 600;

/** The text that a person wrote, without the quoted part below it, limited in length. */
function excerptOf({ text, html }: Email): string {
  const written = text?.trim() ? text.slice(0, MAX_READ) : plain((html ?? "").slice(0, MAX_READ));
  const lines = written.replaceAll("\r\n", "\n").split("\n");
  const end = lines.findIndex((_, i) => beginsQuote(lines, i));
  const own = lines
    .slice(0, end === -1 ? undefined : end)
    .join("\n")
    .trim();
  // An answer below the quote, or in between, is shown with the quote.
  const shown = own === "" ? written.trim() : own;
  return shown.length > MAX_EXCERPT ? `${shown.slice(0, MAX_EXCERPT - 1).trimEnd()}…` : shown;
}

function beginsQuote(lines: readonly string[], at: number): boolean {
  const line = (lines[at] as string).trim();
  if (QUOTE_BEGINS.some((mark) => mark.test(line)) || isSeparator(line)) return true;
  for (let more = 1; more <= LINES_OF_HEADER; more++) {
    const joined = lines
      .slice(at, at + more)
      .join(" ")
      .trim();
    if (joined.length < MAX_ATTRIBUTION && isAttribution(joined)) return true;
  }
  return false;
}

function isSeparator(line: string): boolean {
  if (!line.startsWith("--") || !line.endsWith("--")) return false;
  const title = trimEndOf(line.replace(/^[- ]+/, ""), "- ");
  return SEPARATORS.includes(title.toLowerCase());
}

function isAttribution(text: string): boolean {
  const [begins, verb, ends] = ATTRIBUTION as [RegExp, RegExp, RegExp];
  return ends.test(text) && begins.test(text) && verb.test(text.slice(-MAX_AFTER_VERB));
}

/** What mail programs wrap quoted messages in; and images, which have no text. */
const QUOTED_HTML = ["blockquote", "img", ".gmail_quote", "#divRplyFwdMsg", "#appendonsend", ".moz-cite-prefix"];

function plain(html: string): string {
  return convert(html, {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    selectors: [
      ...QUOTED_HTML.map((selector) => ({ selector, format: "skip" })),
      { selector: "a", options: { ignoreHref: true } },
    ],
  });
}
