import type { Context } from "../context.ts";
import { recordActivity } from "./record-activity.ts";

/** A contact is connected: their status says so at least, and it is logged once. False where it was logged before. */
export async function recordConnection(
  ctx: Context,
  contactId: string,
  metadata: Record<string, unknown>,
): Promise<boolean> {
  await ctx.store.contacts.advanceSocialStatus(contactId, "connected");
  if (await ctx.store.activities.has(contactId, "socialnet_connected")) return false;
  const subject = "Connected on the social network";
  await recordActivity(ctx, { contactId, type: "socialnet_connected", subject, metadata });
  return true;
}
