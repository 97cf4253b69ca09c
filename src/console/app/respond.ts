import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import type { Request, Response } from "express";
import helmet from "helmet";
import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import { revealHidden } from "../../domain/text/hidden.ts";
import { packageFile, vendoredFile } from "../../lib/package.ts";

const policy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", "data:"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

const headersWith = (referrer: "same-origin" | "no-referrer", ...formAction: string[]) =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { ...policy, formAction: [...policy.formAction, ...formAction] },
    },
    referrerPolicy: { policy: referrer },
    xFrameOptions: { action: "deny" },
    // The proxy in front of this server handles TLS.
    strictTransportSecurity: false,
  });
const pageHeaders = headersWith("same-origin");
/** For pages whose address contains a secret, which no other site may see. */
const secretPageHeaders = headersWith("no-referrer");

/** A file that the browser saves. */
export interface FileAnswer {
  name: string;
  type: string;
  body: string;
}

/** A complete response of the console, so that a repeated form gets the same one. */
export interface PageAnswer {
  status: number;
  html?: string;
  file?: FileAnswer;
  location?: string;
  /** The redirect for htmx when it asked for a part of a page. */
  htmxRedirect?: string;
  /** The redirect by a Refresh header: a new navigation, which the form-action policy does not restrict. */
  refreshTo?: string;
  cookies?: readonly string[];
  retryAfter?: number | undefined;
  /** Another origin that its forms may redirect to: browsers apply the form-action policy to redirects too. */
  formAction?: string;
}

/** For a request that is already being answered, as a stream. */
export const streamed: PageAnswer = { status: 200 };

/** A page, with invisible characters shown as codes. */
export function page(status: number, node: VNode, rest: Omit<PageAnswer, "status" | "html"> = {}): PageAnswer {
  return { status, html: revealShown(`<!doctype html>${render(node)}`), ...rest };
}

/**
 * Matches the parts that must stay unchanged, and text. A tag without an end matches too, so that the expression takes
 * linear time.
 */
const PARTS = /(?<kept><textarea.*?(?:<\/textarea>|$)|<(?:[^>"]|"[^"]*(?:"|$))*(?:>|$))|[^<]+/gs;

/** Values of fields stay unchanged, because a form sends them back. */
function revealShown(html: string): string {
  if (revealHidden(html) === undefined) return html;
  return html.replaceAll(PARTS, (part, kept: string | undefined) => kept ?? revealHidden(part) ?? part);
}

/** Redirects to a GET after a form was accepted. */
export function goTo(location: string, ...cookies: string[]): PageAnswer {
  return { status: 303, location, cookies };
}

export function send(request: Request, response: Response, answer: PageAnswer, secretAddress = false): void {
  if (answer === streamed) return;
  const { formAction } = answer;
  const usual = secretAddress ? secretPageHeaders : pageHeaders;
  (formAction === undefined ? usual : headersWith("same-origin", formAction))(request, response, () => {
    const headers: Record<string, string | string[]> = { "cache-control": "no-store" };
    if (answer.cookies && answer.cookies.length > 0) headers["set-cookie"] = [...answer.cookies];
    if (answer.location !== undefined) headers.location = answer.location;
    if (answer.htmxRedirect !== undefined) headers["hx-redirect"] = answer.htmxRedirect;
    if (answer.refreshTo !== undefined) headers.refresh = `0; url=${answer.refreshTo}`;
    if (answer.retryAfter !== undefined) headers["retry-after"] = String(answer.retryAfter);
    if (answer.html !== undefined) headers["content-type"] = "text/html; charset=utf-8";
    if (answer.file !== undefined) {
      headers["content-type"] = answer.file.type;
      headers["content-disposition"] = `attachment; filename="${answer.file.name}"`;
    }
    response.writeHead(answer.status, headers);
    if (request.method === "HEAD") response.end();
    // As text, Node.js would join it with the headers and copy all of it once more.
    else response.end(Buffer.from(answer.file?.body ?? answer.html ?? ""));
  });
}

const ours = (name: string) => packageFile(`src/console/ui/static/${name}`);

const FILES = {
  "styles.css": { source: ours("styles.css"), type: "text/css; charset=utf-8" },
  "console.js": { source: ours("console.js"), type: "text/javascript; charset=utf-8" },
  "icon.svg": { source: ours("icon.svg"), type: "image/svg+xml" },
  "htmx.js": { source: vendoredFile("htmx.js"), type: "text/javascript; charset=utf-8" },
} as const;

type FileName = keyof typeof FILES;

const files = new Map(
  Object.entries(FILES).map(([name, { source, type }]) => {
    const bytes = readFileSync(source);
    return [name, { bytes, type, tag: createHash("sha256").update(bytes).digest("base64url").slice(0, 10) }];
  }),
);

/** The URL of a file. It changes with the file, so that browsers can cache it forever. */
export function asset(name: FileName): string {
  return `/console/static/${name}?${files.get(name)?.tag}`;
}

export function sendFile(name: string, response: ServerResponse): boolean {
  const file = files.get(name);
  if (file === undefined) return false;
  response.writeHead(200, {
    "content-type": file.type,
    "content-length": file.bytes.length,
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  });
  response.end(file.bytes);
  return true;
}

/** Addresses that contain a secret. No redirect goes there, however the address is spelled. */
const SECRET = /^\/console\/+(?:setup|invitation|reset|single-sign-on)(?![\w-])/i;

/** A path of the console, or its front page. Never another site or a one-time link. */
export function pathWithin(given: string | undefined): string {
  if (!given?.startsWith("/console") || !URL.canParse(given, "http://here")) return "/console";
  const { host, pathname, search } = new URL(given, "http://here");
  const inside = host === "here" && (pathname === "/console" || pathname.startsWith("/console/"));
  return inside && !SECRET.test(decoded(pathname)) ? pathname + search : "/console";
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
