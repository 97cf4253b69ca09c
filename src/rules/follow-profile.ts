import type { Context } from "../context.ts";
import { type Contact, profileKey } from "../domain/contact.ts";
import { MOVES } from "../domain/socialnet-action.ts";
import type { SocialnetAccountRow } from "../store/socialnet.ts";
import type { ActionRow } from "../store/socialnet-actions.ts";
import { auditAction, moveAction, NO_APPROVAL, NO_LEASE } from "./move-action.ts";
import { approveUnattended } from "./plan-action.ts";

const RECIPIENT_CHANGED = "The contact's profile changed; a person has to approve it anew.";

/**
 * An approval pins the recipient: once the contact has another profile, nobody stands behind what was not started any
 * more, and it is planned for the profile that the contact has now.
 */
export async function followProfile(ctx: Context, { id, socialnet_url: profile }: Contact): Promise<void> {
  const key = profile === null ? null : profileKey(profile);
  for (const action of await ctx.store.socialnetActions.open({ contactId: id })) {
    if (profileKey(action.recipientUrl) !== key) await changeRecipient(ctx, action, profile);
  }
}

/** @returns why the action is not executed as it stands */
export async function changeRecipient(ctx: Context, action: ActionRow, profile: string | null): Promise<string> {
  const recipientUrl = profile ?? action.recipientUrl;
  const changed = { ...NO_APPROVAL, recipientUrl, note: RECIPIENT_CHANGED };
  let planned: ActionRow | undefined;
  if (MOVES[action.status].void_approval !== undefined) {
    planned = await moveAction(ctx, action, "void_approval", { ...changed, ...NO_LEASE });
  } else if (action.status === "planned" || action.status === "held") {
    const held = action.status === "held" ? ({ heldFrom: "planned" } as const) : {};
    planned = await ctx.store.socialnetActions.patch(action.id, [action.status], { ...changed, ...held }, ctx.now);
    if (planned !== undefined) await auditAction(ctx, action, planned, "edit");
  }
  if (planned !== undefined && profile !== null) {
    const account = (await ctx.store.socialnetAccounts.find(action.accountId)) as SocialnetAccountRow;
    await approveUnattended(ctx, account, planned);
  }
  return RECIPIENT_CHANGED;
}
