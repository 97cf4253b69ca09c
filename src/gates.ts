import type { Context } from "./context.ts";
import { readOnlyReason } from "./domain/billing.ts";
import type { Gate } from "./operation.ts";
import { type ProblemCode, problem } from "./problem.ts";

interface GateRule {
  refusal: ProblemCode;
  check(ctx: Context): Promise<void>;
}

/** The product gates that an operation can name. They hold for every caller, the local operator too. */
const GATES: Record<Gate, GateRule> = {
  billing: {
    refusal: "billing_read_only",
    async check(ctx) {
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

export async function checkGates(gates: readonly Gate[], ctx: Context): Promise<void> {
  for (const gate of gates) await GATES[gate].check(ctx);
}

/** What a gate answers when it is shut. */
export function gateRefusal(gate: Gate): ProblemCode {
  return GATES[gate].refusal;
}
