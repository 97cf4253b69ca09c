import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ENROLLMENT_STATUSES } from "../../domain/outreach/sequence.ts";
import { causesOfHolds } from "../../services/outreach/hold-cause.ts";
import { waitsOf } from "../../services/outreach/sending-conditions.ts";
import { recordId } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { ListedEnrollment, toHoldCause, toWaits, toWholeEnrollment } from "./sequence-schema.ts";

export const listEnrollments = personOperation({
  name: "list_enrollments",
  area: "sequences",
  title: "List enrollments",
  description:
    "Lists current and past enrollments, newest first, each with its next step or hold reason. " +
    "Filters combine with AND.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    sequence_id: recordId("sequence").optional(),
    contact_id: recordId("contact").optional(),
    status: z.enum(ENROLLMENT_STATUSES).optional().describe("Only enrollments of this status."),
    held: z.literal(true).optional().describe("Only enrollments that are on hold for review."),
    ...pageFields,
  }),
  output: z.array(ListedEnrollment),
  meta: ListMeta,
  async handler(ctx, { sequence_id: sequenceId, contact_id: contactId, status, held, ...page }) {
    const { rows, total } = await ctx.store.enrollments.list({ sequenceId, contactId, status, held }, page);
    const waits = await waitsOf(ctx, rows);
    const causes = await causesOfHolds(ctx, rows);
    const names = await ctx.store.contacts.names(rows.map((row) => row.contactId));
    const data = rows.map((row, i) => ({
      ...toWholeEnrollment(row, ctx.workspaceId),
      waits: toWaits(waits[i] ?? null),
      hold_cause: toHoldCause(causes[i] ?? null),
      contact: names.get(row.contactId) ?? null,
    }));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
