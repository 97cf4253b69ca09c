import { createHash } from "node:crypto";
import type { Context } from "../../core/context.ts";
import { copyText, type Recipient, type Step, stepsText } from "../../domain/outreach/sequence.ts";
import type { SequenceRow } from "../../store/outreach.ts";

/** What an approval pins of a sequence. */
export function hashSteps(steps: readonly Step[]): string {
  return sha256(stepsText(steps));
}

/** What an approval pins of a contact. */
export function hashCopy(recipient: Recipient, steps: readonly Step[]): string {
  return sha256(copyText(recipient, steps));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * The applied approval of a sequence's current steps that covers a contact. Undefined where there is none. `changed`:
 * the contact has changed since the approval.
 */
export async function findAuthorization(
  ctx: Context,
  { id: sequenceId, steps, stepsHash }: SequenceRow,
  contact: Recipient,
): Promise<{ approvalId: string; changed: boolean } | undefined> {
  const copyHash = hashCopy(contact, steps);
  const approval = await ctx.store.approvals.covering({ sequenceId, stepsHash, contactId: contact.id, copyHash });
  return approval && { approvalId: approval.id, changed: approval.copyHash !== copyHash };
}

/** A withdrawn approval was never applied, so it has few entries in the audit. */
const MAX_ENTRIES = 10;

/** Whether a member withdrew a voided approval. An edit of the steps voids one too. */
export async function wasWithdrawn({ store }: Context, approvalId: string): Promise<boolean> {
  const changes = await store.logs.auditOf(approvalId, MAX_ENTRIES);
  return changes.some(({ action }) => action === "withdraw_sequence_approval");
}
