import type { z } from "zod";
import { type Context, mayApprove } from "../../context.ts";
import type { AutomationMode } from "../../domain/socialnet-account.ts";
import { problem } from "../../problem.ts";
import type { AccountSettings, SocialnetAccountRow } from "../../store/socialnet.ts";
import type { accountFields, SocialnetAccount } from "./schema.ts";

type Given = Pick<z.output<typeof SocialnetAccount>, keyof typeof accountFields>;

export function toSettings(given: Given): AccountSettings {
  return {
    label: given.label,
    profileUrl: given.profile_url,
    automationMode: given.automation_mode,
    timeZone: given.time_zone,
    windows: given.windows,
    dailyConnectionRequests: given.daily_limits.connection_requests,
    dailyMessages: given.daily_limits.messages,
    ownerMemberId: given.owner_member_id,
  };
}

/** An automatic account sends what nobody looks at one by one: who lets it needs the permission that each would need. */
export function requireMayAutomate(ctx: Context, mode: AutomationMode, before?: AutomationMode): void {
  if (mode !== "automatic" || before === "automatic" || mayApprove(ctx.actor)) return;
  throw problem("insufficient_scope", "automation_mode: automatic needs the permission approve_outbound.");
}

/** @throws Problem member_not_found */
export async function requireOwner(ctx: Context, memberId: string | null): Promise<void> {
  if (memberId !== null && (await ctx.store.members.find(memberId)) === undefined) throw problem("member_not_found");
}

/** @throws Problem socialnet_account_not_found */
export async function requireAccount(ctx: Context, id: string): Promise<SocialnetAccountRow> {
  const account = await ctx.store.socialnetAccounts.find(id);
  if (account === undefined) throw problem("socialnet_account_not_found");
  return account;
}
