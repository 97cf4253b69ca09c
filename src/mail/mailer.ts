import type { Message } from "./message.ts";
import type { Outcome } from "./outcome.ts";
import type { MailServer } from "./server.ts";
import type { Patience } from "./to-smtp.ts";

/** Connections to a mail server, and so messages in its hands at a time. */
export const CONNECTIONS = 5;

/** Hands messages over. */
export interface Mailer {
  /** `files`: nothing is sent. */
  readonly kind: "smtp" | "files";
  /** One attempt. It never rejects for what a server or the network did: the outcome says it. */
  send(message: Message): Promise<Outcome>;
  /** Connects and signs in, and sends nothing. Rejects with words for whoever runs the server. */
  verify(): Promise<void>;
  /** Lets what is under way come to its end, for so long; what waits for a connection fails as transient. */
  close(withinMs?: number): Promise<void>;
}

export interface MailerOptions {
  server: MailServer | undefined;
  /** Where messages are written if there is no server. */
  folder: string;
  patience?: Patience | undefined;
}

/** The library is loaded here and not before: a server that sends nothing starts without its weight. */
export async function createMailer({ server, folder, patience }: MailerOptions): Promise<Mailer> {
  if (server === undefined) return (await import("./to-files.ts")).createFileMailer(folder);
  return (await import("./to-smtp.ts")).createSmtpMailer(server, patience);
}
