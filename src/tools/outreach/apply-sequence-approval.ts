import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { checkOwnProposal } from "../../services/access/own-proposal.ts";
import {
  forgetReplaced,
  hashAllShown,
  hashCopy,
  recipientsChanged,
  requireShownSender,
  wasWithdrawn,
} from "../../services/outreach/approvals.ts";
import type { ApprovalRow, SequenceRow } from "../../store/outreach.ts";
import { recordId } from "../fields.ts";
import { Approval, toApproval } from "./sequence-schema.ts";

export const applySequenceApproval = personOperation({
  name: "apply_sequence_approval",
  area: "sequences",
  title: "Activate an approved audience",
  description:
    "Activates the audience of an approval. Its contacts can then be enrolled, and their enrollments that are on " +
    "hold for contact_changed or not_authorised continue. The call is refused if the steps or the sender have " +
    "changed since the approval. If you send copy_hashes, only the contacts named there are activated, as a " +
    "separate approval. The others stay in the original approval.",
  access: { permission: "approve_outbound" },
  effect: "write",
  gates: ["billing"],
  errors: ["approval_not_found", "version_conflict", "own_proposal"],
  input: z.strictObject({
    approval_id: recordId("approval"),
    steps_hash: z
      .string()
      .max(64)
      .optional()
      .describe("The hash of the steps that you read. Without it, the call applies to the approved steps."),
    copy_hashes: z
      .record(recordId("contact"), z.string().max(64))
      .refine((hashes) => Object.keys(hashes).length > 0, "must include at least one contact")
      .optional()
      .describe(
        "For the id of each contact, the copy_hash that you read in get_review. Without copy_hashes, the whole " +
          "audience is activated.",
      ),
  }),
  output: Approval,
  async handler(ctx, { approval_id: id, steps_hash, copy_hashes }) {
    const before = await ctx.store.approvals.find(id);
    if (before === undefined) throw problem("approval_not_found");
    if (steps_hash !== undefined && before.stepsHash !== steps_hash) {
      throw problem(
        "version_conflict",
        "steps_hash: does not match the approval. Read the approval again and decide again.",
      );
    }
    const waits = before.status === "approved";
    if (waits) await requireShownSender(ctx.store, (await ctx.store.sequences.find(before.sequenceId)) as SequenceRow);
    const own = waits ? await checkOwnProposal(ctx, [before.approvedBy]) : {};
    const read = copy_hashes === undefined || !waits ? undefined : await requireRead(ctx, before, copy_hashes);
    if (read !== undefined) await ctx.store.approvals.unpin(id, read.otherThanApproved);
    const row = read?.isWhole === false ? await applyPart(ctx, before, read.contactIds) : await applyAll(ctx, before);
    const data = toApproval(row);
    if (waits) {
      const released = await ctx.store.enrollments.release(row.sequenceId, row.id);
      await forgetReplaced(ctx, row, read?.contactIds);
      const remaining =
        row.id === id ? {} : { remaining_contacts: before.contactCount - (read?.contactIds.length ?? 0) };
      const after = { ...data, ...remaining, released_enrollments: released, ...own };
      await ctx.audit({ recordId: id, before: toApproval(before), after });
    }
    return { data };
  },
});

async function applyAll(ctx: Context, { id }: ApprovalRow): Promise<ApprovalRow> {
  await ctx.store.approvals.apply(id, ctx.actor.id, ctx.now);
  const row = (await ctx.store.approvals.find(id)) as ApprovalRow;
  if (row.status !== "applied") throw await notApplicable(ctx, id);
  return row;
}

/** Applies an approval for some of its contacts. Pages that one member applies in a row are one approval. */
async function applyPart(ctx: Context, approval: ApprovalRow, contactIds: readonly string[]): Promise<ApprovalRow> {
  const { approvals } = ctx.store;
  const partId = (await earlierPart(ctx, approval)) ?? ctx.newId();
  if (!(await approvals.applyPart(approval.id, { partId, contactIds, by: ctx.actor.id, now: ctx.now }))) {
    throw await notApplicable(ctx, approval.id);
  }
  return (await approvals.find(partId)) as ApprovalRow;
}

/** The part of an approval that was applied last, if this member applied it. The audit of an approval names its parts. */
async function earlierPart(ctx: Context, { id, stepsHash }: ApprovalRow): Promise<string | undefined> {
  const [last] = await ctx.store.logs.auditOf(id, 1);
  const partId = last?.action === applySequenceApproval.name ? last.after?.id : undefined;
  const part = typeof partId === "string" && partId !== id ? await ctx.store.approvals.find(partId) : undefined;
  const isMine = part?.status === "applied" && part.appliedBy === ctx.actor.id && part.stepsHash === stepsHash;
  return isMine ? part.id : undefined;
}

async function notApplicable(ctx: Context, id: string) {
  const why = (await wasWithdrawn(ctx, id))
    ? "it was withdrawn"
    : "the steps or their sender changed after the approval";
  return problem("version_conflict", `approval_id: can't be activated because ${why}. Approve the audience again.`);
}

/**
 * Each contact that was read is still as it was read, and is still in this approval.
 *
 * @returns who was read, who of them was approved as something else, and whether the audience has no other live contacts
 * @throws Problem version_conflict, which names who changed
 */
async function requireRead(
  { store }: Context,
  { id, sequenceId }: ApprovalRow,
  read: Readonly<Record<string, string>>,
): Promise<{ contactIds: string[]; otherThanApproved: string[]; isWhole: boolean }> {
  const { steps } = (await store.sequences.find(sequenceId)) as SequenceRow;
  const contactIds = Object.keys(read);
  const { found, isWhole } = await store.approvals.partOf(id, contactIds);
  const recipients = await store.approvals.recipients(found.map(({ contactId }) => contactId));
  const hashes = await hashAllShown(store, recipients, steps);
  const changed = contactIds.filter((contactId) => hashes.get(contactId) !== read[contactId]);
  if (changed.length > 0) throw recipientsChanged(changed);
  const copies = new Map(recipients.map((recipient) => [recipient.id, hashCopy(recipient, steps)]));
  const otherThanApproved = found.filter(({ contactId, copyHash }) => copies.get(contactId) !== copyHash);
  return { contactIds, otherThanApproved: otherThanApproved.map(({ contactId }) => contactId), isWhole };
}
