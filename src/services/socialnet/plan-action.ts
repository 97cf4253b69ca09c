import type { Context } from "../../core/context.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { auditAction } from "./actions.ts";
import { approveUnattended } from "./unattended-approval.ts";

type Planned = Pick<
  ActionRow,
  | "contactId"
  | "kind"
  | "origin"
  | "copy"
  | "recipientUrl"
  | "enrollmentId"
  | "sequenceId"
  | "step"
  | "stepCount"
  | "campaign"
>;

/**
 * Adds an action to the ledger.
 *
 * @param unattended whether an automatic account approves it immediately
 */
export async function planAction(
  ctx: Context,
  account: SocialnetAccountRow,
  planned: Planned,
  unattended = true,
): Promise<ActionRow> {
  const action: ActionRow = {
    ...planned,
    id: ctx.newId(),
    accountId: account.id,
    status: "planned",
    plannedBy: ctx.actor.name,
    plannedById: ctx.actor.id,
    editedById: null,
    approvedBy: null,
    approvedAt: null,
    approvedEmailKey: null,
    heldFrom: null,
    changed: null,
    changeRequestedAt: null,
    stopWanted: null,
    leaseHash: null,
    leaseExpiresAt: null,
    outcome: null,
    note: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
    endedAt: null,
  };
  await ctx.store.socialnetActions.insert(action);
  await auditAction(ctx, null, action, "plan");
  return unattended ? approveUnattended(ctx, account, action) : action;
}
