import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export interface AddressPolicy {
  /**
   * Also allows loopback and private addresses, for local development. Link-local addresses, where cloud providers
   * serve credentials, are never allowed.
   */
  allowPrivate: boolean;
}

/** The part of IPv6 that is allocated for global use. ipaddr.js knows the special-purpose ranges inside it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
const LOCAL_RANGES = ["loopback", "private", "carrierGradeNat", "uniqueLocal"];
const PLAIN_HTTP_HOSTS = ["127.0.0.1", "[::1]"];

/**
 * Returns the address's range by IANA's special-purpose registries; `unicast` means globally routable. IPv6 addresses
 * that embed an IPv4 address (mapped, NAT64, 6to4) have ranges of their own, so they never count as unicast.
 */
function rangeOf(ip: string): string {
  // ipaddr.js also accepts forms such as 0177.1 and zone ids, which are not valid addresses to connect to.
  if (isIP(ip) === 0 || ip.includes("%")) return "none";
  const address = ipaddr.parse(ip);
  if (address instanceof ipaddr.IPv6 && address.range() === "unicast" && !address.match(GLOBAL_UNICAST)) {
    return "reserved";
  }
  return address.range();
}

/** Whether the text is an IPv4 or IPv6 address that is globally routable. */
export function isPublicAddress(ip: string): boolean {
  return rangeOf(ip) === "unicast";
}

/** Whether the policy allows a connection to the address. */
export function isAllowedAddress(ip: string, { allowPrivate }: AddressPolicy): boolean {
  return isPublicAddress(ip) || (allowPrivate && LOCAL_RANGES.includes(rangeOf(ip)));
}

/** Whether the host is this machine's loopback interface. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/**
 * Checks the form of a parsed URL. Its host is checked on every connection.
 *
 * @returns what is wrong, worded to follow a field name; undefined if the form is allowed
 */
export function formRefusal(url: URL, { allowPrivate }: AddressPolicy): string | undefined {
  const { protocol, hostname } = url;
  if (protocol !== "https:" && !(allowPrivate && protocol === "http:" && PLAIN_HTTP_HOSTS.includes(hostname))) {
    return allowPrivate
      ? "must start with https://. Only 127.0.0.1 and [::1] can use http://"
      : "must start with https://";
  }
  if (url.username !== "" || url.password !== "") return "must not contain a username or password";
  if (url.hash !== "") return "must not contain a fragment";
  // With a trailing dot, the same host would get its own rate limits and its own connections.
  if (hostname.endsWith(".")) return "must not have a dot at the end of its host";
  return undefined;
}

/**
 * Parses and checks a URL that a client or a document supplied. The parser normalizes every spelling of an IPv4
 * address (2130706433, 0x7f.1, full-width digits, percent-encoding), so none passes as a name. A name that passes
 * here can still be refused when a connection resolves it.
 *
 * @returns the URL, or what is wrong, worded to follow a field name: `delivery.url: ${refusal}.`
 */
export function checkUrl(
  text: string,
  policy: AddressPolicy,
): { url: URL; refusal?: never } | { refusal: string; url?: never } {
  // The parser silently drops tabs and line breaks, turns backslashes into slashes, and drops an empty fragment.
  if (/[\p{Cc}\s\\]/u.test(text)) return { refusal: "must not contain spaces, line breaks or backslashes" };
  if (text.includes("#")) return { refusal: "must not contain a fragment" };
  if (!URL.canParse(text)) return { refusal: "must be a URL such as https://example.com" };
  const url = new URL(text);
  const refusal = formRefusal(url, policy);
  if (refusal !== undefined) return { refusal };
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !isAllowedAddress(literal, policy)) {
    return { refusal: "must not name a private, local or reserved address" };
  }
  return { url };
}

/**
 * Returns the key that rate limits count a caller by: an IPv4 address, or the /64 network of an IPv6 address, since
 * one IPv6 caller usually controls a whole /64.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv4 ? address.toString() : networkOfIpv6(address);
}

/**
 * Returns the network that logs count a caller by: /24 of an IPv4 address, the smallest that is routed on its own, so
 * that a caller with many neighboring addresses is one; /64 of an IPv6 address. Undefined for text that is no address.
 */
export function subnetOf(ip: string): string | undefined {
  if (!ipaddr.isValid(ip)) return undefined;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv4 ? `${address.octets.slice(0, 3).join(".")}.0/24` : networkOfIpv6(address);
}

function networkOfIpv6({ parts }: ipaddr.IPv6): string {
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
