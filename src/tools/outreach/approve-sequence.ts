import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import type { Step } from "../../domain/outreach/sequence.ts";
import { hashCopy } from "../../services/outreach/approvals.ts";
import { recordId } from "../fields.ts";
import { Approval, toApproval } from "./sequence-schema.ts";

const contactIds = z
  .array(recordId("contact"))
  .min(1)
  .max(5_000)
  .superRefine((ids, issues) => {
    const seen = new Set<string>();
    const twice = ids.findIndex((id) => seen.size === seen.add(id).size);
    if (twice !== -1) issues.addIssue({ code: "custom", path: [twice], message: "is in the list twice" });
  })
  .describe("The audience: live contacts, each once.");

export const approveSequence = personOperation({
  name: "approve_sequence",
  area: "sequences",
  title: "Approve a sequence for an audience",
  description:
    "Approves that these contacts are sent the sequence as it reads now. It authorises nothing yet: applying the " +
    "approval is a second act. It pins the steps and, of each contact, the addresses and the fields that the steps " +
    "fill in.",
  access: { permission: "approve_outbound" },
  effect: "write",
  gates: ["billing"],
  errors: ["sequence_not_found", "contact_not_found", "version_conflict"],
  input: z.strictObject({
    sequence_id: recordId("sequence"),
    contact_ids: contactIds,
    steps_hash: z
      .string()
      .optional()
      .describe("The hash of the steps that were read; without it, the steps as they are now are meant."),
  }),
  output: Approval,
  async handler(ctx, { sequence_id: sequenceId, contact_ids, steps_hash }) {
    const sequence = await ctx.store.sequences.find(sequenceId);
    if (sequence === undefined) throw problem("sequence_not_found");
    const { steps, stepsHash } = sequence;
    if (steps_hash !== undefined && steps_hash !== stepsHash) throw changed();

    const id = ctx.newId();
    const audience = await pin(ctx, contact_ids, steps);
    const approval = { id, sequenceId, stepsHash, approvedBy: ctx.actor.id, audience, now: ctx.now };
    if (!(await ctx.store.approvals.insert(approval))) throw changed();
    const data = toApproval({
      id,
      sequenceId,
      stepsHash,
      status: "approved",
      contactCount: audience.size,
      approvedBy: ctx.actor.id,
      approvedAt: ctx.now,
      appliedBy: null,
      appliedAt: null,
      voidedAt: null,
    });
    await ctx.audit({ recordId: id, before: null, after: data });
    return { data };
  },
});

/** @throws Problem contact_not_found, which names the first that is missing */
async function pin(ctx: Context, ids: readonly string[], steps: readonly Step[]): Promise<Map<string, string>> {
  const recipients = await ctx.store.approvals.recipients(ids);
  const hashes = new Map(recipients.map((recipient) => [recipient.id, hashCopy(recipient, steps)]));
  const missing = ids.findIndex((id) => !hashes.has(id));
  if (missing !== -1) throw problem("contact_not_found", `contact_ids.${missing}: no live contact has this id.`);
  return hashes;
}

function changed() {
  return problem("version_conflict", "steps_hash: the steps read otherwise by now; read them again and decide anew.");
}
