import type { MailDelivery } from "../domain/outreach/sending.ts";
import { type MailServer, type MailSetup, NO_SENDER, type Sender, senderText, serverName } from "../lib/mail-server.ts";
import { MINUTE_MS } from "../lib/time.ts";
import { createMailer, type Mailer } from "../mail/mailer.ts";

/** How this process sends mail, until the settings change. A message leaves by the one that its step was executed with. */
export interface MailTransport {
  from: Sender;
  /** Hands messages to the mail server; undefined where there is none. */
  mailer: Mailer | undefined;
  /** The mail server's name in the database: every process that sends through it shares its cooldown. */
  mailServer: string;
  /** Writes messages to files. */
  files: Mailer;
  /** The mailbox of the sender, where it is read. */
  mailbox: MailServer | undefined;
}

/** The cooldown of files: a full disk. */
const FILES = "files";

/** What takes the emails of a sequence, and its name. Undefined where nothing does. */
export function routeOf(
  { mailer, mailServer, files }: MailTransport,
  delivery: MailDelivery,
): { mailer: Mailer; mailServer: string } | undefined {
  if (delivery === "files") return { mailer: files, mailServer: FILES };
  return mailer && { mailer, mailServer };
}

export function senderIn({ from }: MailSetup): Sender {
  return from ?? NO_SENDER;
}

/** @param folder where messages are written that are not sent */
export async function openTransport(setup: MailSetup, folder: string): Promise<MailTransport> {
  const { smtp: server, imap: mailbox } = setup;
  const files = await createMailer({ server: undefined, folder });
  const mailer = server && (await createMailer({ server, folder }));
  return { from: senderIn(setup), mailer, mailServer: server ? serverName(server) : FILES, files, mailbox };
}

/** Whether two setups send and read in the same way. */
export function isSameSetup(one: MailSetup, other: MailSetup): boolean {
  return textOf(one) === textOf(other);
}

const textOf = ({ from, smtp, imap }: MailSetup) => JSON.stringify([from && senderText(from), smtp, imap]);

/** Longer than a mail server takes to answer for a message that it has. */
export const RETIRE_MS = 20 * MINUTE_MS;
