import { gateRefusal } from "./gates.ts";
import type { Operation } from "./operation.ts";
import type { ProblemCode } from "./problem.ts";

const KEY_REFUSALS = ["missing_key", "invalid_key", "revoked_key", "expired_key"] as const;
const BODY_REFUSALS = ["invalid_json", "payload_too_large", "unsupported_media_type"] as const;

/** Every code that an operation can answer over REST: what the pipeline implies, and what it says itself. */
export function refusalsOf(operation: Operation): ProblemCode[] {
  const { http } = operation;
  const codes: ProblemCode[] = [
    ...(http?.path.includes("{") ? (["invalid_id"] as const) : []),
    ...(http && http.method !== "GET" ? BODY_REFUSALS : []),
    "validation_failed",
    ...KEY_REFUSALS,
    "insufficient_scope",
    "host_not_allowed",
    "origin_not_allowed",
    ...((operation.budget ?? "none") === "none" ? [] : (["rate_limited"] as const)),
    ...operation.gates.map(gateRefusal),
    ...operation.errors,
    "internal_error",
    "db_unavailable",
  ];
  return [...new Set(codes)];
}
