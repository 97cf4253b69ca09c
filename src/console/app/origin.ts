import type { IncomingMessage } from "node:http";
import { problem } from "../../core/problem.ts";

/** Rejects a request from a page of another site. @throws Problem origin_not_allowed */
export function requireOwnOrigin({ headers }: IncomingMessage, publicUrl: string | undefined): void {
  const { origin = "", host } = headers;
  const known = publicUrl !== undefined && isHostOf(host, publicUrl);
  const own = origin === publicUrl || (!known && isHostOf(host, origin));
  if (!own)
    throw problem(
      "origin_not_allowed",
      "Origin: must be the address of this server. Only this server's pages can call this path.",
    );
}

/**
 * The same check for a form on a page whose address contains a secret. Such a page sends no referrer, so the browser
 * sends the origin "null". Sec-Fetch-Site then tells whether the page was ours. Browsers omit it over plain HTTP to
 * another machine, where only the secret in the form protects it.
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
