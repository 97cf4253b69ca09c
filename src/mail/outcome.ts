/** A mail server's refusal, as SMTP answered it or as a delivery report describes it. */
export interface Refusal {
  /** The three digits of SMTP; undefined where a report gives none. */
  code?: number | undefined;
  /** The enhanced status of RFC 3463, such as 5.1.1. */
  status?: string | undefined;
  /** The server's text. */
  text: string;
}

/**
 * What a refusal is about. `dead`: the address, permanently. `theirs`: this recipient, or this message to them. `ours`:
 * our account, our server or its setup, so that no other message would fare better.
 */
export type Verdict = "dead" | "theirs" | "ours";

/**
 * What an enhanced status means by its subject and detail, whatever its class: RFC 3463, 5248, 7372, 7504, 7505, 8689,
 * and what Google and Microsoft send. Where a status is not listed, the text decides.
 */
const STATUSES: [verdict: Verdict, ...statuses: string[]][] = [
  // No such mailbox, no such domain, no address at all, moved away, none by Exchange's directory, accepts no mail.
  ["dead", "1.1", "1.2", "1.3", "1.6", "1.10", "2.1", "4.4"],
  // Our own address: malformed, of a domain that cannot be answered, over the day's limit.
  ["ours", "1.7", "1.8", "1.90"],
  // The message is too long.
  ["theirs", "2.3", "3.4"],
  // Our own mail server: full, accepting nothing, set up wrong, or over a quota.
  ["ours", "3.1", "3.2", "3.5", "4.5"],
  // Lists, groups and people that only some may write to; a mailbox that has another owner now.
  ["theirs", "7.2", "7.12", "7.17", "7.18", "7.124", "7.129", "7.133", "7.134", "7.135", "7.136"],
  // Who we are: encryption, passwords, a suspended account, keys and proofs of our domain, names of our address.
  ["ours", "7.3", "7.8", "7.9", "7.10", "7.11", "7.13", "7.14", "7.20", "7.21", "7.22", "7.23", "7.24", "7.25"],
  ["ours", "7.26", "7.27", "7.28", "7.29"],
  // Microsoft: no relaying for us, no right to send as this address, banned, throttled, unregistered.
  ["ours", "7.54", "7.57", "7.60", "7.64", "7.232", "7.233", "7.367", "7.500", "7.501", "7.502", "7.503", "7.504"],
  ["ours", "7.505", "7.508", "7.511", "7.606", "7.705", "7.708", "7.750"],
];
const BY_STATUS = new Map(STATUSES.flatMap(([verdict, ...statuses]) => statuses.map((status) => [status, verdict])));

/** Missing encryption or login, a wrong order of commands, a failed login, a server that closes. */
const OUR_CODES = [421, 454, 503, 530, 534, 535, 538];

/** Texts about the sender, where the status is too vague: Postfix, Exim, Exchange, Amazon, Google, hosters. */
const OUR_TEXTS = new RegExp(
  [
    /\brelay(?:ing)?\b.{0,40}\b(?:denied|prohibited|not (?:allowed|permitted))|\b(?:unable|not (?:allowed|permitted|authori[sz]ed)) to (?:relay|send)\b/,
    /\bauthentication (?:is )?required|\bnot (?:yet )?authenticated|\bunauthenticated\b|\bmust (?:authenticate|issue a starttls)/,
    /\b(?:email )?(?:address|identity|domain|sender) (?:is )?not verified\b|\bsender (?:address )?(?:\S+ )?(?:rejected|denied|refused|not allowed|verify failed)/,
    /\b(?:sending|submission|outbound|outgoing|daily|hourly|monthly)\b[\w ]{0,30}\b(?:quota|limit|rate)s?\b|\b(?:rate|sending) limit|\brate[ -]limited\b|\bthrottl/,
    /\btoo (?:many|much) (?:messages|mails?|emails|connections|sessions|recipients)\b/,
    /\b(?:your|sending) (?:account|domain|server|ip|organi[sz]ation|tenant|mail(?:box)?)\b.{0,60}\b(?:suspended|blocked|disabled|banned|restricted|locked|limited|exceeded|not allowed)/,
    /\b(?:client|sender) host\b.{0,80}\b(?:rejected|blocked|denied)|\bhelo command rejected|\b(?:block|black|deny)[ -]?list|\bspamhaus\b|\breverse (?:dns|hostname)|\bptr record/,
    /\b(?:spf|dkim|dmarc)\b/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "i",
);

/** Greylisting, which comes under any status and is soon over. */
const GREYLISTED = /\bgr[ae]y[ -]?list/i;
/** Google's text for a live mailbox, under the status of a dead one. */
const BUSY = /\breceiving mail (?:too quickly|at a rate)/i;

/** Codes that servers without enhanced ones answer for a missing mailbox, and for much else. */
const BARE = [550, 551, 553];
/** Characters of a refusal that are read: its reason comes first. */
const MAX_READ = 1_000;
const NOBODY =
  /\b(?:no such (?:user|mailbox|recipient|person)|(?:user|recipient|mailbox|account|address) (?:is )?(?:unknown|not found|disabled|does(?: not|n't) exist)|unknown (?:user|recipient|mailbox|account)|invalid (?:recipient|mailbox)|does not exist here|recipient not found)\b/i;
/** Exchange Online's text for a missing mailbox, under a status that means routing. */
const EXCHANGE = /recipient address rejected: access denied/i;

/**
 * Judges a refusal of a recipient or a message. A full mailbox, a size limit and a judgment on content do not count
 * against the address. An unknown refusal counts as theirs, so that it puts no address on the do-not-contact list.
 */
export function verdictOn({ code, status, text: whole }: Refusal): Verdict {
  const text = whole.slice(0, MAX_READ);
  if (code !== undefined && OUR_CODES.includes(code)) return "ours";
  const meaning = status?.replace(/^\d\./, "");
  const known = BY_STATUS.get(meaning ?? "") ?? byText(code, meaning, text);
  const dead = known === "dead" && !BUSY.test(text) && !(code !== undefined && code < 500) && !status?.startsWith("4");
  return known === "dead" && !dead ? "theirs" : known;
}

function byText(code: number | undefined, meaning: string | undefined, text: string): Verdict {
  if (GREYLISTED.test(text)) return "theirs";
  if (OUR_TEXTS.test(text)) return "ours";
  if (meaning === "4.1") return EXCHANGE.test(text) ? "dead" : "theirs";
  const silent = meaning === "0.0" || meaning === "1.0" || (meaning === undefined && BARE.includes(code ?? 0));
  return silent && NOBODY.test(text) ? "dead" : "theirs";
}

/** The enhanced status in an answer of SMTP: `550 5.1.1 …`. */
export function enhancedStatus(answer: string): string | undefined {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(answer)?.[1];
}

/** The result of one attempt to send. */
export type Outcome =
  /** A server accepted it. The Message-ID is the one that its recipient sees: some servers set their own. */
  | { status: "accepted"; answer: string; messageId: string }
  /** Written to a file and not sent, because there is no server. */
  | { status: "written"; file: string }
  /** Not sent; a retry may work. Where `ours`, no other message would fare better now. */
  | { status: "transient"; ours: boolean; detail: string }
  /** Refused permanently. `hard`: the address is dead. */
  | { status: "permanent"; hard: boolean; detail: string }
  /** Not sent, and no retry would change that: a person must fix it. */
  | { status: "unsendable"; detail: string }
  /** Handed over whole, without an answer: it may or may not have been delivered. */
  | { status: "unknown"; detail: string };

/** How much of the message had left when it failed. A server that has not seen its end must not deliver it (RFC 5321, 4.1.1.4). */
export type HandedOver = "nothing" | "part" | "whole";

/** A failure as nodemailer reports it. */
export interface SendFailure {
  message: string;
  /** nodemailer's own error codes, such as ECONNECTION, EENVELOPE, EAUTH. */
  code?: string | undefined;
  /** The command in progress: CONN, EHLO, AUTH …, MAIL FROM, RCPT TO, DATA; API where it never asked the server. */
  command?: string | undefined;
  /** The server's answer, where there was one. */
  response?: string | undefined;
  responseCode?: number | undefined;
}

const MAX_DETAIL = 300;
/** Answers to MAIL FROM that are about the message: too large. All others are about our address or server. */
const TOO_LARGE = [552, 523];

/** One line of a server's text, without characters that a log or a page should not show. */
export function detailOf(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_DETAIL);
}

export function outcomeOf(failure: SendFailure, handedOver: HandedOver): Outcome {
  const { code, command, response, responseCode = 0 } = failure;
  const detail = detailOf(response ?? failure.message);
  // After an answer of 4xx or 5xx the server does not have the message, wherever it came.
  if (responseCode >= 400 && responseCode < 600) return refused(responseCode, command, response ?? "", detail);
  if (handedOver === "whole") return { status: "unknown", detail };
  // Refused by nodemailer itself: an address that no envelope can hold, a size that the server rules out.
  const unsent = code === "EENVELOPE" || code === "EMESSAGE";
  if (unsent && responseCode === 0) return { status: "permanent", hard: false, detail };
  return { status: "transient", ours: true, detail };
}

/** A refusal before a recipient was named, or one that is about us, does not concern this message. */
function refused(code: number, command: string | undefined, answer: string, detail: string): Outcome {
  const status = enhancedStatus(answer);
  const tooLarge = TOO_LARGE.includes(code) || status === "5.3.4" || status === "5.2.3";
  const theirs = command === "RCPT TO" || command === "DATA" || (command === "MAIL FROM" && tooLarge);
  const verdict = theirs ? verdictOn({ code, status, text: answer }) : "ours";
  if (verdict === "ours" || code < 500) return { status: "transient", ours: verdict === "ours", detail };
  return { status: "permanent", hard: verdict === "dead", detail };
}
