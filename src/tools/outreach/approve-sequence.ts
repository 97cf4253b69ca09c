import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import {
  hashAllShown,
  hashCopy,
  recipientsChanged,
  requireShownSender,
  showsCompany,
} from "../../services/outreach/approvals.ts";
import type { RecipientRow } from "../../store/outreach.ts";
import { recordId } from "../fields.ts";
import { Approval, toApproval } from "./sequence-schema.ts";

const contactIds = z
  .array(recordId("contact"))
  .min(1)
  .max(5_000)
  .superRefine((ids, issues) => {
    const seen = new Set<string>();
    const twice = ids.findIndex((id) => seen.size === seen.add(id).size);
    if (twice !== -1) issues.addIssue({ code: "custom", path: [twice], message: "is in the list twice. Send it once" });
  })
  .describe("The audience: contacts that aren't archived, each once.");

export const approveSequence = personOperation({
  name: "approve_sequence",
  area: "sequences",
  title: "Approve an audience",
  description:
    "Approves the current version of a sequence for these contacts. They can be enrolled once the approval is " +
    "activated. The approval pins the steps, the sending account, the sender's name and address, and what each " +
    "contact is sent. If you send the hashes that you read, the call is refused if any of this has changed.",
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
      .describe("The steps_hash that you read. Without it, the current steps and sender are approved."),
    copy_hashes: z
      .record(recordId("contact"), z.string().max(64))
      .optional()
      .describe(
        "For the id of each contact, the copy_hash that you read in preview_audience. Without copy_hashes, the " +
          "current values of the contacts are approved.",
      ),
  }),
  output: Approval,
  async handler(ctx, { sequence_id: sequenceId, contact_ids, steps_hash, copy_hashes }) {
    const sequence = await ctx.store.sequences.find(sequenceId);
    if (sequence === undefined) throw problem("sequence_not_found");
    const { steps, stepsHash } = sequence;
    if (steps_hash !== undefined && steps_hash !== stepsHash) throw changed();
    await requireShownSender(ctx.store, sequence);

    const id = ctx.newId();
    const recipients = await findAudience(ctx, contact_ids);
    if (copy_hashes !== undefined) requireSame(await hashAllShown(ctx.store, recipients, steps), copy_hashes);
    const audience = new Map(recipients.map((one) => [one.id, hashCopy(one, steps)]));
    const withoutCompany = recipients.filter((one) => !showsCompany(one)).map((one) => one.id);
    const approval = { id, sequenceId, stepsHash, approvedBy: ctx.actor.id, audience, withoutCompany, now: ctx.now };
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
async function findAudience(ctx: Context, ids: readonly string[]): Promise<RecipientRow[]> {
  const recipients = await ctx.store.approvals.recipients(ids);
  const found = new Set(recipients.map(({ id }) => id));
  const missing = ids.findIndex((id) => !found.has(id));
  if (missing !== -1)
    throw problem(
      "contact_not_found",
      `contact_ids.${missing}: is not the id of a contact. Remove it, or send another id.`,
    );
  return recipients;
}

/**
 * Each contact is as it was read.
 *
 * @throws Problem version_conflict, which names who changed; validation_failed for one that was not read
 */
function requireSame(present: ReadonlyMap<string, string>, read: Readonly<Record<string, string>>): void {
  const differs = [...present].flatMap(([id, hash]) => (read[id] !== undefined && read[id] !== hash ? [id] : []));
  if (differs.length > 0) throw recipientsChanged(differs);
  const unread = [...present.keys()].find((id) => read[id] === undefined);
  if (unread !== undefined) {
    throw problem(
      "validation_failed",
      `copy_hashes: has no hash for contact ${unread}. Send the hash of each contact.`,
    );
  }
}

function changed() {
  return problem(
    "version_conflict",
    "steps_hash: does not match because the steps or their sender changed. Review them again.",
  );
}
