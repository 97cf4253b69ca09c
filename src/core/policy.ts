import { type Billing, type BillingState, isReadOnly } from "../domain/access/billing.ts";
import type { Context, Deployment } from "./context.ts";
import type { Gate, Operation } from "./operation.ts";
import { type ProblemCode, problem } from "./problem.ts";

type GateRule = { refusal: ProblemCode } & (
  | { checkDeployment(deployment: Deployment): void }
  | { checkProduct(ctx: Context): Promise<void> }
);

const READ_ONLY_REASONS: Record<Exclude<BillingState, "active">, string> = {
  trial: "the trial has expired",
  financed: "the financed term has elapsed",
  delinquent: "the account is shut off for delinquency",
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
          `This workspace is read-only: ${reason}. An administrator can settle the billing.`,
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
const BODY_REFUSALS = ["invalid_json", "payload_too_large", "unsupported_media_type"] as const;

/** Every code that an operation can answer on its own surface: those the pipeline implies, and those it declares. */
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
