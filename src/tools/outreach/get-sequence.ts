import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { Approval, toApproval, toWholeSequence, WholeSequence } from "./sequence-schema.ts";

const APPROVALS = 50;

export const getSequence = personOperation({
  name: "get_sequence",
  area: "sequences",
  title: "Get a sequence",
  description: `Reads a sequence with its steps, their hash, and its latest ${APPROVALS} approvals, newest first.`,
  access: { permission: "view" },
  effect: "read",
  errors: ["sequence_not_found"],
  input: z.strictObject({ sequence_id: recordId("sequence") }),
  output: WholeSequence.extend({ approvals: z.array(Approval) }),
  async handler(ctx, { sequence_id: id }) {
    const row = await ctx.store.sequences.find(id);
    if (row === undefined) throw problem("sequence_not_found");
    const approvals = await ctx.store.approvals.newest(id, APPROVALS);
    return { data: { ...toWholeSequence(row), approvals: approvals.map(toApproval) } };
  },
});
