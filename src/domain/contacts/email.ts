import { domainToASCII, domainToUnicode } from "node:url";

/** Longer addresses fit no envelope: 64 for the local part, 255 for the domain, and the @. */
export const MAX_EMAIL = 320;

/** Beyond ASCII, what a reader sees: no spaces, controls or characters that no font draws. */
const BEYOND_ASCII = String.raw`[^\x00-\x7F\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]`;
const LOCAL = String.raw`(?:[\w.!#$%&'*+\/=?^\x60{|}~\-]|${BEYOND_ASCII})+`;
const LETTER = `(?:[A-Za-z0-9]|${BEYOND_ASCII})`;
const LABEL = `${LETTER}(?:(?:${LETTER}|-){0,61}${LETTER})?`;

/** The rule of HTML for `type=email`, and the characters that internationalized addresses (RFC 6531) add to it. */
const EMAIL = new RegExp(String.raw`^${LOCAL}@${LABEL}(?:\.${LABEL})*$`, "u");

/** Whether a contact can have this address. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL && EMAIL.test(text);
}

/** No character of these is part of an address outside quotes: with one it is a name, a list or a link. */
const PLAIN = String.raw`[^\s\p{Cc}"<>()\[\]:;@\\,]+`;
const QUOTED = String.raw`"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])+"`;
const DOMAIN = String.raw`(?!\.)${PLAIN}(?<!\.)|\[[^\s\p{Cc}@\[\]]+\]`;
const ANY_ADDRESS = new RegExp(`^(?:${PLAIN}|${QUOTED})@(?:${DOMAIN})$`, "u");

/** Whether a mail server somewhere may take this address: an opt-out is recorded for any that has a local part and a domain. */
export function isAnyAddress(text: string): boolean {
  return text.length <= MAX_EMAIL && ANY_ADDRESS.test(text);
}

/** The forms of a domain that reach the same server: as it is, in ASCII, and in the letters of its language. */
export function domainForms(domain: string): Set<string> {
  return new Set([domain, domainToASCII(domain), domainToUnicode(domain)].filter((form) => form !== ""));
}
