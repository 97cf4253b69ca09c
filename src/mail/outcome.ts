import { enhancedStatus, verdictOn } from "../domain/refusal.ts";

/** What became of handing a message over. */
export type Outcome =
  /** A server has taken it. The Message-ID is the one that its recipient sees: some servers put their own. */
  | { status: "accepted"; answer: string; messageId: string }
  /** Written down and not sent: there is no server. */
  | { status: "written"; file: string }
  /** Nobody has it; later may go better. Where `ours`, no message would fare better now: it is not this recipient. */
  | { status: "transient"; ours: boolean; detail: string }
  /** Refused for good. `hard`: the address is dead. */
  | { status: "permanent"; hard: boolean; detail: string }
  /** It was handed over whole, and no answer came: it may be with its recipient, or nowhere. */
  | { status: "unknown"; detail: string };

/** How much of the message had left when it failed. A server that has not seen its end must not deliver it (RFC 5321, 4.1.1.4). */
export type HandedOver = "nothing" | "part" | "whole";

/** What nodemailer says of a failure. */
export interface SendFailure {
  message: string;
  /** Its own classes, such as ECONNECTION, EENVELOPE, EAUTH. */
  code?: string | undefined;
  /** What was under way: CONN, EHLO, AUTH …, MAIL FROM, RCPT TO, DATA; API where it never asked the server. */
  command?: string | undefined;
  /** The server's answer, where there was one. */
  response?: string | undefined;
  responseCode?: number | undefined;
}

const MAX_DETAIL = 300;
/** Answers to MAIL FROM that are about the message: too large. All others are about our address or server. */
const TOO_LARGE = [552, 523];

/** One line of what a server said, without what a log or a page should not show. */
export function detailOf(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_DETAIL);
}

export function outcomeOf(failure: SendFailure, handedOver: HandedOver): Outcome {
  const { code, command, response, responseCode = 0 } = failure;
  const detail = detailOf(response ?? failure.message);
  // An answer of 4xx or 5xx settles it wherever it came: the server does not have the message.
  if (responseCode >= 400 && responseCode < 600) return refused(responseCode, command, response ?? "", detail);
  if (handedOver === "whole") return { status: "unknown", detail };
  // Refused by nodemailer itself: an address that cannot be put into an envelope, a size that the server rules out.
  const unsent = code === "EENVELOPE" || code === "EMESSAGE";
  if (unsent && responseCode === 0) return { status: "permanent", hard: false, detail };
  return { status: "transient", ours: true, detail };
}

/** Whatever was refused before a recipient was named, or is about us wherever it was said, is no word on this message. */
function refused(code: number, command: string | undefined, answer: string, detail: string): Outcome {
  const status = enhancedStatus(answer);
  const tooLarge = TOO_LARGE.includes(code) || status === "5.3.4" || status === "5.2.3";
  const theirs = command === "RCPT TO" || command === "DATA" || (command === "MAIL FROM" && tooLarge);
  const verdict = theirs ? verdictOn({ code, status, text: answer }) : "ours";
  if (verdict === "ours" || code < 500) return { status: "transient", ours: verdict === "ours", detail };
  return { status: "permanent", hard: verdict === "dead", detail };
}
