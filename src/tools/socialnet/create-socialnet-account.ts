import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { DEFAULT_DAILY_LIMITS } from "../../domain/socialnet/account.ts";
import { pinSenders } from "../../services/outreach/approvals.ts";
import { requireAccount, requireMayAutomate, requireOwner } from "../../services/socialnet/accounts.ts";
import { overlay } from "../fields.ts";
import { accountFields, SocialnetAccount, toAccount, toSettings } from "./account-schema.ts";

const given = z.strictObject({
  ...accountFields,
  automation_mode: accountFields.automation_mode.default("approve_each"),
  time_zone: accountFields.time_zone.default("UTC"),
  windows: accountFields.windows.default([]),
  daily_limits: accountFields.daily_limits.default({}),
  owner_member_id: accountFields.owner_member_id.default(null),
});

export const createSocialnetAccount = personOperation({
  name: "create_socialnet_account",
  area: "socialnet",
  title: "Add a social account",
  description:
    "Adds a person's account on the professional network. An agent acts for the account in a browser. By default, a " +
    "person approves each action, and all hours are open.",
  access: { permission: "administer" },
  effect: "write",
  gates: ["billing"],
  errors: ["member_not_found"],
  input: given,
  output: SocialnetAccount,
  async handler(ctx, input) {
    await requireMayAutomate(ctx, input.automation_mode);
    await requireOwner(ctx, input.owner_member_id);
    return { data: await insert(ctx, input) };
  },
});

/** An account with defaults for everything that is not given. Its owner is an existing member. */
export function addAccount(
  ctx: Context,
  named: Pick<z.input<typeof given>, "label" | "profile_url"> & { owner_member_id: string },
) {
  return insert(ctx, given.parse(named));
}

async function insert(ctx: Context, input: z.output<typeof given>) {
  const id = ctx.newId();
  const settings = toSettings({ ...input, daily_limits: overlay(DEFAULT_DAILY_LIMITS, input.daily_limits) });
  await ctx.store.socialnetAccounts.insert({ id, ...settings, createdAt: ctx.now, updatedAt: ctx.now });
  const after = toAccount(await requireAccount(ctx, id), ctx.now);
  // A sequence that names no account is sent from the only one, or from none.
  const voided = await pinSenders(ctx);
  await ctx.audit({
    recordId: id,
    before: null,
    after: { ...after, ...(voided.length > 0 && { voided_approvals: voided }) },
  });
  return after;
}
