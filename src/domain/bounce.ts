/** A mail server's refusal, as SMTP answered it or as a report of delivery tells it. */
export interface Refusal {
  /** The three digits of SMTP; undefined where a report gives none. */
  code?: number | undefined;
  /** The enhanced status of RFC 3463, such as 5.1.1. */
  status?: string | undefined;
  /** What the server said. */
  text: string;
}

/** The mailbox or its domain does not exist, has moved, or takes no mail any more: RFC 3463, RFC 7505 and RFC 7504. */
const DEAD = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1", "5.4.4"];

/** Codes that servers without enhanced ones give for a mailbox that is not there, and for much else. */
const BARE = [550, 551, 553];
const NOBODY =
  /\b(?:no such (?:user|mailbox|recipient|person)|(?:user|recipient|mailbox|account|address) (?:is )?(?:unknown|not found|disabled|does(?: not|n't) exist)|unknown (?:user|recipient|mailbox|account)|invalid (?:recipient|mailbox)|does not exist here|recipient not found)\b/i;

/** Exchange Online's words for a mailbox that is not there, under a status that means routing. */
const EXCHANGE = /recipient address rejected: access denied/i;

/**
 * Whether an address is dead, so that nothing must be sent to it again. A full mailbox, a size limit and a judgement on
 * content or sender (5.7.x) say nothing against the address.
 */
export function isHardBounce({ code, status, text }: Refusal): boolean {
  if (code !== undefined && code < 500) return false;
  if (status === undefined) return code !== undefined && BARE.includes(code) && NOBODY.test(text);
  if (status === "5.4.1") return EXCHANGE.test(text);
  // Status that says nothing further, beside words that do.
  if (status === "5.0.0" || status === "5.1.0") return NOBODY.test(text);
  return DEAD.includes(status);
}

/** The enhanced status in an answer of SMTP: `550 5.1.1 …`. */
export function enhancedStatus(answer: string): string | undefined {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(answer)?.[1];
}
