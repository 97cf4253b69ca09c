import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { Approval, toApproval } from "./sequence-schema.ts";

export const withdrawSequenceApproval = personOperation({
  name: "withdraw_sequence_approval",
  area: "sequences",
  title: "Withdraw a sequence approval",
  description:
    "Withdraws an approval that is not activated yet, so that it can't be activated. If an " +
    "approval is already active, stop its enrollments or pause the sequence instead.",
  access: { permission: "approve_outbound" },
  effect: "write",
  errors: ["approval_not_found", "version_conflict"],
  input: z.strictObject({
    approval_id: recordId("approval"),
    note: z.string().max(500).trim().min(1).optional().describe("The reason, for the history."),
  }),
  output: Approval,
  async handler(ctx, { approval_id: id, note = null }) {
    const before = await ctx.store.approvals.find(id);
    if (before === undefined) throw problem("approval_not_found");
    if (!(await ctx.store.approvals.withdraw(id, ctx.now))) {
      throw problem(
        "version_conflict",
        `This approval is ${before.status}. Only an approval that is not active yet can be withdrawn.`,
      );
    }
    const data = toApproval({ ...before, status: "voided", voidedAt: ctx.now });
    await ctx.audit({ recordId: id, before: toApproval(before), after: { ...data, note } });
    return { data };
  },
});
