import type { Context } from "../../core/context.ts";
import type { Problem } from "../../core/problem.ts";
import { profileKey } from "../../domain/contacts/contact.ts";
import { accountClock, heldAt } from "../../domain/socialnet/account.ts";
import type { ActionKind } from "../../domain/socialnet/action.ts";
import { type Block, blockOf, type ClaimConditions } from "../../domain/socialnet/eligibility.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { stopContact } from "../outreach/enrollment.ts";
import { changeRecipient } from "./actions.ts";
import { refused } from "./agent.ts";

/** The hold of an account, as it stands in its row. */
export function holdOf({ heldReason, heldUntil }: SocialnetAccountRow) {
  return heldReason === null ? null : { reason: heldReason, until: heldUntil };
}

/** Everything that gates an account's actions now, and what was started today, counted inside the caller's transaction. */
export async function claimConditions(
  ctx: Context,
  account: SocialnetAccountRow,
): Promise<ClaimConditions & { started: Record<ActionKind, number> }> {
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

const BLOCKED: Record<Block, string> = {
  execution_not_activated:
    "Execution is not activated on this server; whoever runs it sets ROSTRUM_SOCIALNET_EXECUTION=on.",
  session_not_ready: "The session is not ready; send a heartbeat with session ready once the owner is signed in.",
  account_held: "The account is held, or outreach of this workspace is paused; nothing is executed now.",
  automation_off: "The account's automation is off; a person can turn it on.",
  outside_window: "The account's windows are shut now.",
  daily_limit: "The account's limit for today is used up.",
  plan_quota: "The plan's allowance of this month is used up.",
};

/** @throws Problem socialnet_refused while agents may not execute on this server: looked at before anything else */
export function requireActivated({ deployment }: Context): void {
  if (deployment.socialnetExecution === "on") return;
  throw refused("execution_not_activated", BLOCKED.execution_not_activated);
}

/**
 * What stands between an action and its execution beside its status. Of what went out of date the ledger is told as it
 * refuses: what is open for a suppressed contact ends, one whose recipient changed goes back to be approved.
 */
export async function gateAction(
  ctx: Context,
  account: SocialnetAccountRow,
  action: ActionRow,
): Promise<Problem | undefined> {
  const record = await ctx.store.contacts.find(action.contactId);
  const email = record?.contact.email ?? null;
  if (record === undefined || (email !== null && (await ctx.store.suppressions.has(email)))) {
    const found = record === undefined ? "archived" : "suppressed";
    await stopContact(ctx, action.contactId, found);
    const note = record === undefined ? "The contact was archived." : "The contact is on the do-not-contact list.";
    return refused("cancelled", `actionId: ${note} Leave it.`);
  }
  const { socialnet_url: profile } = record.contact;
  if (profile === null || profileKey(profile) !== profileKey(action.recipientUrl)) {
    return refused("not_approved", `actionId: ${await changeRecipient(ctx, action, profile)}`);
  }
  const blocked = blockOf(action, await claimConditions(ctx, account));
  return blocked === null ? undefined : refused(blocked.reason, BLOCKED[blocked.reason], blocked.nextAt);
}
