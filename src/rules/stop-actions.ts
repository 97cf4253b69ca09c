import type { Context } from "../context.ts";
import { MOVES, type Stop } from "../domain/socialnet-action.ts";
import type { ActionRow } from "../store/socialnet-actions.ts";
import { auditAction, moveAction, NO_APPROVAL, NO_LEASE } from "./move-action.ts";

/** Why open actions end, or wait: each says what becomes of the engine's and of a member's own. */
const STOPPING = {
  suppressed: { engine: "cancel", member: "cancel", note: "The contact is on the do-not-contact list." },
  archived: { engine: "cancel", member: "cancel", note: "The contact was archived." },
  replied: { engine: "withdraw", member: "set_aside", note: "The contact replied." },
  enrollment_ended: { engine: "withdraw", member: "set_aside", note: "The enrollment ended." },
} as const satisfies Record<string, { engine: Stop; member: Stop; note: string }>;

export type StopReason = keyof typeof STOPPING;

/** What a stop outranks: the one that leaves less to happen wins. */
const RANK: readonly (Stop | null)[] = [null, "set_aside", "withdraw", "cancel"];

/**
 * Stops what is open for a contact, or of an enrollment: what was not started ends or waits for a member; what an agent
 * has started is left to its report, and stops then.
 */
export async function stopActions(
  ctx: Context,
  of: { contactId: string } | { enrollmentId: string },
  reason: StopReason,
  begunBy = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  for (const action of await ctx.store.socialnetActions.open(of)) {
    if (action.createdAt > begunBy) continue;
    const stop = STOPPING[reason][action.origin];
    if (MOVES[action.status][stop] !== undefined) await applyStop(ctx, action, stop, STOPPING[reason].note);
    else if (action.status === "held") await forgetApproval(ctx, action);
    else if (action.status === "started" || action.status === "needs_review") await stopLater(ctx, action, stop);
  }
}

/** Ends an action, or sets it aside without its approval: what was approved was written before the contact's reply. */
async function applyStop(ctx: Context, action: ActionRow, stop: Stop, note: string): Promise<ActionRow | undefined> {
  const aside = stop === "set_aside" ? ({ ...NO_APPROVAL, heldFrom: "planned" } as const) : {};
  return moveAction(ctx, action, stop, { ...aside, ...NO_LEASE, stopWanted: null, note });
}

/** One that a person holds stays held; released, it goes back to be approved, as what is set aside does. */
async function forgetApproval(ctx: Context, action: ActionRow): Promise<void> {
  if (action.heldFrom !== "approved") return;
  const forgotten = { ...NO_APPROVAL, heldFrom: "planned" } as const;
  const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], forgotten, ctx.now);
  if (patched !== undefined) await auditAction(ctx, action, patched, "late_stop");
}

async function stopLater(ctx: Context, action: ActionRow, stop: Stop): Promise<void> {
  if (RANK.indexOf(action.stopWanted) >= RANK.indexOf(stop)) return;
  const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], { stopWanted: stop }, ctx.now);
  if (patched !== undefined) await auditAction(ctx, action, patched, "late_stop");
}

/** An action that came back unexecuted heeds what befell its contact meanwhile. */
export async function heedStop(ctx: Context, action: ActionRow): Promise<ActionRow> {
  if (action.stopWanted === null) return action;
  const note = "The contact replied, or was taken out, while the action was under way.";
  return (await applyStop(ctx, action, action.stopWanted, note)) ?? action;
}

/** An agent says, against what is known, that it was sent: nobody sends it again before a person has looked. */
export async function distrust(ctx: Context, action: ActionRow): Promise<void> {
  const note = "An agent reported afterwards that this was sent; look, and cancel it if it was.";
  if (MOVES[action.status].set_aside !== undefined) await applyStop(ctx, action, "set_aside", note);
  else if (action.status === "held" || action.status === "started" || action.status === "needs_review") {
    const forgotten = action.status === "held" ? ({ ...NO_APPROVAL, heldFrom: "planned" } as const) : {};
    const wanted = action.status === "held" ? {} : ({ stopWanted: action.stopWanted ?? "set_aside" } as const);
    const patch = { ...forgotten, ...wanted, note };
    const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], patch, ctx.now);
    if (patched !== undefined) await auditAction(ctx, action, patched, "late_report");
  }
}
