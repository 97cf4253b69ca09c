import type { Context } from "../../context.ts";
import { profileKey } from "../../domain/contact.ts";
import { type Problem, problem } from "../../problem.ts";
import type { SocialnetAccountRow } from "../../store/socialnet.ts";
import type { ActionRow } from "../../store/socialnet-actions.ts";
import { iso } from "../time.ts";
import type { Reason } from "./reasons.ts";

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
