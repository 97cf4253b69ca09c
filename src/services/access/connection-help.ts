/** What a person does next about an MCP client that tries to connect. */
import type { ConnectionAttempt, ConnectionStage } from "../../domain/access/connections.ts";
import { MINUTE_MS } from "../../lib/time.ts";

/** A client that continues by itself has done so by then. */
const WAITS_MS = MINUTE_MS;

const RECONNECT = "Connect again from the client.";

/** What to do about an error, by its code. */
export const AFTER_ERROR: Record<string, string> = {
  missing_key: "Send the key as Authorization: Bearer ros_live_….",
  invalid_key: "Copy the key into the client again. If it is lost, create a new one under Settings → API keys.",
  revoked_key: "Sign in again from the client, or create a new key in Settings.",
  expired_key: "Create a new key in Settings, and update the client.",
  insufficient_scope:
    "Ask an admin for a new key with the missing scope. A client that signed in can only read and send the actions of one social account. For other scopes, give the client a key. If the error is on the sign-in page, a teammate who can approve outbound messages must approve the client.",
  host_not_allowed: "Set ROSTRUM_PUBLIC_URL to the address that the client uses, and restart the server.",
  origin_not_allowed: "Add the page's origin to ROSTRUM_CORS_ORIGINS, and restart the server.",
  rate_limited:
    "Wait a minute, then connect again. If registering was refused, wait up to an hour. Behind a proxy, set ROSTRUM_TRUST_PROXY.",
  challenge_limit: "Wait a minute, then connect again.",
  client_not_found:
    "Remove the client's saved sign-in for this server, and connect again. If this server can't reach the internet, set ROSTRUM_OAUTH_CLIENT_DOCUMENTS=off.",
  invalid_redirect_uri: "Update the client. Its redirect address must be https, or http on its own machine.",
  invalid_client_metadata: "Update the client: its registration isn't valid.",
  invalid_target: "Give the client the address of the MCP endpoint exactly as Settings shows it.",
  invalid_grant: `${RECONNECT} A sign-in code works once and expires after one minute.`,
  access_denied: `A teammate rejected the request. ${RECONNECT}`,
  unsupported_media_type: "Check that the client speaks Streamable HTTP, not the older HTTP+SSE.",
  method_not_allowed: "Check that the client speaks Streamable HTTP, not the older HTTP+SSE.",
  protocol_error: "Update the client: this server doesn't speak its version of MCP.",
  db_unavailable: "Check the server's log.",
  internal_error: "Check the server's log.",
};

/** What to do about a client that stopped without an error. */
export const AFTER_STAGE: Record<ConnectionStage, string> = {
  unauthorized: "Give the client a key. If it should sign in, check that it supports OAuth for MCP servers.",
  metadata: "Check the client's output. The client read the sign-in metadata and stopped.",
  registration:
    "Open the sign-in page that the client shows. If none opened, copy its address from the client's output.",
  consent: "Approve the client on the sign-in page.",
  key: "Ask the client to list its tools.",
  first_list: "Ask the client to call a tool.",
  first_call: "Nothing to do. The client works.",
};

/** What a person can do next; null while the client is probably still going on by itself. */
export function nextStep({ error, stage, lastAt }: ConnectionAttempt, now: number): string | null {
  if (error !== null) return AFTER_ERROR[error.code] ?? RECONNECT;
  const goesOn = stage !== "first_call" && stage !== "consent" && now - lastAt < WAITS_MS;
  return goesOn ? null : AFTER_STAGE[stage];
}
