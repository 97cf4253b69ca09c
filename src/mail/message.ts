import type { SendMailOptions } from "nodemailer";
import { isEmail, misreadFault } from "../domain/contacts/address.ts";
import { htmlOf, textOf } from "../domain/outreach/message-body.ts";
import { messageFault } from "../domain/outreach/sending.ts";
import { domainOf, type Sender } from "../lib/mail-server.ts";

/** One email of a sequence, or an answer to a reply, filled in and cleared for sending. */
export interface SequenceEmail {
  /** Of this step to this contact; the same at each retry. */
  sendId: string;
  /** MAIL_FROM. */
  from: Sender;
  /** The workspace's name for its sender; replaces the name of MAIL_FROM. */
  senderName: string | null;
  to: { address: string; name: string };
  subject: string;
  body: string;
  /** In milliseconds, by the server's clock. */
  at: number;
  unsubscribe: {
    url: string;
    /** For mailto: too, where the mailbox of MAIL_FROM is read: the subject of that message. */
    subject?: string | undefined;
  };
  /** Message-IDs of the earlier messages of the thread, oldest first, as their recipient has them. */
  earlier: readonly string[];
  /** A person's answer to a reply. The unsubscribe link is only in its header. */
  isAnswer?: boolean;
}

/** A message as a mailer takes it. */
export interface Message {
  sendId: string;
  messageId: string;
  options: SendMailOptions;
}

/** An email that must not be sent in this state. Its message tells a person what to fix. */
export class UnsendableEmail extends Error {}

/** Of a long thread the first message and the latest ones, so that the header stays within what servers accept. */
const MAX_REFERENCES = 20;

/**
 * An email for nodemailer: text and HTML with the same content, and headers for threading, replies and one-click
 * unsubscribing (RFC 2369, RFC 8058). Without `Auto-Submitted`, because people wrote, approved and sign it, and want
 * its replies, out-of-office notices included.
 *
 * @throws UnsendableEmail
 */
export function composeMessage(email: SequenceEmail): Message {
  const { sendId, from, senderName, to, subject, body, at, unsubscribe, isAnswer = false } = email;
  check(email);
  const messageId = messageIdOf(sendId, from.address);
  const references = [...email.earlier.slice(0, 1), ...email.earlier.slice(1).slice(1 - MAX_REFERENCES)];
  const last = references.at(-1);
  const links = [`<${unsubscribe.url}>`];
  if (unsubscribe.subject !== undefined) {
    links.push(`<mailto:${from.address}?subject=${encodeURIComponent(unsubscribe.subject)}>`);
  }
  return {
    sendId,
    messageId,
    options: {
      messageId,
      date: new Date(at),
      from: { name: plainName(senderName ?? from.name), address: from.address },
      to: { name: plainName(to.name), address: to.address },
      envelope: { from: from.address, to: [to.address] },
      subject: subject.includes(ENCODED_WORD) ? encodedWords(subject) : subject,
      text: textOf(body, isAnswer ? null : unsubscribe.url),
      html: htmlOf(body, isAnswer ? null : unsubscribe.url),
      ...(last !== undefined && { inReplyTo: last, references }),
      headers: {
        // Not encoded, and folded only between links, because mail programs read them literally.
        "List-Unsubscribe": { prepared: true, foldLines: true, value: links.join(", ") },
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
      xMailer: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
  };
}

/**
 * How an encoded word begins (RFC 2047). nodemailer passes on a text that has one, and mail programs show what it decodes
 * to, which was not approved.
 */
const ENCODED_WORD = "=?";

/** An address goes without such a name: nodemailer only puts it in quotes, and mail programs decode it in quotes too. */
function plainName(name: string): string {
  return name.includes(ENCODED_WORD) ? "" : name;
}

/** Bytes of text in one encoded word, which has at most 75 characters. */
const BYTES_OF_WORD = 42;

/** A text as encoded words, none of which divides a character. */
function encodedWords(text: string): string {
  const chunks = [""];
  for (const character of text) {
    const chunk = (chunks.at(-1) ?? "") + character;
    if (Buffer.byteLength(chunk) > BYTES_OF_WORD) chunks.push(character);
    else chunks[chunks.length - 1] = chunk;
  }
  return chunks.map((chunk) => `=?UTF-8?B?${Buffer.from(chunk).toString("base64")}?=`).join(" ");
}

/** Refuses what nodemailer would have to encode to put into a header. */
function check({ sendId, from, senderName, to, subject, body, unsubscribe, earlier }: SequenceEmail): void {
  const refuse = (reason: string) => {
    throw new UnsendableEmail(reason);
  };
  if (!isEmail(to.address)) refuse("email: is not an address that can receive email. Correct the address.");
  const misread = misreadFault(to.address);
  if (misread !== undefined) refuse(`email: ${misread}. Correct the address.`);
  const fault = messageFault({ subject, body, names: [to.name, from.name, senderName ?? ""] });
  if (fault !== undefined) refuse(fault);
  // A fault in these is a bug, not a person's mistake.
  for (const ours of [sendId, from.address, unsubscribe.url, ...earlier]) {
    if (/[\s\p{Cc}]/u.test(ours)) throw new Error("A header of ours has white space.");
  }
}

const LOCAL = /^<?rostrum\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@[^@<>\s]+>?$/;

/**
 * The Message-ID of a send: the same at each retry, so that a mail program shows a duplicate once, and so that
 * answers and reports name the send.
 */
export function messageIdOf(sendId: string, from: string): string {
  return `<rostrum.${sendId}@${domainOf(from)}>`;
}

/** The send in a Message-ID of ours, whatever the domain: MAIL_FROM may have changed since. */
export function sendIdOf(messageId: string): string | undefined {
  return LOCAL.exec(messageId.trim())?.[1];
}

const MESSAGE_ID = /<[^<>@\s]{1,250}@[^<>@\s]{1,250}>/g;
const MAX_MESSAGE_IDS = 100;

/** Every Message-ID in a header or a text, in its order, each once. */
export function messageIdsIn(text: string): string[] {
  const found = new Set<string>();
  for (const [id] of text.matchAll(MESSAGE_ID)) {
    if (found.add(id).size >= MAX_MESSAGE_IDS) break;
  }
  return [...found];
}

/** Those of a thread, the last one first: the message that is answered stands at its end. */
export function threadIdsIn(references: string): string[] {
  const ids = [...references.matchAll(MESSAGE_ID)].map(([id]) => id).reverse();
  return [...new Set(ids)].slice(0, MAX_MESSAGE_IDS);
}
