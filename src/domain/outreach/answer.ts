import { emailPin } from "../contacts/address.ts";
import { withoutHidden } from "../text/hidden.ts";
import type { MailDelivery } from "./sending.ts";

/** The statuses of an answer to a reply by email. */
export const ANSWER_STATUSES = {
  needs_review: "Needs review by a teammate who can approve outbound messages.",
  changes_requested: "A teammate requested changes. The author edits the answer, then it needs review again.",
  approved: "Approved. The answer will be sent, or is being sent.",
  sent: "A mail server accepted the answer.",
  written: "Saved to a file and not sent.",
  failed: "Rejected or bounced, or every attempt failed.",
  cancelled: "Canceled or rejected by a teammate, or the contact opted out or was archived.",
} as const;
export type AnswerStatus = keyof typeof ANSWER_STATUSES;

/** What moves an answer. An outcome that arrives late counts too. `send_back`: what was approved has changed. */
export type AnswerMove = "approve" | "request_change" | "revise" | "send_back" | "cancel" | "send" | "write" | "fail";

/** The state machine: from, by, to. */
const ANSWER_STATES: Readonly<Record<AnswerStatus, Readonly<Partial<Record<AnswerMove, AnswerStatus>>>>> = {
  needs_review: { approve: "approved", request_change: "changes_requested", cancel: "cancelled" },
  changes_requested: { revise: "needs_review", cancel: "cancelled" },
  approved: { send_back: "needs_review", cancel: "cancelled", send: "sent", write: "written", fail: "failed" },
  sent: { fail: "failed" },
  written: {},
  failed: { send: "sent" },
  // A message that was being handed over when it was canceled.
  cancelled: { send: "sent" },
};

/** The statuses that a move can start from. */
export function answersBefore(move: AnswerMove): AnswerStatus[] {
  return (Object.keys(ANSWER_STATES) as AnswerStatus[]).filter((status) => ANSWER_STATES[status][move] !== undefined);
}

/** The status that each move leads to, the same from any start. */
export function answerAfter(move: AnswerMove): AnswerStatus {
  const [from] = answersBefore(move);
  return ANSWER_STATES[from as AnswerStatus][move] as AnswerStatus;
}

/** How long a sent answer can be undone before it leaves. */
export const UNDO_SEND_MS = 10_000;

/** Of a long thread the first message and the latest ones, so that the header stays within what servers accept. */
export const MAX_THREAD = 20;

/** What an approval of an answer pins. */
export interface PinnedAnswer {
  contactId: string;
  /** Where it is sent. */
  address: string;
  subject: string;
  body: string;
  inReplyTo: string | null;
  thread: readonly string[];
  delivery: MailDelivery;
}

/** What an approval pins beside the answer itself. */
export interface AnswerSurroundings {
  /** The address that the contact has now. */
  contactEmail: string | null;
  /** The workspace's name for its sender. */
  senderName: string | null;
  /** The sender of the mail server, as one text. */
  mailFrom: string | null;
  /** The newest reply of the contact, or of another one who is the same person, and the one that is answered. */
  newestReplyId: string | undefined;
  lastReplyId: string | undefined;
}

/** What an approval of an answer pins, as one text: the words, the recipient, the sender and the conversation. */
export function answerText(answer: PinnedAnswer, around: AnswerSurroundings): string {
  const { contactId, address, subject, body, inReplyTo, thread, delivery } = answer;
  const { contactEmail, senderName, mailFrom, newestReplyId = null, lastReplyId = null } = around;
  return JSON.stringify([
    contactId,
    emailPin(address),
    contactEmail && emailPin(contactEmail),
    subject,
    body,
    inReplyTo,
    thread,
    senderName,
    mailFrom,
    newestReplyId,
    lastReplyId,
    delivery,
  ]);
}

/** The longest subject that an answer can have. */
export const MAX_SUBJECT = 500;

/** The subject of an answer to a reply, without what the contact could hide in it, or push out of sight. */
export function answerSubject(subject: string | null): string {
  const text = withoutHidden(subject ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const whole = /^re:/i.test(text) ? text : `Re: ${text}`.trim();
  return whole.length <= MAX_SUBJECT ? whole : [...whole.slice(0, MAX_SUBJECT)].slice(0, -1).join("").trimEnd();
}
