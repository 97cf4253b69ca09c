import { decodeWords } from "postal-mime";
import { tokenInSubject } from "../domain/outreach/unsubscribe-link.ts";
import { type Failure, fieldBlocks, type Head, header, mayReport } from "./bounce-report.ts";
import { messageIdsIn, threadIdsIn } from "./message.ts";

/** A message that arrived in the mailbox. */
export type Incoming = Envelope &
  (
    | { kind: "reply"; excerpt: string }
    /** No person wrote it: an out-of-office notice, a receipt, a delay. */
    | { kind: "automatic"; reason: string; excerpt: string }
    /** A message of ours was not delivered, and will not be retried. */
    | ({ kind: "bounce" } & Failure)
    /** Its recipient called it spam. The report may name the address. */
    | { kind: "complaint"; recipient: string | undefined }
    /** It is not related to a message of ours. */
    | { kind: "other" }
  );

export interface Envelope {
  /** Of the message itself; undefined where it has none. */
  messageId: string | undefined;
  from: string | undefined;
  subject: string;
  /** The send that it answers or reports on, by our Message-ID. Anyone who got the message can use that id. */
  sendId: string | undefined;
  /** All Message-IDs that it refers to, the closest first: some servers replace ours with their own. */
  refersTo: string[];
  /** Of a subject that unsubscribes. The caller checks it: if it can't be read, the message counts as what else it is. */
  token: string | undefined;
}

/** Bytes of a header that are fetched before the message is. */
export const MAX_HEADER = 64 * 1024;

/** Characters of a text of the header that are kept. */
export const MAX_TEXT = 500;

/** What only the header says of a message: enough to decide whether its body is read. */
export interface Heading {
  messageId: string | undefined;
  from: string | undefined;
  subject: string;
  /** The Message-IDs of the thread, the closest first. */
  refersTo: string[];
  /** Of a message that unsubscribes. The caller checks it. */
  token: string | undefined;
  /** A mail server may have sent it. What it reports on is in its body. */
  mayReport: boolean;
  /** Only the beginning of the header was fetched, so more fields may follow. */
  isCut: boolean;
  /** Why no person wrote it; undefined where one may have. */
  automatic: string | undefined;
}

/** Reads a header in linear time. */
export function readHeading(bytes: Buffer): Heading {
  const [fields] = fieldBlocks(bytes.toString("utf8"), /\n\n/);
  const headers = [...(fields ?? [])].map(([key, value]) => ({ key, value }));
  const subject = decodeWords(header({ headers }, "subject") ?? "");
  const from = addressIn(header({ headers }, "from") ?? "");
  const head: Head = { headers, subject, from: { address: from } };
  const ids = (name: string) => messageIdsIn(header(head, name) ?? "");
  return {
    messageId: header(head, "message-id")?.slice(0, MAX_TEXT),
    from: from?.slice(0, MAX_TEXT),
    subject: subject.slice(0, MAX_TEXT),
    refersTo: [...new Set([...ids("in-reply-to"), ...threadIdsIn(header(head, "references") ?? "")])],
    token: tokenInSubject(subject),
    mayReport: mayReport(head),
    isCut: bytes.length >= MAX_HEADER,
    automatic: automaticReason(head),
  };
}

/** The address of a sender: the one in angle brackets, whatever the name before it holds. */
function addressIn(value: string): string | undefined {
  const bracketed = value.slice(value.lastIndexOf("<") + 1).split(">", 1)[0] ?? "";
  return bracketed.split(/[\s"(),;:]+/).find((part) => part.includes("@"));
}

const NOT_READ =
  "Rostrum couldn't read this email, because its content needs too much time or memory. Open it in the mailbox.";

/**
 * What is recorded of a message whose body cannot be read. One that answers ours counts as a reply, so that no further
 * message goes out before a person has looked. Undefined for one that answers nothing: only its body names what it
 * reports on.
 */
export function unreadable({ automatic, isCut: _, mayReport, ...envelope }: Heading): Incoming | undefined {
  if (envelope.refersTo.length === 0) return undefined;
  const reason = mayReport ? "a report that cannot be read" : automatic;
  const incoming = { ...envelope, sendId: undefined, excerpt: NOT_READ };
  return reason === undefined ? { ...incoming, kind: "reply" } : { ...incoming, kind: "automatic", reason };
}

/**
 * Headers of automatic answers, and their values (RFC 3834, and what programs send). A person's answer mistaken for a
 * program's would let the next message of the sequence be sent. So these are only what persons' messages never carry,
 * and not what forwarding rules add.
 */
const HEADERS: [name: string, says: RegExp][] = [
  // Every value but `no`: more may be defined.
  ["auto-submitted", /^\s*(?!no\b)\S/i],
  ["x-auto-response-suppress", /\b(?:all|autoreply)\b/i],
  ["x-autoreply", /^(?!\s*no\b)/i],
  ["x-autoreply-from", /^/],
  ["x-autoresponse", /^(?!\s*no\b)/i],
  ["x-autorespond", /^/],
  ["x-autoresponder", /^/],
  ["x-autogenerated", /reply|response/i],
  ["x-mail-autoreply", /^/],
  ["precedence", /^\s*(?:auto[_-]?reply|bulk|junk)\b/i],
  ["x-precedence", /^\s*(?:auto[_-]?reply|bulk|junk)\b/i],
  ["x-fc-machinegenerated", /\btrue\b/i],
  ["x-post-messageclass", /autoresponder/i],
  ["return-path", /^\s*<>\s*$/],
];

/** How subjects of out-of-office notices begin, for programs that mark them in no other way. */
const SUBJECT =
  /^\s*(?:\[?(?:auto(?:matic|mated)?[ -]?(?:reply|response|answer)|out of (?:the )?office|away from (?:the )?office|on (?:vacation|holiday|leave)|automatische (?:antwort|reactie)|automatisch antwoord|abwesenheits?(?:notiz|nachricht|benachrichtigung|agent)?|abwesend|réponse automatique|absence du bureau|respuesta automática|fuera de (?:la )?oficina|risposta automatica|fuori sede|resposta automática|ausência|autosvar|automatiskt svar|frånvaro|automatyczna odpowiedź|自動応答|自動返信|自动回复|자동 회신|автоответ)\]?)(?:\s*[:\-–(]|\s*$|\s+(?:re|aw|from|until|bis|am)\b)/i;

const BY_SUBJECT = "its subject";

/** A person answered, and kept a subject of ours that reads like an out-of-office notice. */
export function keepsSubject(incoming: Incoming, ours: string): incoming is Incoming & { kind: "automatic" } {
  const same = incoming.subject.trim() === ours.trim().slice(0, MAX_TEXT).trim();
  return incoming.kind === "automatic" && incoming.reason === BY_SUBJECT && same;
}

/** Why this is automatic; undefined where a person may have written it. `Precedence: list` proves neither. */
export function automaticReason(email: Head): string | undefined {
  const found = HEADERS.find(([name, says]) => {
    const value = header(email, name);
    return value !== undefined && says.test(value);
  });
  if (found !== undefined) return `its header ${found[0]}`;
  return SUBJECT.test(email.subject ?? "") ? BY_SUBJECT : undefined;
}
