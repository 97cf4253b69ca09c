import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export interface Reach {
  /** Local work alone: lets loopback and private addresses pass. Link-local ones, where clouds keep secrets, never do. */
  allowPrivate: boolean;
}

/** All that is globally routable in IPv6 so far; what IANA keeps for other ends inside of it, ipaddr.js knows. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
const LOCAL = ["loopback", "private", "carrierGradeNat", "uniqueLocal"];
const PLAIN_HTTP = ["127.0.0.1", "[::1]"];

/**
 * The name of the address's range: `unicast` for what is globally routable, by IANA's special-purpose registries.
 * Addresses that carry an IPv4 address (mapped, NAT64, 6to4) have ranges of their own: as such nothing routes them.
 */
function rangeOf(ip: string): string {
  // ipaddr.js reads 0177.1 and zone ids as well; an address to connect to has neither.
  if (isIP(ip) === 0 || ip.includes("%")) return "none";
  const address = ipaddr.parse(ip);
  if (address instanceof ipaddr.IPv6 && address.range() === "unicast" && !address.match(GLOBAL_UNICAST)) {
    return "reserved";
  }
  return address.range();
}

/** Whether the address, of either version, is globally routable. What is no address is not. */
export function isPublicAddress(ip: string): boolean {
  return rangeOf(ip) === "unicast";
}

/** Whether a connection may go to the address. */
export function isReachable(ip: string, { allowPrivate }: Reach): boolean {
  return isPublicAddress(ip) || (allowPrivate && LOCAL.includes(rangeOf(ip)));
}

/**
 * Judges the form of a parsed URL; its host is judged when it is connected to.
 *
 * @returns what is wrong, to follow the field's name; undefined where nothing is
 */
export function formRefusal(url: URL, { allowPrivate }: Reach): string | undefined {
  const { protocol, hostname } = url;
  if (protocol !== "https:" && !(allowPrivate && protocol === "http:" && PLAIN_HTTP.includes(hostname))) {
    return allowPrivate
      ? "must begin with https://; http:// is for 127.0.0.1 and [::1] alone"
      : "must begin with https://";
  }
  if (url.username !== "" || url.password !== "") return "must not hold a user name or a password";
  if (url.hash !== "") return "must not hold a fragment";
  // The same host under another name would have counters and connections of its own.
  if (hostname.endsWith(".")) return "must name its host without a dot at the end";
  return undefined;
}

/**
 * Parses and judges an address that a client or a document supplied. The parser turns every spelling of an IPv4
 * address (2130706433, 0x7f.1, full-width digits, percent-encoding) into the four decimal numbers, so that none
 * passes for a name. A name that passes can still be refused when it is resolved, on every connection.
 *
 * @returns the URL, or what is wrong, to follow the field's name: `delivery.url: ${refusal}.`
 */
export function checkUrl(text: string, reach: Reach): { url: URL; refusal?: never } | { refusal: string; url?: never } {
  // The parser drops tabs and line breaks, turns backslashes and forgets an empty fragment: no honest URL has them.
  if (/[\p{Cc}\s\\]/u.test(text)) return { refusal: "must not hold spaces, line breaks or backslashes" };
  if (text.includes("#")) return { refusal: "must not hold a fragment" };
  if (!URL.canParse(text)) return { refusal: "is not a URL" };
  const url = new URL(text);
  const refusal = formRefusal(url, reach);
  if (refusal !== undefined) return { refusal };
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !isReachable(literal, reach)) {
    return { refusal: "must not name a private, local or reserved address" };
  }
  return { url };
}

/** By what callers are told apart: whoever has one address of IPv6 has at least the 2^64 of its network. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
