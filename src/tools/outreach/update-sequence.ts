import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { findMovedStep, type Step, type StepChange, stepsText } from "../../domain/outreach/sequence.ts";
import { hashSequence, voidApprovals } from "../../services/outreach/approvals.ts";
import { countEmails, decideDelivery } from "../../services/outreach/delivery.ts";
import { hasMailServer } from "../../services/outreach/sending-conditions.ts";
import { requireAccountOfSequence, requireMaySetSender } from "../../services/socialnet/accounts.ts";
import type { SequencePatch, SequenceRow } from "../../store/outreach.ts";
import { atLeastOne, recordId } from "../fields.ts";
import { deliveryOf, sequenceFields, toWholeSequence, WholeSequence } from "./sequence-schema.ts";

const { name, description, steps, socialnet_account_id } = sequenceFields;
const editable = {
  name: name.optional(),
  description,
  steps: steps.optional(),
  socialnet_account_id,
  delivery: deliveryOf("If omitted, the delivery stays the same.").optional(),
};

export const updateSequence = personOperation({
  name: "update_sequence",
  area: "sequences",
  title: "Update a sequence",
  description:
    "Changes a sequence. Omitted fields keep their value. Changing the steps or the account voids every approval. " +
    "Changing the account requires the permission approve_outbound. A step that active contacts have reached " +
    "can't be moved or deleted, and its type can't change. Without a mail server, emails can be added to an " +
    "active sequence only if delivery is files.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["sequence_not_found", "socialnet_account_not_found", "steps_reached", "mail_not_configured"],
  input: z
    .strictObject({ sequence_id: recordId("sequence"), ...editable })
    .refine(...atLeastOne(Object.keys(editable))),
  output: WholeSequence.extend({
    voided_approvals: z.array(z.guid()).describe("The ids of the approvals that this change voided."),
  }),
  async handler(ctx, { sequence_id: id, ...given }) {
    const row = await ctx.store.sequences.find(id);
    if (row === undefined) throw problem("sequence_not_found");
    const before = toWholeSequence(row);

    const patch: Omit<SequencePatch, "now"> = {};
    if (given.name !== undefined && given.name !== row.name) patch.name = given.name;
    if (given.description !== undefined && given.description !== row.description) patch.description = given.description;
    const accountId = given.socialnet_account_id;
    if (accountId !== undefined && accountId !== row.socialnetAccountId) {
      await requireAccountOfSequence(ctx, accountId);
      requireMaySetSender(ctx, "socialnet_account_id");
      patch.socialnetAccountId = accountId;
    }
    if (given.steps !== undefined && stepsText(given.steps) !== stepsText(row.steps)) {
      await requireReachedSteps(ctx, row, given.steps);
      patch.steps = given.steps;
    }
    const emails = countEmails(given.steps ?? row.steps);
    const addsEmail = row.status === "active" && emails > countEmails(row.steps);
    const decided = addsEmail || (given.delivery !== undefined && row.status === "active" && emails > 0);
    // A sequence that saves to files changes to sending only if the caller says so. Without a mail server, the caller must
    // say again that it saves to files.
    const stays = row.delivery === "files" && (await hasMailServer(ctx)) ? row.delivery : undefined;
    const goesTo = decided ? await decideDelivery(ctx, given.delivery ?? stays) : given.delivery;
    if (goesTo !== undefined && goesTo !== row.delivery) patch.delivery = goesTo;
    const stepsHash = await hashSequence(ctx.store, { ...row, ...patch });
    const changed = stepsHash !== row.stepsHash;
    if (changed) patch.stepsHash = stepsHash;
    if (Object.keys(patch).length === 0) return { data: { ...before, voided_approvals: [] } };

    const updated = await ctx.store.sequences.update(id, { ...patch, now: ctx.now });
    if (updated === undefined) throw problem("sequence_not_found");
    if (patch.delivery !== undefined) await ctx.store.enrollments.hasten(ctx.now);
    const voided = changed ? await voidApprovals(ctx, id) : [];
    const after = { ...toWholeSequence(updated), voided_approvals: voided };
    await ctx.audit({ recordId: id, before, after });
    return { data: after };
  },
});

/** @throws Problem steps_reached where the edit moves a step that a contact has reached */
async function requireReachedSteps(ctx: Context, { id, steps }: SequenceRow, edited: readonly Step[]): Promise<void> {
  const reached = await ctx.store.enrollments.reached(id);
  const moved = reached === null ? undefined : findMovedStep(steps, edited, reached);
  if (moved === undefined) return;
  throw problem(
    "steps_reached",
    `steps.${moved.index}: ${changeText(moved.change)}, but active contacts have already reached step ${(reached ?? 0) + 1}. ` +
      "Edit texts and delays in place, add steps after that one, or create a new sequence.",
  );
}

function changeText(change: StepChange): string {
  switch (change.kind) {
    case "removed":
      return "was removed";
    case "retyped":
      return "became a step of another type";
    case "moved":
      return `moved to position ${change.to + 1}`;
    case "replaced":
      return `was replaced by step ${change.from + 1}`;
  }
}
