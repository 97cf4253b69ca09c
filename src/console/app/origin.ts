import type { IncomingMessage } from "node:http";
import { problem } from "../../core/problem.ts";

/** Refuses a request from a page of another site. @throws Problem origin_not_allowed */
export function requireOwnOrigin({ headers }: IncomingMessage, publicUrl: string | undefined): void {
  const { origin = "", host } = headers;
  const known = publicUrl !== undefined && isHostOf(host, publicUrl);
  const own = origin === publicUrl || (!known && isHostOf(host, origin));
  if (!own) throw problem("origin_not_allowed", "Origin: send this server's own; only its pages may call this.");
}

/**
 * The same for a form whose page sends no referrer because its address holds a secret: the browser then sends the origin
 * "null". Sec-Fetch-Site says that the page was ours, but browsers leave it out over plain HTTP to another machine. The
 * secret in the form then protects it.
 *
 * @throws Problem origin_not_allowed
 */
export function requireOwnForm(request: IncomingMessage, publicUrl: string | undefined): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (origin === "null" && (site === "same-origin" || site === undefined)) return;
  requireOwnOrigin(request, publicUrl);
}

/** Whether a Host header names the host of an address, in any letter case and with or without the default port. */
function isHostOf(host: string | undefined, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host: own } = new URL(address);
  const url = `${protocol}//${host}`;
  return URL.canParse(url) && new URL(url).host === own;
}
