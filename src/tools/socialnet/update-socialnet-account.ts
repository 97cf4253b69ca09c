import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Context, EventMap } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { profilePin } from "../../domain/contacts/address.ts";
import { MAX_READ_ACTIONS, sessionNow } from "../../domain/socialnet/account.ts";
import { STATUS_AFTER, statusesBefore } from "../../domain/socialnet/action.ts";
import { revokeConnectorsOfAccount } from "../../services/access/keys.ts";
import { pinSenders } from "../../services/outreach/approvals.ts";
import {
  requireAccount,
  requireMayAutomate,
  requireMaySetSender,
  requireOwner,
  requireReadProfile,
} from "../../services/socialnet/accounts.ts";
import { changeSender } from "../../services/socialnet/changed-actions.ts";
import { approvedByTurningOn, requireReadActions } from "../../services/socialnet/turn-on-automatic.ts";
import { forgetUnattended, holdChanged } from "../../services/socialnet/unattended-approval.ts";
import type { AccountSettings, SocialnetAccountRow } from "../../store/socialnet.ts";
import { atLeastOne, overlay, recordId } from "../fields.ts";
import { accountFields, readProfileUrl, SocialnetAccount, toAccount, toSettings } from "./account-schema.ts";

type Changed = EventMap["socialnet.schedule.changed"]["changed"];

export const updateSocialnetAccount = personOperation({
  name: "update_socialnet_account",
  area: "socialnet",
  title: "Update a social account",
  description:
    "Changes an account's settings. Omitted fields keep their value. Turning on automatic mode approves planned " +
    "actions: preview_automatic_mode lists them. Turning it off withdraws these approvals. Changing the profile " +
    "voids all approvals. These changes require the permission approve_outbound: turning on automatic mode, " +
    "changing the profile of an automatic account, and changing the label of an account that is automatic or has " +
    "open actions.",
  access: { permission: "administer" },
  effect: "write",
  restricts: ({ automation_mode }) => automation_mode !== undefined && automation_mode !== "automatic",
  errors: ["socialnet_account_not_found", "member_not_found", "version_conflict", "billing_read_only"],
  input: z
    .strictObject({
      account_id: recordId("social account"),
      read_profile_url: readProfileUrl,
      copy_hashes: z
        .record(recordId("action"), z.string().max(64))
        .refine(
          (hashes) => Object.keys(hashes).length <= MAX_READ_ACTIONS,
          `must have at most ${MAX_READ_ACTIONS} entries`,
        )
        .optional()
        .describe(
          "Only when turning on automatic mode: for the id of each action that it approves, the copy_hash " +
            "that you read in preview_automatic_mode. If these actions differ now, the call is refused. " +
            "Without it, the current actions are approved, even if they are too many to preview.",
        ),
      ...z.object(accountFields).partial().shape,
    })
    .refine(...atLeastOne(Object.keys(accountFields))),
  output: SocialnetAccount,
  async handler(
    ctx,
    { account_id: id, read_profile_url: read, copy_hashes: hashes, daily_limits: limits = {}, ...given },
  ) {
    const row = await requireAccount(ctx, id);
    requireReadProfile(row, read);
    const before = toAccount(row, ctx.now);
    const settings = toSettings({ ...overlay(before, given), daily_limits: overlay(before.daily_limits, limits) });
    await requireMayAutomate(ctx, settings.automationMode, row.automationMode);
    const moved = profilePin(row.profileUrl) !== profilePin(settings.profileUrl);
    // Who made it automatic lets this sender send without asking, and no other.
    if (moved && settings.automationMode === "automatic") requireMaySetSender(ctx, "profile_url");
    if (settings.label !== row.label) await requireMayRename(ctx, id, settings);
    if (given.owner_member_id !== undefined) await requireOwner(ctx, given.owner_member_id);
    if (isDeepStrictEqual(settings, toSettings(before))) return { data: before };
    const updated = (await ctx.store.socialnetAccounts.update(id, settings, ctx.now)) as SocialnetAccountRow;
    const after = toAccount(updated, ctx.now);
    const voided = moved ? { voided_approvals: await pinSenders(ctx) } : {};
    await ctx.audit({ recordId: id, before, after: { ...after, ...voided } });
    if (row.ownerMemberId !== null && row.ownerMemberId !== updated.ownerMemberId) {
      await revokeConnectorsOfAccount(ctx, id, row.ownerMemberId);
    }
    if (moved) await changeSender(ctx, updated);
    if (row.automationMode !== updated.automationMode) await updateApprovals(ctx, updated, hashes);
    // What was found of the session was found of another sender.
    if (moved) {
      await ctx.store.socialnetAccounts.setState(id, { ...sessionNow(row, null, ctx.now), sessionAt: null });
    }
    const changed = changesOf(row, updated);
    if (changed.length > 0) {
      await ctx.emit("socialnet.schedule.changed", { account_id: id, account_label: updated.label, changed });
    }
    await ctx.store.socialnetAccounts.touch(id, ctx.now);
    return { data: after };
  },
});

/**
 * The agent reads the label with every action that it starts, and an approval does not pin it.
 *
 * @throws Problem insufficient_scope
 */
async function requireMayRename(ctx: Context, id: string, { automationMode }: AccountSettings): Promise<void> {
  const isRead = automationMode === "automatic" || (await ctx.store.socialnetActions.openOf(id)).length > 0;
  if (isRead) requireMaySetSender(ctx, "label");
}

async function updateApprovals(
  ctx: Context,
  account: SocialnetAccountRow,
  hashes: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  if (account.automationMode === "automatic") await approvePlanned(ctx, account, hashes);
  else await withdrawUnattended(ctx, account);
}

/** Approves what is planned as it was read. What changed after it was planned is held. */
async function approvePlanned(
  ctx: Context,
  account: SocialnetAccountRow,
  hashes: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  const open = await ctx.store.socialnetActions.openOf(account.id);
  const planned = open.filter(({ status }) => status === "planned");
  const approves = await approvedByTurningOn(ctx, planned);
  const actions = approves.map(({ action }) => action);
  if (hashes !== undefined) await requireReadActions(ctx, account, actions, hashes);
  await holdChanged(ctx, account);
  const own = new Set(approves.filter(({ isOwn }) => isOwn).map(({ action }) => action.id));
  const ids = actions.map((action) => action.id);
  await moveAll(ctx, account, "approve", ids, (id) => (own.has(id) ? { own_proposal: true } : {}));
}

/** Withdraws what the account approved by itself. An action that a person put on hold is not released as approved. */
async function withdrawUnattended(ctx: Context, account: SocialnetAccountRow): Promise<void> {
  await forgetUnattended(ctx, account);
  await moveAll(ctx, account, "void_approval");
}

/** However many actions there are, it is one write for each status: nothing is claimed in between. */
async function moveAll(
  ctx: Context,
  account: SocialnetAccountRow,
  move: "approve" | "void_approval",
  ids?: readonly string[],
  extra: (id: string) => object = () => ({}),
): Promise<void> {
  for (const from of statusesBefore(move)) {
    const moved = await ctx.store.socialnetActions.moveUnattended(account.id, from, move, ctx.now, ids);
    for (const { id, copy, recipientUrl: recipient_url } of moved) {
      const after = { status: STATUS_AFTER[move], recipient_url, approved_by: null, copy, move, ...extra(id) };
      await ctx.audit({ recordId: id, before: { status: from, approved_by: null }, after });
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
