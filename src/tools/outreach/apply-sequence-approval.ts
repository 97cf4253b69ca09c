import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { checkOwnProposal } from "../../services/access/own-proposal.ts";
import { wasWithdrawn } from "../../services/outreach/approvals.ts";
import { recordId } from "../fields.ts";
import { Approval, toApproval } from "./sequence-schema.ts";

export const applySequenceApproval = personOperation({
  name: "apply_sequence_approval",
  area: "sequences",
  title: "Apply an approval of a sequence",
  description:
    "Puts an approval into force: from here on its contacts can be enrolled, and those of them whose enrollment was held because they had changed go on. Refused once the steps have changed " +
    "since it was given. One that is applied already stays so.",
  access: { permission: "approve_outbound" },
  effect: "write",
  gates: ["billing"],
  errors: ["approval_not_found", "version_conflict", "own_proposal"],
  input: z.strictObject({
    approval_id: recordId("approval"),
    steps_hash: z
      .string()
      .max(64)
      .optional()
      .describe("Of the steps that were read; left out, what was approved is meant."),
  }),
  output: Approval,
  async handler(ctx, { approval_id: id, steps_hash }) {
    const read = steps_hash === undefined ? undefined : await ctx.store.approvals.find(id);
    if (read !== undefined && read.stepsHash !== steps_hash) {
      throw problem("version_conflict", "steps_hash: the approval is for other steps; read it again and decide anew.");
    }
    const proposed = await ctx.store.approvals.find(id);
    const own = proposed?.status === "approved" ? await checkOwnProposal(ctx, [proposed.approvedBy]) : {};
    const applied = await ctx.store.approvals.apply(id, ctx.actor.id, ctx.now);
    const row = await ctx.store.approvals.find(id);
    if (row === undefined) throw problem("approval_not_found");
    if (row.status !== "applied") {
      const why = (await wasWithdrawn(ctx, id))
        ? "it was withdrawn"
        : "the steps or their sender have changed since this approval";
      throw problem("version_conflict", `approval_id: ${why}; approve the sequence anew.`);
    }
    const data = toApproval(row);
    if (applied) {
      const released = await ctx.store.enrollments.release(row.sequenceId, id);
      const before = { ...data, status: "approved", applied_by: null, applied_at: null };
      await ctx.audit({ recordId: id, before, after: { ...data, released_enrollments: released, ...own } });
    }
    return { data };
  },
});
