import type { Context } from "../../context.ts";
import { problem } from "../../problem.ts";

/** @throws Problem socialnet_account_not_found where a sequence is to name one that there is not */
export async function requireAccountOf(ctx: Context, accountId: string | null): Promise<void> {
  if (accountId === null || (await ctx.store.socialnetAccounts.find(accountId)) !== undefined) return;
  throw problem("socialnet_account_not_found", "socialnet_account_id: no account of this workspace has this id.");
}
