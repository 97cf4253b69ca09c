import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { hashSequence } from "../../services/outreach/approvals.ts";
import { requireAccountOfSequence, requireMaySetSender } from "../../services/socialnet/accounts.ts";
import { sequenceFields, toWholeSequence, WholeSequence } from "./sequence-schema.ts";

export const createSequence = personOperation({
  name: "create_sequence",
  area: "sequences",
  title: "Create a sequence",
  description:
    "Creates a sequence as a draft. No contact is enrolled and nothing is sent until an audience is approved and " +
    "activated. Setting a social account requires the permission approve_outbound.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["socialnet_account_not_found"],
  input: z.strictObject(sequenceFields),
  output: WholeSequence,
  async handler(ctx, { name, description = null, steps, socialnet_account_id: socialnetAccountId = null }) {
    await requireAccountOfSequence(ctx, socialnetAccountId);
    if (socialnetAccountId !== null) requireMaySetSender(ctx, "socialnet_account_id");
    const row = {
      id: ctx.newId(),
      name,
      description,
      status: "draft" as const,
      steps,
      stepsHash: await hashSequence(ctx.store, { steps, socialnetAccountId }),
      socialnetAccountId,
      delivery: "send" as const,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    };
    await ctx.store.sequences.insert(row);
    const sequence = toWholeSequence(row);
    await ctx.audit({ recordId: row.id, before: null, after: sequence });
    return { data: sequence };
  },
});
