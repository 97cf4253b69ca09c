import { ImapFlow } from "imapflow";
import { detailOf } from "./outcome.ts";
import type { MailServer } from "./server.ts";
import { tlsOf } from "./tls.ts";

const CONNECT_MS = 30_000;
const SILENCE_MS = 5 * 60_000;
/** Between our last command and waiting for news: a server tells of new mail only while it is waited for. */
const IDLE_AFTER_MS = 500;
/** RFC 2177: a server may drop who waits for half an hour. */
const IDLE_ANEW_MS = 5 * 60_000;

export function imapClient(server: MailServer): ImapFlow {
  const { host, port, secure, local, login } = server;
  const client = new ImapFlow({
    ...{ host, port, secure },
    // Off this machine STARTTLS must succeed before anybody signs in; here it is taken where it is offered.
    ...(!secure && !local && { doSTARTTLS: true }),
    tls: tlsOf(server),
    ...(login && { auth: login }),
    logger: false,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    autoIdleDelay: IDLE_AFTER_MS,
    maxIdleTime: IDLE_ANEW_MS,
  });
  // Every command that was under way rejects by itself.
  client.on("error", () => undefined);
  return client;
}

/** Signs in and opens the inbox. Rejects with what went wrong, for whoever runs the server. */
export async function verifyMailbox(server: MailServer): Promise<void> {
  const client = imapClient(server);
  try {
    await client.connect();
    await client.mailboxOpen("INBOX", { readOnly: true });
  } catch (error) {
    throw new Error(imapFault(error), { cause: error });
  } finally {
    client.close();
  }
}

/** What a failure says, without the command that failed: it may have held a password. */
export function imapFault(error: unknown): string {
  const { message = String(error), responseText } = error as { message?: string; responseText?: string };
  return detailOf(responseText === undefined ? message : `${message} ${responseText}`);
}
