import type { Context } from "../../core/context.ts";
import { MOVES, type Stop } from "../../domain/socialnet/action.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import { auditAction, moveAction, NO_APPROVAL, NO_LEASE } from "./actions.ts";

/** Why open actions stop, each with what happens to the engine's actions and to a member's own. */
const STOPPING = {
  suppressed: { engine: "cancel", member: "cancel", note: "The contact is on the do-not-contact list." },
  archived: { engine: "cancel", member: "cancel", note: "The contact was archived." },
  replied: { engine: "withdraw", member: "set_aside", note: "The contact replied." },
  not_interested: { engine: "cancel", member: "cancel", note: "The contact is not interested." },
  enrollment_ended: { engine: "withdraw", member: "set_aside", note: "The enrollment ended." },
} as const satisfies Record<string, { engine: Stop; member: Stop; note: string }>;

export type StopReason = keyof typeof STOPPING;

/** Stops by strength: the strongest wins. */
const RANK: readonly (Stop | null)[] = [null, "set_aside", "withdraw", "cancel"];

/**
 * Stops the open actions of a contact or of an enrollment. One that was not started ends or is put on hold for a member; one
 * that an agent has started stops once its outcome is reported.
 */
export async function stopActions(
  ctx: Context,
  of: { contactId: string } | { enrollmentId: string },
  reason: StopReason,
  begunBy = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  for (const action of await ctx.store.socialnetActions.open(of)) {
    // One from a time that is still to come began before the clock was set back.
    if (action.createdAt > begunBy && action.createdAt <= ctx.now) continue;
    const stop = STOPPING[reason][action.origin];
    if (MOVES[action.status][stop] !== undefined) await applyStop(ctx, action, stop, STOPPING[reason].note);
    else if (action.status === "held") await forgetApproval(ctx, action);
    else if (action.status === "started" || action.status === "needs_review") await stopLater(ctx, action, stop);
  }
}

/** Ends an action, or sets it aside without its approval, which was given before the contact's reply. */
export async function applyStop(
  ctx: Context,
  action: ActionRow,
  stop: Stop,
  note: string,
  changed = action.changed,
): Promise<ActionRow | undefined> {
  const aside = stop === "set_aside" ? ({ ...NO_APPROVAL, heldFrom: "planned" } as const) : {};
  return moveAction(ctx, action, stop, { ...aside, ...NO_LEASE, changed, stopWanted: null, note });
}

/** An action that a person holds stays held. Once released, it has to be approved again. */
export async function forgetApproval(ctx: Context, action: ActionRow, changed = action.changed): Promise<void> {
  if (action.heldFrom !== "approved" && changed === action.changed) return;
  const forgotten = { ...NO_APPROVAL, heldFrom: "planned", changed } as const;
  const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], forgotten, ctx.now);
  if (patched !== undefined) await auditAction(ctx, action, patched, "late_stop");
}

export async function stopLater(ctx: Context, action: ActionRow, stop: Stop, changed = action.changed): Promise<void> {
  const stopWanted = RANK.indexOf(action.stopWanted) < RANK.indexOf(stop) ? stop : action.stopWanted;
  if (stopWanted === action.stopWanted && changed === action.changed) return;
  const patch = { stopWanted, changed };
  const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], patch, ctx.now);
  if (patched !== undefined) await auditAction(ctx, action, patched, "late_stop");
}

/** Applies the stop that was requested while the action was being executed, once it comes back unexecuted. */
export async function applyPendingStop(ctx: Context, action: ActionRow): Promise<ActionRow> {
  if (action.stopWanted === null) return action;
  const note =
    "While the action was in progress, the contact changed, replied or opted out, or the sequence or the sender changed.";
  return (await applyStop(ctx, action, action.stopWanted, note)) ?? action;
}

/** An agent reports late that an action was sent: it is not sent again before a person has checked. */
export async function recordLateReport(ctx: Context, action: ActionRow): Promise<void> {
  const note = "An agent reported later that the action was sent. Check this, and cancel the action if it was sent.";
  if (MOVES[action.status].set_aside !== undefined) await applyStop(ctx, action, "set_aside", note);
  else if (action.status === "held" || action.status === "started" || action.status === "needs_review") {
    const forgotten = action.status === "held" ? ({ ...NO_APPROVAL, heldFrom: "planned" } as const) : {};
    const wanted = action.status === "held" ? {} : ({ stopWanted: action.stopWanted ?? "set_aside" } as const);
    const patch = { ...forgotten, ...wanted, note };
    const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], patch, ctx.now);
    if (patched !== undefined) await auditAction(ctx, action, patched, "late_report");
  }
}
