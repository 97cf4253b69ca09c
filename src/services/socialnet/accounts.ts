import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { checkProductGates } from "../../core/policy.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { profileKey, profilePin } from "../../domain/contacts/address.ts";
import type { AutomationMode } from "../../domain/socialnet/account.ts";
import type { SocialnetAccountRow } from "../../store/socialnet.ts";
import { refused } from "./eligibility.ts";

/** @throws Problem socialnet_account_not_found */
export async function requireAccount(ctx: Context, id: string): Promise<SocialnetAccountRow> {
  const account = await ctx.store.socialnetAccounts.find(id);
  if (account === undefined) throw problem("socialnet_account_not_found");
  return account;
}

/** @throws Problem socialnet_account_not_found where a sequence names an account that does not exist */
export async function requireAccountOfSequence(ctx: Context, accountId: string | null): Promise<void> {
  if (accountId === null || (await ctx.store.socialnetAccounts.find(accountId)) !== undefined) return;
  throw problem(
    "socialnet_account_not_found",
    `socialnet_account_id: is not the id of an account in this workspace. List the ids with list_socialnet_accounts.`,
  );
}

/**
 * An automatic account sends without an approval of each action, so turning that on needs the same permission as each
 * approval, and a workspace that is not read-only.
 *
 * @throws Problem insufficient_scope, billing_read_only
 */
export async function requireMayAutomate(ctx: Context, mode: AutomationMode, before?: AutomationMode): Promise<void> {
  if (mode !== "automatic" || before === "automatic") return;
  if (!mayApprove(ctx.actor)) {
    throw problem(
      "insufficient_scope",
      "Setting automation_mode to automatic also requires the permission approve_outbound. Ask an admin who has it.",
    );
  }
  await checkProductGates(["billing"], ctx);
}

/**
 * Who picks the sender decides in whose name people are written to: that needs the permission to approve.
 *
 * @throws Problem insufficient_scope
 */
export function requireMaySetSender(ctx: Context, field: string): void {
  if (mayApprove(ctx.actor)) return;
  throw problem(
    "insufficient_scope",
    `Changing ${field} also requires the permission approve_outbound. Ask a teammate who has both permissions.`,
  );
}

/**
 * Who decides what an account sends has read whose account it is.
 *
 * @param read the profile that was read; undefined: the one that there is
 * @throws Problem version_conflict
 */
export function requireReadProfile({ profileUrl }: SocialnetAccountRow, read: string | undefined): void {
  if (read === undefined || profilePin(read) === profilePin(profileUrl)) return;
  throw problem("version_conflict", "read_profile_url: is no longer the account's profile. Read the account again.");
}

/**
 * On an automatic account, a plan, an edit or a release also approves. Someone who read another mode didn't mean that.
 *
 * @throws Problem version_conflict
 */
export function requireReadMode({ automationMode }: SocialnetAccountRow, read: string | undefined): void {
  if (read === undefined || read === automationMode) return;
  throw problem(
    "version_conflict",
    `read_automation_mode: is no longer the account's mode, which is ${automationMode} now. Read the account again.`,
  );
}

/** @throws Problem member_not_found */
export async function requireOwner(ctx: Context, memberId: string | null): Promise<void> {
  if (memberId !== null && (await ctx.store.members.find(memberId)) === undefined) throw problem("member_not_found");
}

/** @throws Problem socialnet_refused where a profile is not the account's own */
export function requireOwnProfile(account: SocialnetAccountRow, profileUrl: string): void {
  const mismatch = profileMismatch(account, profileUrl);
  if (mismatch !== undefined) throw mismatch;
}

/** The refusal of a profile that is not the account's own. */
export function profileMismatch(account: SocialnetAccountRow, profileUrl: string): Problem | undefined {
  if (profileKey(profileUrl) === profileKey(account.profileUrl)) return undefined;
  const message =
    `profileUrl: this key acts for ${account.profileUrl}, and another person is signed in. Stop: don't act for another ` +
    "person. The account holder must sign in first.";
  return refused("profile_mismatch", message);
}
