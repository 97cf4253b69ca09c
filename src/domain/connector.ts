import type { Scope } from "./scopes.ts";

/** What an MCP client may do whom a person let in by signing in: exactly this, whatever it asked for. */
export const CONNECTOR_SCOPES = ["socialnet.read", "socialnet.execute"] as const satisfies readonly Scope[];

/** A code is for the client that waits for it at this moment. */
export const CODE_MS = 60_000;

const DAY_MS = 86_400_000;
/** A registration that nobody has approved anything for is gone after this. */
export const UNUSED_CLIENT_MS = DAY_MS;
/** What is kept of a revoked key: which client it was of, and of which code. A client that comes back is known so long. */
export const REVOKED_GRANT_MS = 90 * DAY_MS;

/** RFC 7636: the base64url of a SHA-256. */
export const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
export const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export const CLIENT_NAME_LENGTH = 200;
export const MOST_REDIRECTS = 10;

/** A client that registered itself has an id of ours; any other is the address of its own document. */
const REGISTERED = /^client_[A-Za-z0-9_-]{22}$/;

export function isRegistered(clientId: string): boolean {
  return REGISTERED.test(clientId);
}

/** What the keys of a sign-in are for: the one resource (RFC 8707) there is. */
export const MCP_PATH = "/api/v1/mcp";
export const AUTHORIZE_PATH = "/console/authorize";
