import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { toWholeEnrollment, WholeEnrollment } from "./sequence-schema.ts";

export const releaseEnrollment = personOperation({
  name: "release_enrollment",
  area: "sequences",
  title: "Release an enrollment",
  description:
    "Releases an enrollment on hold after you fixed the cause. If the cause remains, the enrollment is put on hold " +
    "again. If the cause is an unconfirmed email, set the outcome of the email first.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["enrollment_not_found", "enrollment_not_held"],
  input: z.strictObject({ enrollment_id: recordId("enrollment") }),
  output: WholeEnrollment,
  async handler(ctx, { enrollment_id: id }) {
    const row = await ctx.store.enrollments.find(id);
    if (row === undefined) throw problem("enrollment_not_found");
    const send = await ctx.store.sends.ofStep(id, row.currentStep);
    if (row.heldReason === "send_unknown" || send?.status === "unknown") {
      throw problem(
        "enrollment_not_held",
        "enrollment_id: has an unconfirmed email. Set the outcome of the email with settle_send first.",
      );
    }
    const released = await ctx.store.enrollments.unhold(id, ctx.now);
    if (released === undefined) throw problem("enrollment_not_held");
    const after = toWholeEnrollment(released, ctx.workspaceId);
    await ctx.audit({ recordId: id, before: toWholeEnrollment(row, ctx.workspaceId), after });
    return { data: after };
  },
});
