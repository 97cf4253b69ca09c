import type { Context } from "../context.ts";
import type { Standing } from "../domain/claimability.ts";
import { accountClock, heldAt } from "../domain/socialnet-account.ts";
import type { ActionKind } from "../domain/socialnet-action.ts";
import type { SocialnetAccountRow } from "../store/socialnet.ts";

/** The hold of an account, as it stands in its row. */
export function holdOf({ heldReason, heldUntil }: SocialnetAccountRow) {
  return heldReason === null ? null : { reason: heldReason, until: heldUntil };
}

/** Everything that gates an account's actions now, and what was started today, counted inside the caller's transaction. */
export async function standingOf(
  ctx: Context,
  account: SocialnetAccountRow,
): Promise<Standing & { started: Record<ActionKind, number> }> {
  const { socialnetActions, workspace } = ctx.store;
  const clock = accountClock(account, ctx.now);
  const { dayStart, monthStart } = clock.calendar;
  const { socialnetAllowance } = await workspace.plan();
  const started = await socialnetActions.startsSince(account.id, dayStart);
  const { pausedAt } = await workspace.pause();
  const limits = { connection_request: account.dailyConnectionRequests, message: account.dailyMessages };
  const held = heldAt(holdOf(account), ctx.now);
  return {
    now: ctx.now,
    activated: ctx.deployment.socialnetExecution === "on",
    paused: pausedAt !== null,
    mode: account.automationMode,
    session: account.session,
    heldUntil: held === null ? undefined : held.until,
    ...clock,
    limits,
    started,
    remaining: {
      connection_request: Math.max(0, limits.connection_request - started.connection_request),
      message: Math.max(0, limits.message - started.message),
    },
    planAllowance: socialnetAllowance,
    planRemaining:
      socialnetAllowance === null
        ? null
        : Math.max(0, socialnetAllowance - (await socialnetActions.allStartsSince(monthStart))),
  };
}
