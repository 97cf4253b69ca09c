import type { ProblemCode } from "../core/problem.ts";
import { iso } from "../lib/time.ts";

/**
 * The names, codes and shapes of MCP Events (draft, protocol 2026-07-28), all in this file: the draft can change.
 */
export const METHODS = {
  list: "events/list",
  subscribe: "events/subscribe",
  unsubscribe: "events/unsubscribe",
} as const;

/** Some clients look for the one, some for the other. */
export const CAPABILITIES = { events: {}, extensions: { "io.modelcontextprotocol/events": {} } } as const;

const INVALID_PARAMS = -32602;
const NOT_FOUND = -32011;
const FORBIDDEN = -32012;
const RESOURCE_EXHAUSTED = -32013;
const UNSUPPORTED = -32014;
const CALLBACK_ENDPOINT = -32015;

/** The JSON-RPC errors of our refusals. Any other refusal is an internal error. */
const RPC_CODES: { [code in ProblemCode]?: number } = {
  validation_failed: INVALID_PARAMS,
  event_not_found: NOT_FOUND,
  resource_not_found: INVALID_PARAMS,
  insufficient_scope: FORBIDDEN,
  revoked_key: FORBIDDEN,
  expired_key: FORBIDDEN,
  subscription_forbidden: FORBIDDEN,
  subscription_limit: RESOURCE_EXHAUSTED,
  challenge_limit: RESOURCE_EXHAUSTED,
  delivery_mode_unsupported: UNSUPPORTED,
  callback_failed: CALLBACK_ENDPOINT,
};
const INTERNAL_ERROR = -32603;

export function rpcError(
  code: ProblemCode,
  { correlationId, ...extra }: Record<string, unknown>,
): { code: number; data: object } {
  const rpc = RPC_CODES[code] ?? INTERNAL_ERROR;
  if (Object.keys(extra).length > 0) return { code: rpc, data: extra };
  return { code: rpc, data: rpc === FORBIDDEN ? { reason: code } : { code, correlationId } };
}

export const HEADER = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
  subscription: "x-mcp-subscription-id",
} as const;

/** At most this many bytes of body are delivered. */
export const MAX_BODY_BYTES = 262_144;

/** The body of a delivery. It has no `type`, which distinguishes it from the other two bodies. */
export function eventBody(event: { id: string; name: string; at: number; data: object }): string {
  const { id, name, at, data } = event;
  return JSON.stringify({ eventId: id, name, timestamp: iso(at), data, cursor: null });
}

export function verificationBody(challenge: string): string {
  return JSON.stringify({ type: "verification", challenge });
}

/** The last body to a subscriber that lost access. */
export function terminatedBody(reason: string): string {
  return JSON.stringify({ type: "terminated", error: { code: FORBIDDEN, message: "Forbidden", data: { reason } } });
}
