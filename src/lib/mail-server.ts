import { hash } from "node:crypto";
import type { ConnectionOptions } from "node:tls";
import { z } from "zod";
import { isLoopback } from "./http-client/addresses.ts";

/** A mail server, as its setting describes it. */
export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; without it STARTTLS, which must succeed wherever `local` is false. */
  secure: boolean;
  /** Nothing leaves this machine, so plain text and self-signed certificates are accepted. */
  local: boolean;
  /** Undefined where we do not sign in. */
  login: { user: string; pass: string } | undefined;
}

interface Scheme {
  secure: boolean;
  port: number;
}

/** The schemes of a mail server's URL. */
export const SMTP: Record<string, Scheme> = {
  "smtp:": { secure: false, port: 587 },
  "smtps:": { secure: true, port: 465 },
};
export const IMAP: Record<string, Scheme> = {
  "imap:": { secure: false, port: 143 },
  "imaps:": { secure: true, port: 993 },
};

/**
 * Reads `smtps://user:password@host:port`. A path, a query and a fragment are refused: nothing in an address may
 * loosen TLS. Undefined where the text is no such URL.
 */
export function parseMailServer(text: string, schemes: Record<string, Scheme>): MailServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const scheme = schemes[protocol];
  if (scheme === undefined || hostname === "" || !["", "/"].includes(pathname) || search + hash !== "")
    return undefined;
  if ((username === "") !== (password === "")) return undefined;
  if (port === "0") return undefined;
  const host = hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  try {
    return {
      host,
      port: port === "" ? scheme.port : Number(port),
      secure: scheme.secure,
      local: isLoopback(host),
      login: username === "" ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    };
  } catch {
    // A % that encodes nothing.
    return undefined;
  }
}

/**
 * The TLS options for a mail server. On this machine a self-signed certificate is accepted, as Debian's packages create
 * one; anywhere else an authority of the system must have signed it, or one in NODE_EXTRA_CA_CERTS.
 */
export function tlsOf({ local }: MailServer): ConnectionOptions {
  return { minVersion: "TLSv1.2", ...(local && { rejectUnauthorized: false }) };
}

/** A stable name for an account on a server that reveals neither. */
export function serverName({ host, port, login }: MailServer): string {
  return hash("sha256", JSON.stringify([host, port, login?.user])).slice(0, 32);
}

/** The sender of messages. */
export interface Sender {
  /** Before the address; empty for none. */
  name: string;
  address: string;
}

/** The sender of messages that are written to files, and not sent. */
export const NO_SENDER: Sender = { name: "", address: "no-sender@rostrum.invalid" };

/** The sender as one text, the same for the same sender. */
export function senderText({ name, address }: Sender): string {
  return JSON.stringify([name, address]);
}

const NAMED = /^(?:"([^"\\\r\n]*)"\s*|([^"<>\r\n]*))<([^<>\s]+)>$/;

/** Reads `ada@lovelace.example` or `Ada Lovelace <ada@lovelace.example>`; undefined where the text is neither. */
export function parseSender(text: string): Sender | undefined {
  const [, quoted, plain, inner] = NAMED.exec(text.trim()) ?? [];
  const address = inner ?? text.trim();
  if (!z.regexes.email.test(address)) return undefined;
  return { name: (quoted ?? plain ?? "").trim(), address };
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

/** How a server sends and reads mail. What is undefined is not set. */
export interface MailSetup {
  smtp?: MailServer | undefined;
  /** The mailbox of the sender. */
  imap?: MailServer | undefined;
  from?: Sender | undefined;
}

/** The environment wins over what was set in the console, setting by setting. */
export function mergeSetup(environment: MailSetup, stored: MailSetup): MailSetup {
  const from = environment.from ?? stored.from;
  // Without a sender, no email can be sent, and there is no mailbox to read.
  if (from === undefined) return {};
  return { from, smtp: environment.smtp ?? stored.smtp, imap: environment.imap ?? stored.imap };
}
