import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { type Billing, type BillingState, isReadOnly } from "../domain/access/billing.ts";
import { memberMay, type Permission, type Scope } from "../domain/access/roles.ts";
import { SECOND_MS } from "../lib/time.ts";
import type { Seat } from "../store/access.ts";
import type { Counter, Counters } from "../store/engine.ts";
import type { Actor } from "./actor.ts";
import type { Context, Deployment } from "./context.ts";
import type { Budget, Gate, Operation } from "./operation.ts";
import { type Problem, type ProblemCode, problem } from "./problem.ts";

/** What a caller needs: a key its scope, or no scope at all where that is null; a member the permission. */
type Access = { scope: Scope | null } | { permission: Permission };

/** What of an operation decides who may call it. */
interface Guarded {
  access: Access;
  effect: "read" | "write";
}

/** Keys never call operations for members. The local operator calls everything, the system actor nothing. */
export function mayUse(actor: Actor, operation: Guarded): boolean {
  if (actor.kind === "local_operator") return true;
  if (actor.kind === "member") return memberMay(actor.role, actor.approveOutbound, permissionFor(operation));
  if (actor.kind === "system" || !("scope" in operation.access)) return false;
  return operation.access.scope === null || actor.scopes.has(operation.access.scope);
}

/** Whether the actor may read what any one of these scopes opens. */
export function hasAnyScope(actor: Actor, scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => mayUse(actor, { access: { scope }, effect: "read" }));
}

/** What a member needs for an operation for agents, which the console's pages call too. */
const MEMBER_NEEDS = { read: "view", write: "work" } as const satisfies Record<Guarded["effect"], Permission>;

export function permissionFor({ access, effect }: Guarded): Permission {
  return "scope" in access ? MEMBER_NEEDS[effect] : access.permission;
}

/** Requests that each key may make in 60 seconds, by budget. Every budget has its own counter. */
export const BUDGETS: Record<Exclude<Budget, "read">, number> = {
  write: 60,
  checklist_read: 120,
  socialnet: 120,
  mcp: 120,
};

export interface Limits {
  /** @throws Problem rate_limited, with the seconds to wait */
  spend(budget: Budget, keyId: string): Promise<void>;
}

const WINDOW_SECONDS = 60;

/** Counters of this process alone. */
export const inMemory: Counters = ({ name, ...bounds }) => new RateLimiterMemory({ keyPrefix: name, ...bounds });

/**
 * Counters of this process unless the engine shares them: enforcement is approximate by contract, and a restart resets
 * those of a process.
 *
 * @param read the requests that each key may make of the reads that have no limiter otherwise
 */
export function createLimits(read?: number, counters: Counters = inMemory): Limits {
  const budgets: { [budget in Budget]?: number } = { ...BUDGETS, ...(read === undefined ? {} : { read }) };
  const limiters: { [budget in Budget]?: Counter } = Object.fromEntries(
    Object.entries(budgets).map(([budget, points]) => [
      budget,
      counters({ name: budget, points, duration: WINDOW_SECONDS }),
    ]),
  );
  return {
    async spend(budget, keyId) {
      try {
        await limiters[budget]?.consume(keyId);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const retryAfter = secondsToWait(refusal);
        throw problem(
          "rate_limited",
          `More than ${budgets[budget]} requests in ${WINDOW_SECONDS} seconds. Retry after ${retryAfter} seconds.`,
          { retryAfter },
        );
      }
    },
  };
}

/** For the Retry-After header: whole seconds, at least 1. */
export function secondsToWait({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / SECOND_MS));
}

/** A server without budgets, only for tests and the benchmark. */
export const unlimited: Limits = { spend: async () => undefined };

const KEY_REFUSALS = {
  invalid_key: "This API key does not exist. Check that you copied all of it, or create a new one.",
  revoked_key: "This API key was revoked. Create a new one.",
  expired_key: "This API key has expired. Create a new one.",
} as const;

/** The refusal of a key that is unknown, revoked or expired. Undefined where it is live. */
export function keyRefusal(
  key: { revokedAt: number | null; expiresAt: number | null } | undefined,
  now: number,
): { code: keyof typeof KEY_REFUSALS; refusal: Problem } | undefined {
  const refuse = (code: keyof typeof KEY_REFUSALS) => ({ code, refusal: problem(code, KEY_REFUSALS[code]) });
  if (key === undefined) return refuse("invalid_key");
  if (key.revokedAt !== null) return refuse("revoked_key");
  return key.expiresAt !== null && key.expiresAt <= now ? refuse("expired_key") : undefined;
}

export const NOT_A_MEMBER = "You aren't a member of this workspace.";

/** The refusal of a member who was removed, or whose role or permissions changed, after a call was authorized. */
export function seatRefusal(before: Seat, now: Seat | undefined): Problem | undefined {
  if (now === undefined) return problem("not_signed_in", NOT_A_MEMBER);
  return now.role === before.role && now.approveOutbound === before.approveOutbound ? undefined : permissionsChanged();
}

export function permissionsChanged(): Problem {
  return problem("insufficient_scope", "Your permissions changed during this request. Send it again.");
}

type GateRule = { refusal: ProblemCode } & (
  | { checkDeployment(deployment: Deployment): void }
  | { checkProduct(ctx: Context): Promise<void> }
);

const READ_ONLY_REASONS: Record<Exclude<BillingState, "active">, string> = {
  trial: "the trial has expired",
  financed: "the fixed term has ended",
  delinquent: "a payment is overdue",
};

/** Why the workspace is read-only at this moment, as callers read it; undefined where it may write. */
export function readOnlyReason(billing: Billing, now: number): string | undefined {
  const { state } = billing;
  return state !== "active" && isReadOnly(billing, now) ? READ_ONLY_REASONS[state] : undefined;
}

/** The gates that an operation can name. They apply to every caller, the local operator included. */
const GATES: Record<Gate, GateRule> = {
  outbound: {
    refusal: "outbound_gate_closed",
    checkDeployment({ outboundGate }) {
      if (outboundGate !== "open") throw problem("outbound_gate_closed");
    },
  },
  billing: {
    refusal: "billing_read_only",
    async checkProduct(ctx) {
      const reason = readOnlyReason(await ctx.store.workspace.billing(), ctx.now);
      if (reason !== undefined) {
        throw problem(
          "billing_read_only",
          `This workspace is read-only because ${reason}. Ask an admin to update billing.`,
        );
      }
    },
  },
};

/** Checks the deployment's gates, before any work on the database. */
export function checkDeploymentGates(gates: readonly Gate[], deployment: Deployment): void {
  for (const gate of gates) {
    const rule = GATES[gate];
    if ("checkDeployment" in rule) rule.checkDeployment(deployment);
  }
}

/** Checks the product's gates, inside the write and after the input was validated. */
export async function checkProductGates(gates: readonly Gate[], ctx: Context): Promise<void> {
  for (const gate of gates) {
    const rule = GATES[gate];
    if ("checkProduct" in rule) await rule.checkProduct(ctx);
  }
}

/** The refusal of a closed gate. */
function gateRefusal(gate: Gate): ProblemCode {
  return GATES[gate].refusal;
}

const CALLER_REFUSALS = {
  agent: ["missing_key", "invalid_key", "revoked_key", "expired_key"],
  person: ["not_signed_in"],
} as const;
const TRANSPORT_REFUSALS = ["bad_request", "request_timeout", "headers_too_large", "expectation_failed"] as const;
const BODY_REFUSALS = ["invalid_json", "payload_too_large", "unsupported_media_type"] as const;

/** Every code that an operation can answer on its own surface: those the pipeline implies, and those it declares. */
export function refusalsOf(operation: Operation): ProblemCode[] {
  const { http } = operation;
  const codes: ProblemCode[] = [
    ...(http === undefined ? [] : TRANSPORT_REFUSALS),
    ...(http?.path.includes("{") ? (["invalid_id"] as const) : []),
    ...(http?.method === "GET" ? [] : BODY_REFUSALS),
    "validation_failed",
    ...CALLER_REFUSALS["scope" in operation.access ? "agent" : "person"],
    "insufficient_scope",
    "host_not_allowed",
    "origin_not_allowed",
    // Every message to the MCP endpoint counts toward a budget of its own.
    ...((operation.budget ?? "none") === "none" && (http !== undefined || "permission" in operation.access)
      ? []
      : (["rate_limited"] as const)),
    ...operation.gates.map(gateRefusal),
    ...operation.errors,
    "overloaded",
    "internal_error",
    "db_unavailable",
  ];
  return [...new Set(codes)];
}
