import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { hashCopy } from "../../services/outreach/approvals.ts";
import { enroll } from "../../services/outreach/enrollment.ts";
import { requireOutreach } from "../../services/outreach/sending-conditions.ts";
import { recordId } from "../fields.ts";

/** Keeps the transaction short: with more contacts, call it again. */
const MAX_ENROLLED = 500;

export const enrollAudience = personOperation({
  name: "enroll_audience",
  area: "sequences",
  title: "Enroll an approved audience",
  description:
    `Enrolls the contacts of an activated approval in its sequence, ${MAX_ENROLLED} at a time. It skips contacts ` +
    "that were enrolled before, are archived or on the do-not-contact list, or have no confirmed company. A company " +
    "that the approval shows counts as confirmed.",
  access: { permission: "work" },
  effect: "write",
  gates: ["outbound", "billing"],
  errors: ["approval_not_found", "sequence_not_authorized", "WORKSPACE_PAUSED"],
  input: z.strictObject({ approval_id: recordId("approval") }),
  output: z.object({
    approval_id: z.uuid(),
    enrolled: z.int().describe("The number of contacts enrolled by this call."),
    left: z.int().describe("The number of contacts that can still be enrolled."),
  }),
  async handler(ctx, { approval_id: id }) {
    const approval = await ctx.store.approvals.find(id);
    if (approval === undefined) throw problem("approval_not_found");
    const sequence = await ctx.store.sequences.find(approval.sequenceId);
    const stands = approval.status === "applied" && sequence?.stepsHash === approval.stepsHash;
    if (sequence?.status === "archived") {
      throw problem("sequence_not_authorized", "This sequence is archived. Set its status to draft or active first.");
    }
    if (sequence === undefined || !stands) {
      throw problem(
        "sequence_not_authorized",
        "approval_id: is not active for the current version of the sequence. Ask a teammate to approve and activate an audience.",
      );
    }
    await requireOutreach(ctx);
    const { rows, total } = await ctx.store.approvals.unenrolled(id, MAX_ENROLLED);
    let enrolled = 0;
    for (const { copyHash, ...contact } of rows) {
      const changed = hashCopy(contact, sequence.steps) !== copyHash;
      if ((await enroll(ctx, sequence, contact.id, { approvalId: id, changed })) !== undefined) enrolled += 1;
    }
    const data = { approval_id: id, enrolled, left: total - rows.length };
    if (enrolled > 0) await ctx.audit({ recordId: id, before: null, after: { sequence_id: sequence.id, ...data } });
    return { data, record: id };
  },
});
