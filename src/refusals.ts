import { gateRefusal } from "./gates.ts";
import type { Operation } from "./operation.ts";
import type { ProblemCode } from "./problem.ts";

const CALLER_REFUSALS = {
  agent: ["missing_key", "invalid_key", "revoked_key", "expired_key"],
  person: ["not_signed_in"],
} as const;
const BODY_REFUSALS = ["invalid_json", "payload_too_large", "unsupported_media_type"] as const;

/** Every code that an operation can answer by its own door: what the pipeline implies, and what it says itself. */
export function refusalsOf(operation: Operation): ProblemCode[] {
  const { http } = operation;
  const codes: ProblemCode[] = [
    ...(http?.path.includes("{") ? (["invalid_id"] as const) : []),
    ...(http?.method === "GET" ? [] : BODY_REFUSALS),
    "validation_failed",
    ...CALLER_REFUSALS["scope" in operation.access ? "agent" : "person"],
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
