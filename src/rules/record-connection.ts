import type { Context } from "../context.ts";
import { recordActivity } from "./record-activity.ts";

/** A contact is connected: logged once, when it moves their status. False where that was known, or is long past. */
export async function recordConnection(
  ctx: Context,
  contactId: string,
  metadata: Record<string, unknown>,
): Promise<boolean> {
  if (!(await ctx.store.contacts.advanceSocialStatus(contactId, "connected"))) return false;
  const subject = "Connected on the social network";
  await recordActivity(ctx, { contactId, type: "socialnet_connected", subject, metadata });
  return true;
}
