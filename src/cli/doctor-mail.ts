import type { Config } from "../config.ts";
import { verifyMailbox } from "../mail/imap.ts";
import { createMailer } from "../mail/mailer.ts";
import type { MailServer } from "../mail/server.ts";
import { type Finding, fault, fine } from "./finding.ts";

/** Nobody wants to look at a silent prompt for longer. */
const PATIENCE = { connectMs: 10_000, silenceMs: 10_000 };

/** Connects and signs in; nothing is sent, and nothing in the mailbox is touched. */
export async function mailFindings({ smtpUrl, imapUrl, mailFrom }: Config): Promise<Finding[]> {
  return [
    smtpUrl === undefined
      ? fine("smtp", "SMTP_URL is not set: messages are written as files, and not sent")
      : await answers("smtp", "SMTP_URL", smtpUrl, () => verifySmtp(smtpUrl), `it sends as ${mailFrom?.address}`),
    imapUrl === undefined
      ? fine("imap", "IMAP_URL is not set: answers and bounces are not read")
      : await answers("imap", "IMAP_URL", imapUrl, () => verifyMailbox(imapUrl), "its inbox can be read"),
  ];
}

async function verifySmtp(server: MailServer): Promise<void> {
  const mailer = await createMailer({ server, folder: "", patience: PATIENCE });
  try {
    await mailer.verify();
  } finally {
    await mailer.close(0);
  }
}

async function answers(check: string, variable: string, server: MailServer, verify: () => Promise<void>, well: string) {
  const place = `${server.host}:${server.port}`;
  try {
    await verify();
    return fine(check, `${place} answers; ${well}`);
  } catch (error) {
    const detail = `${place}: ${(error as Error).message}`;
    return fault(check, detail, `set ${variable} right, and see that this machine may reach ${place}`);
  }
}
