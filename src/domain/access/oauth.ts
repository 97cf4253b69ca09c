import { DAY_MS, MINUTE_MS } from "../../lib/time.ts";
import type { Scope } from "./roles.ts";

/** The scopes of an MCP client that a member connected by signing in: exactly these, whatever it asked for. */
export const CONNECTOR_SCOPES = ["socialnet.read", "socialnet.execute"] as const satisfies readonly Scope[];

/** A client exchanges its code right away, so a code expires quickly. */
export const CODE_MS = MINUTE_MS;

/** A registration that no member has approved is deleted after this time. */
export const UNUSED_CLIENT_MS = DAY_MS;
/** How long a revoked key's record is kept, with its client and code, so that a client that retries is recognized. */
export const REVOKED_GRANT_MS = 90 * DAY_MS;

/** RFC 7636: the base64url of a SHA-256. */
export const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
export const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export const CLIENT_NAME_LENGTH = 200;
export const MAX_REDIRECTS = 10;

/** What Rostrum reads of the metadata that a client sends or publishes (RFC 7591). */
export interface ClientMetadata {
  name: string;
  redirectUris: string[];
}

/** An MCP client that asks for access. */
export interface OAuthClient extends ClientMetadata {
  id: string;
  /** The host whose document describes it; null if it registered itself, so that nothing backs its name. */
  host: string | null;
}

/** A client that registered itself has an id that this server issued; any other id is the URL of its own document. */
const REGISTERED = /^client_[A-Za-z0-9_-]{22}$/;

export function isRegistered(clientId: string): boolean {
  return REGISTERED.test(clientId);
}

/** The resource (RFC 8707) that keys from a sign-in are for; there is only one. */
export const MCP_PATH = "/api/v1/mcp";
export const AUTHORIZE_PATH = "/console/authorize";

/** Where a client may be redirected to. By RFC 8252 a native app listens on loopback, or has its own scheme. */

/** Schemes of programs that are known to sign in this way. A browser could act on any other. */
const SCHEMES = ["cursor:", "vscode:", "vscode-insiders:", "windsurf:"];
const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];
const LOOPBACK_URI = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?((?:\/.*)?)$/;
const LONGEST = 2_000;
const ASCII = /^[\x21-\x7e]*$/;
/** Characters that a policy can contain too: there `;` and `,` begin another directive, and `*` matches everything. */
const HOST = /^(?:[\w.-]+|\[[\da-f:]+\])$/i;

/** What is wrong with an address that a client supplies, to follow the field's name; undefined where nothing is. */
export function redirectRefusal(text: string): string | undefined {
  if (text.length > LONGEST) return `must be ${LONGEST} characters or fewer`;
  // The parser silently drops some of these, and the rest would be another address.
  if (/[\p{Cc}\s\\]/u.test(text) || !URL.canParse(text)) return "must be a URL such as https://example.com";
  // It is sent as a header unchanged, and a browser would guess at anything else.
  if (!ASCII.test(text)) return "must be ASCII. Use punycode for the host and percent-encode the rest";
  if (text.includes("#")) return "must not contain a fragment";
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return "must not contain a username or password";
  if (hostname !== "" && !spells(text, hostname)) return "can have only letters, digits, dots and hyphens in its host";
  if (protocol === "https:" || SCHEMES.includes(protocol)) return undefined;
  if (protocol === "http:" && LOOPBACK.includes(hostname)) return undefined;
  return `must begin with https://, or with http:// on 127.0.0.1, [::1] or localhost, or with ${SCHEMES.join(" or ")}`;
}

/** Whether a host is spelled as the parser reads it, except for letter case. */
function spells(text: string, hostname: string): boolean {
  return HOST.test(hostname) && text.toLowerCase().includes(`//${hostname}`);
}

/** The exact same address; for loopback, with any port, because a native app takes a free one. */
export function isRedirectOf(registered: string, given: string): boolean {
  if (registered === given) return true;
  const [own, asked] = [LOOPBACK_URI.exec(registered), LOOPBACK_URI.exec(given)];
  return own !== null && asked !== null && URL.canParse(given) && own[1] === asked[1] && own[2] === asked[2];
}

/** The part that a person recognizes: the host, or the program's own scheme. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? host : protocol.slice(0, -1);
}

/** Whether it leads to the person's own machine. */
export function isOnThisMachine(uri: string): boolean {
  return !uri.startsWith("https:");
}
