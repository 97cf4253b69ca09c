import type { Context, Deployment } from "./context.ts";
import { readOnlyReason } from "./domain/billing.ts";
import type { Gate } from "./operation.ts";
import { type ProblemCode, problem } from "./problem.ts";

type GateRule = { refusal: ProblemCode } & (
  | { checkDeployment(deployment: Deployment): void }
  | { checkProduct(ctx: Context): Promise<void> }
);

/** The gates that an operation can name. They hold for every caller, the local operator too. */
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

/** Those of the deployment: before any work on the database. */
export function checkDeploymentGates(gates: readonly Gate[], deployment: Deployment): void {
  for (const gate of gates) {
    const rule = GATES[gate];
    if ("checkDeployment" in rule) rule.checkDeployment(deployment);
  }
}

/** Those of the product: inside the write, after the input was found sound. */
export async function checkProductGates(gates: readonly Gate[], ctx: Context): Promise<void> {
  for (const gate of gates) {
    const rule = GATES[gate];
    if ("checkProduct" in rule) await rule.checkProduct(ctx);
  }
}

/** What a gate answers when it is shut. */
export function gateRefusal(gate: Gate): ProblemCode {
  return GATES[gate].refusal;
}
