import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { endEnrollment } from "../../services/outreach/enrollment.ts";
import { recordId } from "../fields.ts";
import { toWholeEnrollment, WholeEnrollment } from "./sequence-schema.ts";

export const stopEnrollment = personOperation({
  name: "stop_enrollment",
  area: "sequences",
  title: "Stop an enrollment",
  description: "Stops a contact's enrollment. No further steps are sent. Stopping an ended enrollment changes nothing.",
  access: { permission: "work" },
  effect: "write",
  errors: ["enrollment_not_found"],
  input: z.strictObject({ enrollment_id: recordId("enrollment") }),
  output: WholeEnrollment,
  async handler(ctx, { enrollment_id: id }) {
    const row = await ctx.store.enrollments.find(id);
    if (row === undefined) throw problem("enrollment_not_found");
    const before = toWholeEnrollment(row, ctx.workspaceId);
    const stopped = await endEnrollment(ctx, id, "stopped_by_member");
    if (stopped === undefined) return { data: before };
    const after = toWholeEnrollment(stopped, ctx.workspaceId);
    await ctx.audit({ recordId: id, before, after });
    return { data: after };
  },
});
