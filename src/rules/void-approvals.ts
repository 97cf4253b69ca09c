import type { Context } from "../context.ts";
import { type Contact, profileKey } from "../domain/contact.ts";
import { MOVES } from "../domain/socialnet-action.ts";
import { moveAction, NO_APPROVAL, NO_LEASE } from "./move-action.ts";

/** Why an approval that pinned another recipient is over. */
export const RECIPIENT_CHANGED = "The contact's profile changed; a person has to approve it anew.";

/** An approval pins the recipient: once the contact has another profile, nobody stands behind the action any more. */
export async function voidApprovals(ctx: Context, { id, socialnet_url: profile }: Contact): Promise<void> {
  const key = profile === null ? null : profileKey(profile);
  for (const action of await ctx.store.socialnetActions.open({ contactId: id })) {
    if (MOVES[action.status].void_approval === undefined || profileKey(action.recipientUrl) === key) continue;
    await moveAction(ctx, action, "void_approval", { ...NO_APPROVAL, ...NO_LEASE, note: RECIPIENT_CHANGED });
  }
}
