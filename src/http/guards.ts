import { isIP } from "node:net";
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import type { Request } from "express";
import { problem } from "../core/problem.ts";
import { isLoopback } from "../lib/http-client/addresses.ts";
import { replyProblem, requestId } from "./reply.ts";
import type { EarlyHandler } from "./server.ts";

/** Whether a server with these settings can be reached from this machine alone. */
export function isLocalOnly({ host, publicUrl }: { host: string; publicUrl: string | undefined }): boolean {
  return isLoopback(host) && (publicUrl === undefined || isLoopback(plainAddress(new URL(publicUrl).hostname)));
}

/** Headers that a proxy adds. */
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** Whether a request was made on this machine: from loopback, to a loopback name, and through no proxy. */
export function isLocalRequest({ headers, ip, socket }: Request): boolean {
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) return false;
  return [hostnameOf(headers.host ?? ""), ip, socket.remoteAddress].every((address = "") =>
    isLoopback(plainAddress(address)),
  );
}

/** Without the brackets of a URL, and without the prefix of an IPv4 address on a dual-stack socket. */
function plainAddress(address: string): string {
  return address.replace(/^\[(.*)\]$/, "$1").replace(/^::ffff:/, "");
}

/**
 * DNS-rebinding protection. A page in a browser can point its own name at this machine: on a loopback address, only
 * loopback names and the public address are answered. A foreign Origin is refused wherever the server listens.
 *
 * @param open path prefixes whose URLs hold a token of their own: any Origin may use them. A form on a page that sends
 * no referrer has the Origin `null`, whatever site it is on
 */
export function guardHost(host: string, publicUrl: string | undefined, open: readonly string[] = []): EarlyHandler {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const names = [...localhostAllowedHostnames(), ...own];
  if (isIP(host) === 4) names.push(host);
  const checksHost = isLoopback(host);
  const passed = new Set<string>();

  return (request, response, next) => {
    const { host: hostHeader = "" } = request.headers;
    const isOpen = open.some((prefix) => request.url.startsWith(`${prefix}/`));
    const origin = isOpen ? "" : (request.headers.origin ?? "");
    const pair = `${hostHeader} ${origin}`;
    if (passed.has(pair)) return next();
    if (checksHost && !validateHostHeader(hostHeader, names).ok) {
      return replyProblem(
        response,
        problem(
          "host_not_allowed",
          "Host: this server answers to loopback names alone; set ROSTRUM_PUBLIC_URL to add its public one.",
        ),
        requestId(request),
      );
    }
    const origins = checksHost ? names : [...names, hostnameOf(hostHeader)];
    // A form on a page that sends no referrer has an opaque origin; the console checks those by Sec-Fetch-Site.
    const opaque = origin === "null" && request.url.startsWith("/console/") && request.method === "POST";
    if (!opaque && !validateOriginHeader(origin, origins).ok) {
      return replyProblem(
        response,
        problem("origin_not_allowed", "Origin: pages of another site may not call this server."),
        requestId(request),
      );
    }
    if (!opaque && passed.size < 1_000) passed.add(pair);
    next();
  };
}

function hostnameOf(hostHeader: string): string {
  return URL.canParse(`http://${hostHeader}`) ? new URL(`http://${hostHeader}`).hostname : "";
}
