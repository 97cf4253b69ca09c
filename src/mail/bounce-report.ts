import type { Attachment, Email } from "postal-mime";
import { messageIdsIn, sendIdOf } from "./message.ts";
import { detailOf, type Refusal, verdictOn } from "./outcome.ts";

export interface Failure {
  /** The recipient that the report names; undefined where it names none. */
  recipient: string | undefined;
  /** The address is dead. */
  hard: boolean;
  /** It is about our account or server, and not about the recipient. */
  ours: boolean;
  detail: string;
}

/** The header of a message. */
export interface Head {
  /** Keys are in lower case. */
  headers: readonly { key: string; value: string }[];
  subject?: string | undefined;
  from?: { address?: string | undefined } | undefined;
}

/** `named`: the Message-IDs in its text, where it names them only there. */
type Report = { named?: string[] } & (
  | ({ kind: "bounce" } & Failure)
  | { kind: "complaint"; recipient: string | undefined }
  | { kind: "automatic"; reason: string }
);

/** A report of delivery (RFC 3464), of a complaint (RFC 5965) or of having been read (RFC 8098), or an old server's text. */
export function bounceIn(email: Email): Report | undefined {
  switch (reportType(email)) {
    case "delivery-status":
      return deliveryStatus(email) ?? { kind: "automatic", reason: "a report of delivery" };
    case "feedback-report":
      return complaint(email);
    case "disposition-notification":
      return { kind: "automatic", reason: "a receipt" };
    default:
      return plainTextBounce(email);
  }
}

/** The Message-ID of the message that a report gives back, whole or by its header. */
export function returnedIds(email: Email): string[] {
  const [fields] = fieldBlocks(partOf(email, ...RETURNED) ?? "");
  return messageIdsIn(fields?.get("message-id") ?? "");
}

function deliveryStatus(email: Email): Report | undefined {
  const part = partOf(email, "message/delivery-status", "message/global-delivery-status");
  const recipients = fieldBlocks(part ?? "").filter((fields) => fields.has("action"));
  const action = (fields: Fields) => (fields.get("action") ?? "").toLowerCase();
  const failed = recipients.find((fields) => action(fields) === "failed");
  if (failed !== undefined) return { kind: "bounce", ...failureOf(failed) };
  if (recipients.some((fields) => action(fields) === "delayed")) return { kind: "automatic", reason: "a delay" };
  return undefined;
}

function failureOf(fields: Fields): Failure {
  const typed = (name: string) => fields.get(name)?.replace(/^[\w-]+\s*;\s*/, "");
  const recipient = typed("original-recipient") ?? typed("final-recipient");
  const diagnostic = typed("diagnostic-code") ?? "";
  const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get("status") ?? "")?.[0];
  const code = /^\s*([245]\d\d)\b/.exec(diagnostic)?.[1];
  return {
    recipient: recipient?.replace(/^<(.*)>$/, "$1").slice(0, 320),
    // A permanent failure after temporary ones means they lasted too long. That does not count against the address.
    ...verdict({ code: code === undefined ? undefined : Number(code), status, text: diagnostic }),
    detail: detailOf([status, diagnostic].filter(Boolean).join(" ")),
  };
}

function verdict(refusal: Refusal): Pick<Failure, "hard" | "ours"> {
  const about = verdictOn(refusal);
  return { hard: about === "dead", ours: about === "ours" };
}

function complaint(email: Email): Report {
  const [fields] = fieldBlocks(partOf(email, "message/feedback-report") ?? "");
  const type = (fields?.get("feedback-type") ?? "").toLowerCase();
  return type === "not-spam"
    ? { kind: "automatic", reason: "a report of mail that is no spam" }
    : {
        kind: "complaint",
        recipient: fields
          ?.get("original-rcpt-to")
          ?.replace(/^<(.*)>$/, "$1")
          .slice(0, 320),
      };
}

const SENDERS = /^(?:mailer-daemon|postmaster|mail-daemon)@/i;
const SUBJECTS =
  /undeliver|not delivered|failure notice|returned mail|delivery (?:has )?fail|delivery status notification \(failure\)|mail delivery failed|unzustellbar|non remis/i;
const NOT_YET =
  /\b(?:delayed|will be retried|will (?:keep|continue) (?:on )?trying|warning: message|not yet been delivered)\b/i;

/** Whether a message may be a report, by its header. */
export function mayReport(head: Head): boolean {
  return reportType(head) !== undefined || isFailureNotice(head);
}

function isFailureNotice(head: Head): boolean {
  const daemon = SENDERS.test(head.from?.address ?? "") || /^\s*<>\s*$/.test(header(head, "return-path") ?? "");
  return daemon && SUBJECTS.test(head.subject ?? "");
}

/**
 * Servers that send no report describe the failure in text, with our message below it. Only a message from a mail
 * server, with such a subject and a Message-ID of ours, counts as a bounce.
 */
function plainTextBounce(email: Email): Report | undefined {
  if (!isFailureNotice(email)) return undefined;
  const text = (email.text ?? "").slice(0, 64 * 1024);
  const named = [email.inReplyTo ?? "", email.references ?? "", text, ...returnedTexts(email)].flatMap((one) =>
    messageIdsIn(one),
  );
  if (!named.some((id) => sendIdOf(id) !== undefined)) return undefined;
  const words = before(text);
  if (NOT_YET.test(`${email.subject} ${words}`)) return { kind: "automatic", reason: "a delay", named };
  const answer = /\b(5\d\d)[ -](?:#?(5\.\d{1,3}\.\d{1,3})\b)?[^\n]*/.exec(words);
  const recipient = header(email, "x-failed-recipients") ?? /<([^<>@\s]+@[^<>@\s]+)>:?\s*$/m.exec(words)?.[1];
  const refusal = { code: answer ? Number(answer[1]) : undefined, status: answer?.[2], text: answer?.[0] ?? "" };
  return {
    kind: "bounce",
    named,
    recipient: recipient?.split(",")[0]?.trim().slice(0, 320),
    ...verdict(refusal),
    detail: detailOf(answer?.[0] ?? email.subject ?? ""),
  };
}

const OURS = /^[ >]*(?:received|message-id|return-path):/i;

/** The text above our returned message. */
function before(text: string): string {
  const lines = text.split("\n");
  const ours = lines.findIndex((line) => OURS.test(line) || (line.startsWith("---") && /\bcopy\b/i.test(line)));
  return ours === -1 ? text : lines.slice(0, ours).join("\n");
}

function returnedTexts(email: Email): string[] {
  return [partOf(email, "message/rfc822", "text/rfc822-headers") ?? ""];
}

/** Fields of a header or of a part of a report, by their names in lower case; of several the first. */
type Fields = ReadonlyMap<string, string>;

const MAX_PART = 64 * 1024;
const RETURNED = [
  "text/rfc822-headers",
  "message/rfc822",
  "message/rfc822-headers",
  "message/global",
  "message/global-headers",
];

function textOf({ content }: Attachment): string {
  return typeof content === "string" ? content : Buffer.from(content as ArrayBuffer).toString("utf8", 0, MAX_PART);
}

/** `multipart/report`'s report-type, in lower case; undefined for any other message. */
function reportType(email: Head): string | undefined {
  const type = header(email, "content-type") ?? "";
  if (!/^\s*multipart\/report\b/i.test(type)) return undefined;
  return (/report-type="?([\w-]+)/i.exec(type)?.[1] ?? "").toLowerCase();
}

export function header({ headers }: Pick<Head, "headers">, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

/** The text of the first part of one of these types. */
function partOf(email: Email, ...types: string[]): string | undefined {
  const part = email.attachments.find(({ mimeType }) => types.includes(mimeType));
  return part && textOf(part);
}

/**
 * Reads blocks of fields, which empty lines divide.
 *
 * @param between what divides them: in the header of a message a line of white space continues a field (RFC 5322, 4.2),
 *   and in reports it is an empty line that a server indented
 */
export function fieldBlocks(text: string, between = /\n\s*\n/): Fields[] {
  return text
    .replaceAll("\r\n", "\n")
    .split(between)
    .map((block) => {
      const fields = new Map<string, string>();
      for (const line of block.replaceAll(/\n[ \t]+/g, " ").split("\n")) {
        const [, name, value] = /^([\w-]+)[ \t]*:(.*)$/.exec(line) ?? [];
        if (name !== undefined && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value?.trim() ?? "");
      }
      return fields;
    })
    .filter((fields) => fields.size > 0);
}
