import type { SendMailOptions } from "nodemailer";
import { z } from "zod";
import { htmlBody, textBody } from "../domain/outreach/message-body.ts";
import { messageFault } from "../domain/outreach/sending.ts";
import { domainOf, type Sender } from "./server.ts";

const LOCAL = /^<?rostrum\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@[^@<>\s]+>?$/;

/**
 * The Message-ID of a send: the same however often the send is tried, so that a reader's program shows what arrived
 * twice once, and so that answers and reports name the send.
 */
export function messageIdOf(sendId: string, from: string): string {
  return `<rostrum.${sendId}@${domainOf(from)}>`;
}

/** The send that a Message-ID of ours names, whatever the domain: MAIL_FROM may have been another one by then. */
export function sendIdOf(messageId: string): string | undefined {
  return LOCAL.exec(messageId.trim())?.[1];
}

/** Every Message-ID in a header or a text, in its order, each once. */
export function messageIdsIn(text: string, most = 100): string[] {
  const found = new Set<string>();
  for (const [id] of text.matchAll(/<[^<>@\s]{1,250}@[^<>@\s]{1,250}>/g)) {
    if (found.add(id).size >= most) break;
  }
  return [...found];
}

/** One e-mail of a sequence, filled and decided on. */
export interface Letter {
  /** Of this step to this contact; stays the same when it is tried again. */
  sendId: string;
  /** MAIL_FROM. */
  from: Sender;
  /** What the workspace calls its sender; stands in place of the name of MAIL_FROM. */
  senderName: string | null;
  to: { address: string; name: string };
  subject: string;
  body: string;
  /** In milliseconds, by the server's clock. */
  at: number;
  unsubscribe: {
    url: string;
    /** For mailto: too, where the mailbox of MAIL_FROM is read: what its subject has to say. */
    subject?: string | undefined;
  };
  /** Message-IDs of the enrollment's earlier messages, oldest first, as their recipient has them. */
  earlier: readonly string[];
}

/** A message as a mailer takes it. */
export interface Message {
  sendId: string;
  messageId: string;
  options: SendMailOptions;
}

/** A letter that must not go out as it is. Its message says why, to a person who can mend it. */
export class UnsendableMessage extends Error {}

/** A long thread is named by its first message and its latest: the header stays within what servers take. */
const MOST_REFERENCES = 20;

/**
 * A letter as nodemailer sends it: text and HTML from the same words, and headers by which it threads, can be answered
 * and ends everything at one click (RFC 2369, RFC 8058).
 *
 * No `Auto-Submitted`: people wrote, approved and sign it, and want its answers, out-of-office notices among them.
 *
 * @throws UnsendableMessage
 */
export function composeMessage(letter: Letter): Message {
  const { sendId, from, senderName, to, subject, body, at, unsubscribe } = letter;
  check(letter);
  const messageId = messageIdOf(sendId, from.address);
  const references = [...letter.earlier.slice(0, 1), ...letter.earlier.slice(1).slice(1 - MOST_REFERENCES)];
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
      from: { name: senderName ?? from.name, address: from.address },
      to: { name: to.name, address: to.address },
      envelope: { from: from.address, to: [to.address] },
      subject,
      text: textBody(body, unsubscribe.url),
      html: htmlBody(body, unsubscribe.url),
      ...(last !== undefined && { inReplyTo: last, references }),
      headers: {
        // Not encoded, and folded between links alone: readers take them by the letter.
        "List-Unsubscribe": { prepared: true, foldLines: true, value: links.join(", ") },
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
      xMailer: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
  };
}

/** nodemailer encodes what it puts into headers; what would need that is refused here already. */
function check({ sendId, from, senderName, to, subject, body, unsubscribe, earlier }: Letter): void {
  const refuse = (reason: string) => {
    throw new UnsendableMessage(reason);
  };
  if (!z.regexes.email.test(to.address)) refuse("email: is not an address that a message can be sent to.");
  const fault = messageFault({ subject, body, names: [to.name, from.name, senderName ?? ""] });
  if (fault !== undefined) refuse(fault);
  // What follows is ours to get right, not a person's.
  for (const ours of [sendId, from.address, unsubscribe.url, ...earlier]) {
    if (/[\s\p{Cc}]/u.test(ours)) throw new Error("A header of ours has white space.");
  }
}
