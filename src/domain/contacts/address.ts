import { domainToASCII, domainToUnicode } from "node:url";
import { trimEndOf } from "../../lib/trim-end.ts";

/** Longer addresses fit no envelope: 64 for the local part, 255 for the domain, and the @. */
export const MAX_EMAIL = 320;

/** Beyond ASCII, what a reader sees: no spaces, controls or characters that no font draws. */
const BEYOND_ASCII = String.raw`[^\x00-\x7F\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]`;
const LOCAL = String.raw`(?:[\w.!#$%&'*+\/=?^\x60{|}~\-]|${BEYOND_ASCII})+`;
const LETTER = `(?:[A-Za-z0-9]|${BEYOND_ASCII})`;
const LABEL = `${LETTER}(?:(?:${LETTER}|-){0,61}${LETTER})?`;

/** The rule of HTML for `type=email`, and the characters that internationalized addresses (RFC 6531) add to it. */
const EMAIL = new RegExp(String.raw`^${LOCAL}@${LABEL}(?:\.${LABEL})*$`, "u");

/** The bound counts characters, as the contract's do, not UTF-16 units. */
const fits = (text: string) =>
  text.length <= MAX_EMAIL || (text.length <= 2 * MAX_EMAIL && [...text].length <= MAX_EMAIL);

/** Whether a contact can have this address. */
export function isEmail(text: string): boolean {
  return fits(text) && EMAIL.test(text);
}

/** No character of these is part of an address outside quotes: with one it is a name, a list or a link. */
const PLAIN = String.raw`[^\s\p{Cc}"<>()\[\]:;@\\,]+`;
const QUOTED = String.raw`"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])+"`;
const DOMAIN = String.raw`(?!\.)${PLAIN}(?<!\.)|\[[^\s\p{Cc}@\[\]]+\]`;
const ANY_ADDRESS = new RegExp(`^(?:${PLAIN}|${QUOTED})@(?:${DOMAIN})$`, "u");

/** Whether a mail server somewhere may take this address: an opt-out is recorded for any that has a local part and a domain. */
export function isAnyAddress(text: string): boolean {
  return fits(text) && ANY_ADDRESS.test(text);
}

const INTERNATIONAL = /\P{ASCII}|(?<![^.@])xn--/u;

const QUOTED_LOCAL = /^"(.*)"(?=@[^@]*$)/s;
const PLAIN_LOCAL = new RegExp(`^${LOCAL}$`, "u");

/** The local part without quotes and backslashes that it does not need: `"ada"` and `ada` are one mailbox (RFC 5321). */
function withoutQuotes(address: string): string {
  return address.replace(QUOTED_LOCAL, (_, quoted: string) => {
    const local = quoted.replace(/\\(.)/gs, "$1");
    return PLAIN_LOCAL.test(local) ? local : `"${local.replace(/["\\]/g, "\\$&")}"`;
  });
}

/** An address in lower case, with the same key. JavaScript makes another letter of a capital sigma at the end of a word. */
export const lowerCase = (email: string) => email.replaceAll("Σ", "σ").toLowerCase();

/**
 * The form in which addresses are unique and compared: in lower case, without quotes that are not needed, and the
 * internationalized and the ASCII form of a domain (RFC 5891) are one. An address is shown and sent as it was given. See
 * docs/adr/0025-one-address-many-forms.md.
 */
export function emailKey(email: string): string {
  const lower = withoutQuotes(lowerCase(email));
  if (!INTERNATIONAL.test(lower)) return lower;
  const at = lower.lastIndexOf("@");
  if (at === -1) return lower.normalize("NFC");
  return `${lower.slice(0, at).replaceAll("ς", "σ").normalize("NFC")}@${domainKey(lower.slice(at + 1))}`;
}

/** Of ASCII, what names of hosts are made of. Other characters mean something else to a parser of URLs. */
const HOST_NAME = /^(?:\P{ASCII}|[\w.-])+$/u;
const IP_ADDRESS = /^(?:\d+\.){3}\d+$/;

/** A domain in Unicode. What is not a domain name by IDNA stays as it is. */
function domainKey(domain: string): string {
  const composed = domain.normalize("NFC");
  if (!INTERNATIONAL.test(composed) || !HOST_NAME.test(composed)) return composed;
  // A full stop of another script may end a domain, where one of ASCII is refused: it names the same host.
  const ascii = trimEndOf(domainToASCII(composed), ".");
  // A parser of URLs reads numbers as an IP address: 1.2 and 1.0.0.2 would be one.
  if (ascii === "" || IP_ADDRESS.test(ascii)) return composed;
  const unicode = domainToUnicode(ascii);
  return domainToASCII(unicode) === ascii ? unicode : ascii;
}

/**
 * Why mail programs read another address where this one is written, in words that follow its field's name: a parser of
 * URLs makes `a@1.0.0.2` of `a@1.2`, and what is no valid name by IDNA is decoded and mapped by some programs, and left
 * as it is by others. Undefined where all read this one. People approve what is written, and the do-not-contact list
 * compares it.
 */
export function misreadFault(email: string): string | undefined {
  const at = email.lastIndexOf("@") + 1;
  const domain = email.slice(at).toLowerCase();
  const ascii = domainToASCII(email.slice(at));
  if (INTERNATIONAL.test(domain) && (ascii === "" || domainToASCII(domainToUnicode(ascii)) !== ascii)) {
    return "mail programs read its domain in different ways, because it is not a valid name";
  }
  const read = email.slice(0, at) + ascii;
  return ascii === "" || emailKey(read) === emailKey(email) ? undefined : `mail programs read this address as ${read}`;
}

/**
 * The form in which an approval pins an email address. Only ASCII letters lose their case: beyond them, comparing
 * makes one address of two, such as the Kelvin sign and the letter k.
 */
export function emailPin(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * The form in which profile addresses are compared: without scheme, `www.`, the host's last dot, trailing slash, query
 * and fragment, with the host in lower case. Usual ports, doubled slashes, escapes and Unicode forms are spelled alike.
 * Null where the text is not the address of a web page.
 */
export function profileKey(url: string): string | null {
  const page = webPageOf(url);
  return page && siteOf(page).replace(/:(?:80|443)$/, "") + trimEndOf(comparedPath(page.pathname), "/");
}

/**
 * What a parser of URLs reads over: control characters, invisible characters in a host, a backslash for a slash, and a
 * step down a path with the step back up.
 */
const READ_OVER = /[\p{Cc}\\\p{Default_Ignorable_Code_Point}]|\/(?:\.|%2e){1,2}(?:[/?#]|$)/iu;

/**
 * The form in which an approval pins a profile. Two addresses with one key may still name two people, by what the
 * comparison drops: `/profile?id=1` and `/profile?id=2`. A user name, and what a parser reads over, lead nowhere else,
 * but an agent reads them, and may take them for instructions or for a part of the address.
 */
export function profilePin(url: string): string {
  const page = webPageOf(url);
  if (page === null || page.username !== "" || page.password !== "" || READ_OVER.test(url)) return url;
  return siteOf(page) + trimEndOf(page.pathname.replace(ESCAPE, plainEscape), "/") + page.search + page.hash;
}

/** What profileKey drops at the end of an address: its query and fragment as they are spelled, with `?` for `#`. */
export function profileTail(url: string): string {
  const at = url.search(/[?#]/);
  return at === -1 ? "" : url.slice(at).replaceAll("#", "?");
}

function webPageOf(url: string): URL | null {
  const absolute = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(absolute)) return null;
  const page = new URL(absolute);
  return isWeb(page) && page.hostname.includes(".") ? page : null;
}

function siteOf({ host }: URL): string {
  return host
    .toLowerCase()
    .replace(/^www\./, "")
    .replace(/\.(?=:|$)/, "");
}

const ESCAPE = /%[\da-f]{2}/gi;

/** RFC 3986, 6.2.2: letters, digits and `-._~` mean the same escaped, and so do the digits of an escape in either case. */
function plainEscape(escaped: string): string {
  const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /[\w.~-]/.test(char) ? char : escaped.toUpperCase();
}

/** Sites answer the same to these spellings of a path, though RFC 3986 lets them differ. */
function comparedPath(path: string): string {
  const plain = path.replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes).replace(MUST_BE_ESCAPED, encodeURIComponent);
    } catch {
      return escapes.toUpperCase();
    }
  });
  return plain
    .normalize("NFC")
    .replace(/\P{ASCII}+/gu, encodeURIComponent)
    .replace(/\/{2,}/g, "/");
}

const ESCAPES = /(?:%[\da-f]{2})+/gi;
/** Unescaped, it would be another path, or an end of it. */
const MUST_BE_ESCAPED = /[%/?#\\\s\p{Cc}]/gu;

const isWeb = ({ protocol }: URL) => protocol === "http:" || protocol === "https:";

const isLinkable = (url: URL) => isWeb(url) || url.protocol === "ftp:";

/** A name and a port, which reads like a scheme: `acme.example:8080/team`. */
const HOST_AND_PORT = /^(?:[\w-]+\.)+[\w-]+:\d+(?:[/?#]|$)/;

/**
 * Whether a browser that is given the text as a link would leave the web: `javascript:`, `data:`, `file:`. A text
 * without a scheme does not.
 */
export function leavesTheWeb(text: string): boolean {
  return URL.canParse(text) && !isLinkable(new URL(text)) && !HOST_AND_PORT.test(text);
}
