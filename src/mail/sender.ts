import { z } from "zod";

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
