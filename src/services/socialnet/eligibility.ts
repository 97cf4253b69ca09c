import type { Context } from "../../core/context.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { profileKey } from "../../domain/contacts/contact.ts";
import type { ActionKind } from "../../domain/socialnet/action.ts";
import {
  accountClock,
  type Block,
  blockOf,
  type ClaimConditions,
  heldAt,
  holdOf,
} from "../../domain/socialnet/eligibility.ts";
import { iso } from "../../lib/time.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { stopContact } from "../outreach/enrollment.ts";
import { contactBlock } from "../outreach/suppression.ts";
import { changeRecipient } from "./actions.ts";

/** Everything that gates an account's actions now, with what was started today. */
export type AccountConditions = ClaimConditions & { started: Record<ActionKind, number> };

/** Reads what gates an account's actions, inside the caller's transaction: once for each call, then handed on. */
export async function claimConditions(ctx: Context, account: SocialnetAccountRow): Promise<AccountConditions> {
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

/**
 * Why an action is refused, apart from its own status; else the conditions that allowed it. An outdated action is
 * updated when it is refused: what is open for an archived or suppressed contact stops, and an action whose recipient
 * changed needs approval again.
 */
export async function checkEligibility(
  ctx: Context,
  account: SocialnetAccountRow,
  action: ActionRow,
): Promise<{ refusal: Problem } | { conditions: AccountConditions }> {
  const record = await ctx.store.contacts.find(action.contactId);
  const stopped = await contactBlock(ctx.store, record);
  if (record === undefined || stopped !== undefined) {
    await stopContact(ctx, action.contactId, stopped ?? "archived");
    const note = record === undefined ? "The contact was archived." : "The contact is on the do-not-contact list.";
    return { refusal: refused("cancelled", `actionId: ${note} Leave it.`) };
  }
  const { socialnet_url: profile } = record.contact;
  if (profile === null || profileKey(profile) !== profileKey(action.recipientUrl)) {
    return { refusal: refused("not_approved", `actionId: ${await changeRecipient(ctx, action, profile)}`) };
  }
  const conditions = await claimConditions(ctx, account);
  const blocked = blockOf(action, conditions);
  if (blocked === null) return { conditions };
  return { refusal: refused(blocked.reason, BLOCKED[blocked.reason], blocked.nextAt) };
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

/** @throws Problem socialnet_refused while agents may not execute on this server: checked before anything else */
export function requireActivated({ deployment }: Context): void {
  if (deployment.socialnetExecution === "on") return;
  throw refused("execution_not_activated", BLOCKED.execution_not_activated);
}

/** The account that the caller's key is bound to. Members and unbound keys have none. */
export async function accountOfAgent({ actor, store }: Context): Promise<SocialnetAccountRow | undefined> {
  if (actor.kind !== "key" || actor.socialnetAccountId === null) return undefined;
  return store.socialnetAccounts.find(actor.socialnetAccountId);
}

/** An action of the agent's own account. @throws Problem action_not_found */
export async function requireOwnAction(ctx: Context, account: SocialnetAccountRow, id: string): Promise<ActionRow> {
  const action = await ctx.store.socialnetActions.find(id);
  if (action === undefined || action.accountId !== account.id) throw problem("action_not_found");
  return action;
}

/** Every reason of a 409 of the socialnet operations, in the order of the checks, and what it means. */
export const REASONS = {
  execution_not_activated: "Whoever runs the server has not set `ROSTRUM_SOCIALNET_EXECUTION=on`.",
  unbound_agent: "The key is bound to no account. `setup` alone answers it.",
  profile_mismatch: "The profile is not that of the key's account: somebody else is signed in.",
  held: "A person holds the action, or a reply set it aside.",
  cancelled: "The action is over: cancelled by a person, an opt-out, the archive, or a reply.",
  already_claimed: "Another lease of the action is running.",
  stale_claim: "The token is not that of a running lease. Execute nothing; claim anew.",
  not_started: "A result of a claim that was never started.",
  already_started: "The action was started before, with this token or another. Execute nothing.",
  conflicting_result: "Another outcome was reported for this start, or a person has settled it.",
  not_approved: "Nobody approved the action as it reads now, or the recipient's profile changed since.",
  session_not_ready: "The last heartbeat did not say `ready`, or there was none yet.",
  account_held: "A login, a captcha or a limit holds the account, or the workspace's outreach is paused.",
  automation_off: "The account's mode is `off`. Of the engine's actions alone.",
  outside_window: "The account's windows are shut. Of the engine's actions alone.",
  daily_limit: "Today's starts of this kind are used up.",
  plan_quota: "The plan's starts of this month are used up.",
} as const;
export type Reason = keyof typeof REASONS;

/** The 409 of the socialnet actions: a reason, and where time will help, when. */
export function refused(reason: Reason, message: string, nextAt: number | null = null) {
  const next = nextAt === null ? {} : { nextWindowAt: iso(nextAt) };
  return problem("socialnet_refused", message, { extra: { reason, ...next } });
}
