import { createHash, randomUUID } from "node:crypto";
import type { Context } from "../../core/context.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { profileKey } from "../../domain/contacts/contact.ts";
import { iso } from "../../lib/time.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";

/** Every reason of a 409 of the socialnet operations, in the order in which they are looked at, and what it tells. */
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

/** The account that the caller's key is bound to; people and unbound keys are no account's agent. */
export async function accountOfAgent({ actor, store }: Context): Promise<SocialnetAccountRow | undefined> {
  if (actor.kind !== "key" || actor.socialnetAccountId === null) return undefined;
  return store.socialnetAccounts.find(actor.socialnetAccountId);
}

/** An action of the agent's own account. @throws Problem action_not_found */
export async function requireAction(ctx: Context, account: SocialnetAccountRow, id: string): Promise<ActionRow> {
  const action = await ctx.store.socialnetActions.find(id);
  if (action === undefined || action.accountId !== account.id) throw problem("action_not_found");
  return action;
}

/** What is said where another profile than the account's is meant. */
export function otherProfile(account: SocialnetAccountRow, profileUrl: string): Problem | undefined {
  if (profileKey(profileUrl) === profileKey(account.profileUrl)) return undefined;
  const message = "profileUrl: is not the profile of the account that this key is bound to; act for no other.";
  return refused("profile_mismatch", message);
}

/** @throws Problem socialnet_refused where another profile than the account's is meant */
export function requireOwnProfile(account: SocialnetAccountRow, profileUrl: string): void {
  const mismatch = otherProfile(account, profileUrl);
  if (mismatch !== undefined) throw mismatch;
}

/** Only the hash of a lease's token is stored: who reads the database cannot act in an agent's name. */
export function hashLease(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function newLease(): { leaseToken: string; leaseHash: Buffer } {
  const leaseToken = randomUUID();
  return { leaseToken, leaseHash: hashLease(leaseToken) };
}
