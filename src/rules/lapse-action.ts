import type { Context } from "../context.ts";
import type { ActionRow } from "../store/socialnet-actions.ts";
import { moveAction } from "./move-action.ts";

/**
 * A lease that ran out: what was not started is free again, and what was started is for a person to settle. The hash of
 * its token stays with what was started, so that its holder can still report late.
 */
export async function lapseAction(ctx: Context, action: ActionRow): Promise<ActionRow | undefined> {
  const over = { leaseOverAt: ctx.now };
  if (action.status === "claimed") {
    return moveAction(ctx, action, "lapse", { leaseHash: null, leaseExpiresAt: null }, over);
  }
  const note = "Started, and nothing was heard of it before its time was up.";
  return moveAction(ctx, action, "lose", { leaseExpiresAt: null, note }, over);
}
