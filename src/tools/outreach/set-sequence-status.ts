import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { SEQUENCE_STATUSES } from "../../domain/outreach/sequence.ts";
import { recordId } from "../fields.ts";
import { toWholeSequence, WholeSequence } from "./sequence-schema.ts";

export const setSequenceStatus = personOperation({
  name: "set_sequence_status",
  area: "sequences",
  title: "Set a sequence's status",
  description:
    "Activates a sequence so that the server sends it, or stops it with paused, draft or archived. Agents get no " +
    "actions from a stopped sequence. No contact can be enrolled in an archived sequence. Approvals stay valid. " +
    "Enrollments stay active, and continue when the sequence is active again.",
  access: { permission: "work" },
  effect: "write",
  restricts: ({ status }) => status !== "active",
  gates: ["billing"],
  errors: ["sequence_not_found"],
  input: z.strictObject({
    sequence_id: recordId("sequence"),
    status: z.enum(SEQUENCE_STATUSES).describe("The server sends only active sequences."),
  }),
  output: WholeSequence,
  async handler(ctx, { sequence_id: id, status }) {
    const row = await ctx.store.sequences.find(id);
    if (row === undefined) throw problem("sequence_not_found");
    if (row.status === status) return { data: toWholeSequence(row) };
    const updated = await ctx.store.sequences.update(id, { status, now: ctx.now });
    if (updated === undefined) throw problem("sequence_not_found");
    // Whether agents may claim its actions has changed.
    await ctx.store.socialnetAccounts.touch(null, ctx.now);
    await ctx.audit({ recordId: id, before: { status: row.status }, after: { status } });
    return { data: toWholeSequence(updated) };
  },
});
