import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ENROLLMENT_STATUSES, type EnrollmentStatus } from "../../domain/outreach/sequence.ts";
import { recordId } from "../fields.ts";

const MAX_SEQUENCES = 100;

const byStatus = Object.fromEntries(ENROLLMENT_STATUSES.map((status) => [status, z.int()])) as Record<
  EnrollmentStatus,
  z.ZodInt
>;

export const summarizeSequences = personOperation({
  name: "summarize_sequences",
  area: "sequences",
  title: "Summarize sequences",
  description:
    `Counts the enrollments of up to ${MAX_SEQUENCES} sequences, and says which channels their steps use. It skips ` +
    "unknown ids.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    sequence_ids: z.array(recordId("sequence")).min(1).max(MAX_SEQUENCES).describe("The sequences to summarize."),
  }),
  output: z.array(
    z.object({
      sequence_id: z.uuid(),
      enrolled: z.int().describe("All enrollments, current and past."),
      on_hold: z.int().describe("Current enrollments that are on hold for review."),
      by_status: z.object(byStatus).describe("Enrollments by status. Those on hold are included."),
      emails: z
        .enum(["send", "files"])
        .nullable()
        .describe("Where the sequence's emails go. Null if no step is an email."),
      social: z.boolean().describe("Whether a step is a connection request or a social message."),
    }),
  ),
  async handler({ store }, { sequence_ids }) {
    const channels = new Map((await store.sequences.channels(sequence_ids)).map((one) => [one.id, one]));
    const counts = await store.enrollments.counts([...channels.keys()]);
    const data = [...new Set(sequence_ids)].flatMap((id) => {
      const of = channels.get(id);
      if (of === undefined) return [];
      const { byStatus = {}, held = 0 } = counts.get(id) ?? {};
      const totals = Object.fromEntries(ENROLLMENT_STATUSES.map((status) => [status, byStatus[status] ?? 0]));
      return [
        {
          sequence_id: id,
          enrolled: Object.values(totals).reduce((sum, total) => sum + total, 0),
          on_hold: held,
          by_status: totals as Record<EnrollmentStatus, number>,
          emails: of.hasEmails ? of.delivery : null,
          social: of.hasSocialSteps,
        },
      ];
    });
    return { data };
  },
});
