import type { Context } from "../context.ts";
import type { SocialnetAccountRow } from "../store/socialnet.ts";
import type { ActionRow } from "../store/socialnet-actions.ts";
import { auditAction, moveAction, NO_APPROVAL } from "./move-action.ts";

type Planned = Pick<
  ActionRow,
  "contactId" | "kind" | "origin" | "copy" | "recipientUrl" | "enrollmentId" | "step" | "stepCount" | "campaign"
>;

/** Puts an action into the ledger; an automatic account approves it at once. */
export async function planAction(ctx: Context, account: SocialnetAccountRow, planned: Planned): Promise<ActionRow> {
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
    heldFrom: null,
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
  return approveUnattended(ctx, account, action);
}

/** An automatic account approves what is planned for it, in nobody's name. */
export async function approveUnattended(
  ctx: Context,
  { automationMode }: SocialnetAccountRow,
  action: ActionRow,
): Promise<ActionRow> {
  if (automationMode !== "automatic" || action.status !== "planned") return action;
  return (await moveAction(ctx, action, "approve", { approvedBy: null, approvedAt: ctx.now })) ?? action;
}

/** What nobody approved stays approved only while its account is automatic: else it waits for a person. */
export async function voidUnattended(
  ctx: Context,
  { automationMode }: SocialnetAccountRow,
  action: ActionRow,
): Promise<ActionRow> {
  if (automationMode === "automatic" || action.status !== "approved" || action.approvedBy !== null) return action;
  return (await moveAction(ctx, action, "void_approval", NO_APPROVAL)) ?? action;
}
