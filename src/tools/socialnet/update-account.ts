import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Context } from "../../context.ts";
import type { Payload } from "../../events/catalog.ts";
import { personOperation } from "../../operation.ts";
import { moveAction, NO_APPROVAL, NO_LEASE } from "../../rules/move-action.ts";
import { approveUnattended } from "../../rules/plan-action.ts";
import type { AccountSettings, SocialnetAccountRow } from "../../store/socialnet.ts";
import { atLeastOne } from "../fields.ts";
import { recordId } from "../ids.ts";
import { overlay } from "../overlay.ts";
import { requireAccount, requireMayAutomate, requireOwner, toSettings } from "./account-settings.ts";
import { accountFields, SocialnetAccount, toAccount } from "./schema.ts";

type Changed = Payload<"socialnet.schedule.changed">["changed"];

export const updateSocialnetAccount = personOperation({
  name: "update_socialnet_account",
  area: "socialnet",
  title: "Change a socialnet account",
  description:
    "Sets what is given and leaves the rest: label, profile, mode, time zone, windows, daily limits, owner. The agent is told of " +
    "what changes when, how much or by what mode it may act. An account made automatic approves what is planned for it; one that is automatic " +
    "no longer takes that approval back from what nobody has started.",
  access: { permission: "administer" },
  effect: "write",
  gates: ["billing"],
  errors: ["socialnet_account_not_found", "member_not_found"],
  input: z
    .strictObject({
      account_id: recordId("socialnet account"),
      ...z.object(accountFields).partial().shape,
    })
    .refine(...atLeastOne(Object.keys(accountFields))),
  output: SocialnetAccount,
  async handler(ctx, { account_id: id, daily_limits: limits = {}, ...given }) {
    const row = await requireAccount(ctx, id);
    const before = toAccount(row, ctx.now);
    const settings = toSettings({ ...overlay(before, given), daily_limits: overlay(before.daily_limits, limits) });
    requireMayAutomate(ctx, settings.automationMode, row.automationMode);
    if (given.owner_member_id !== undefined) await requireOwner(ctx, given.owner_member_id);
    if (isDeepStrictEqual(settings, toSettings(before))) return { data: before };
    const updated = (await ctx.store.socialnetAccounts.update(id, settings, ctx.now)) as SocialnetAccountRow;
    const after = toAccount(updated, ctx.now);
    await ctx.audit({ recordId: id, before, after });
    if (row.automationMode !== updated.automationMode) await settleApprovals(ctx, updated);
    const changed = changesOf(row, updated);
    if (changed.length > 0) {
      await ctx.emit("socialnet.schedule.changed", { account_id: id, account_label: updated.label, changed });
    }
    await ctx.store.socialnetAccounts.touch(id, ctx.now);
    return { data: after };
  },
});

/** What an automatic account would approve is approved; what it alone approved is not, once it is automatic no longer. */
async function settleApprovals(ctx: Context, account: SocialnetAccountRow): Promise<void> {
  const { socialnetActions } = ctx.store;
  const automatic = account.automationMode === "automatic";
  const statuses = automatic ? (["planned"] as const) : (["approved", "claimed"] as const);
  for (const status of statuses) {
    for (const id of await socialnetActions.unattended(account.id, status)) {
      const action = await socialnetActions.find(id);
      if (action === undefined) continue;
      if (automatic) await approveUnattended(ctx, account, action);
      else await moveAction(ctx, action, "void_approval", { ...NO_APPROVAL, ...NO_LEASE });
    }
  }
}

function changesOf(before: AccountSettings, after: AccountSettings): Changed {
  const differs = (...names: (keyof AccountSettings)[]) =>
    names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const changed: Changed = [];
  if (differs("windows", "timeZone")) changed.push("windows");
  if (differs("dailyConnectionRequests", "dailyMessages")) changed.push("limits");
  if (differs("automationMode")) changed.push("mode");
  return changed;
}
