import type { ConnectionOptions } from "node:tls";
import { z } from "zod";
import { isLoopback } from "../lib/http-client/addresses.ts";

/** A mail server as its setting names it. */
export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; without it STARTTLS, which must succeed wherever `trusted` is false. */
  secure: boolean;
  /** Nothing leaves this machine: plain text will do, and a certificate that nobody signed. */
  local: boolean;
  /** Who signs in; undefined where nobody does. */
  login: { user: string; pass: string } | undefined;
}

interface Scheme {
  secure: boolean;
  port: number;
}

/** What a mail server's URL begins with. */
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
 * Who a mail server must prove to be. On this machine a certificate that nobody signed will do, as Debian's packages
 * make one; anywhere else an authority of the system must vouch for it, or one in NODE_EXTRA_CA_CERTS.
 */
export function tlsOf({ local }: MailServer): ConnectionOptions {
  return { minVersion: "TLSv1.2", ...(local && { rejectUnauthorized: false }) };
}

/** Whom messages come from. */
export interface Sender {
  /** What stands before the address; empty for none. */
  name: string;
  address: string;
}

const NAMED = /^(?:"([^"\\\r\n]*)"|([^"<>\r\n]*?))\s*<([^<>\s]+)>$/;

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
