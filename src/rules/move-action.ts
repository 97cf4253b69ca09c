import type { Context } from "../context.ts";
import type { ActionMove } from "../domain/socialnet-action.ts";
import type { ActionPatch, ActionRow, MoveGuard } from "../store/socialnet-actions.ts";

/** A lease that is over: its token opens nothing more, though what it started can still be reported. */
export const NO_LEASE = { leaseHash: null, leaseExpiresAt: null } as const;

/** Nobody stands behind it any more. */
export const NO_APPROVAL = { approvedBy: null, approvedAt: null } as const;

/**
 * Every move of an action ends here: one guarded write, its audit row, and the account's work counted anew.
 *
 * @param said what the audit keeps beside
 * @returns undefined where the action is not where it was read, or the guard does not hold
 */
export async function moveAction(
  ctx: Context,
  before: ActionRow,
  move: ActionMove,
  patch: ActionPatch = {},
  guard: MoveGuard = {},
  said: Record<string, unknown> = {},
): Promise<ActionRow | undefined> {
  const after = await ctx.store.socialnetActions.move(before.id, move, ctx.now, patch, {
    from: before.status,
    ...guard,
  });
  if (after === undefined) return undefined;
  await auditAction(ctx, before, after, move, said);
  await ctx.store.socialnetAccounts.touch(before.accountId, ctx.now);
  return after;
}

export async function auditAction(
  ctx: Context,
  before: ActionRow | null,
  after: ActionRow,
  move: ActionMove | "plan" | "edit" | "late_stop" | "late_report",
  said: Record<string, unknown> = {},
): Promise<void> {
  const worded = WORDED.includes(move);
  const shown = { ...facts(after, worded), move, ...said };
  await ctx.audit({ recordId: after.id, before: before && facts(before, worded), after: shown });
}

/** Where the words are what it is about: what was planned, changed or approved. Elsewhere they are the same as there. */
const WORDED: readonly string[] = ["plan", "edit", "approve", "void_approval"];

function facts({ status, copy, recipientUrl, approvedBy, stopWanted, outcome, note }: ActionRow, worded: boolean) {
  return {
    ...{ status, recipient_url: recipientUrl, approved_by: approvedBy },
    ...(worded ? { copy } : {}),
    ...{ stop_wanted: stopWanted, outcome, note },
  };
}
