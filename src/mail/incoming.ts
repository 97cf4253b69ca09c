import PostalMime, { type Email } from "postal-mime";
import { automaticReason } from "./automatic.ts";
import { bounceIn, type Failure } from "./bounce-report.ts";
import { excerptOf } from "./excerpt.ts";
import { messageIdsIn, sendIdOf } from "./message-id.ts";
import { returnedIds } from "./report.ts";
import { tokenInSubject } from "./unsubscribe.ts";

/** What came into the mailbox. */
export type Incoming = Envelope &
  (
    | { kind: "reply"; excerpt: string }
    /** No person wrote it: an out-of-office notice, a receipt, a delay. */
    | { kind: "automatic"; reason: string; excerpt: string }
    /** It was not delivered, and will not be. */
    | ({ kind: "bounce" } & Failure)
    /** Its recipient called it spam. */
    | { kind: "complaint" }
    /** A message to the address of List-Unsubscribe. The token is to be checked like any. */
    | { kind: "unsubscribe"; token: string }
    /** It answers nothing. */
    | { kind: "other" }
  );

interface Envelope {
  /** Of the message itself; undefined where it has none. */
  messageId: string | undefined;
  from: string | undefined;
  subject: string;
  /** The send that it answers or reports on, by a Message-ID of ours. Anybody who got the message can name it. */
  sendId: string | undefined;
  /** All Message-IDs that it refers to, the closest first: for servers that put theirs in place of ours. */
  refersTo: string[];
}

const MAX_TEXT = 500;
/** The parser takes each line by itself, and the server waits meanwhile: what people and reports say stands above. */
const MAX_LINES = 10_000;
const LINE_FEED = 10;

/** Reads a message as it came. It never rejects: what cannot be read answers nothing. */
export async function readIncoming(source: Uint8Array): Promise<Incoming> {
  const email = await PostalMime.parse(beginningOf(source), { forceRfc822Attachments: true }).catch(() => undefined);
  if (email === undefined) {
    return { kind: "other", messageId: undefined, from: undefined, subject: "", sendId: undefined, refersTo: [] };
  }
  const report = bounceIn(email);
  const refersTo = [...new Set([...referencesOf(email), ...(report?.named ?? [])])];
  const envelope: Envelope = {
    messageId: email.messageId?.slice(0, MAX_TEXT),
    from: email.from?.address?.slice(0, MAX_TEXT),
    subject: (email.subject ?? "").slice(0, MAX_TEXT),
    sendId: refersTo.map(sendIdOf).find((id) => id !== undefined),
    refersTo,
  };
  const token = tokenInSubject(email.subject ?? "");
  if (token !== undefined) return { ...envelope, kind: "unsubscribe", token };
  if (report?.kind === "bounce") {
    const { kind, recipient, hard, ours, detail } = report;
    return { ...envelope, kind, recipient, hard, ours, detail };
  }
  if (report?.kind === "complaint") return { ...envelope, kind: "complaint" };
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

/** In-Reply-To, what a report gives back, and the thread from its end. */
function referencesOf(email: Email): string[] {
  const thread = messageIdsIn(email.references ?? "").reverse();
  return [...messageIdsIn(email.inReplyTo ?? ""), ...returnedIds(email), ...thread];
}
