import type { IncomingMessage } from "node:http";
import { problem } from "../../core/problem.ts";

/** Whether a Host header names the host of an address, in whatever case, and with the port that goes without saying. */
function names(host: string | undefined, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host: own } = new URL(address);
  const url = `${protocol}//${host}`;
  return URL.canParse(url) && new URL(url).host === own;
}

/** @throws Problem origin_not_allowed */
export function requireOwnOrigin({ headers }: IncomingMessage, publicUrl: string | undefined): void {
  const { origin = "", host } = headers;
  const known = publicUrl !== undefined && names(host, publicUrl);
  const own = origin === publicUrl || (!known && names(host, origin));
  if (!own) throw problem("origin_not_allowed", "Origin: send this server's own; only its pages may call this.");
}

/**
 * The same for a form whose page sends no referrer, because its address holds a secret: the browser calls its origin
 * "null" then. It says by Sec-Fetch-Site that the page was ours, wherever it deems the connection sound; over plain
 * http to another machine it says nothing, and the secret in the form has to do.
 *
 * @throws Problem origin_not_allowed
 */
export function requireOwnForm(request: IncomingMessage, publicUrl: string | undefined): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (origin === "null" && (site === "same-origin" || site === undefined)) return;
  requireOwnOrigin(request, publicUrl);
}
