import type { Context } from "../context.ts";
import { recordActivity } from "./record-activity.ts";
import { stopContact } from "./stop-contact.ts";

/** A contact answered on the social network: it is logged, everything open for them stops, and their status says so. */
export async function recordReply(
  ctx: Context,
  reply: { contactId: string; excerpt: string | null; metadata: Record<string, unknown> },
): Promise<void> {
  const { contactId, excerpt, metadata } = reply;
  const subject = "Replied on the social network";
  await recordActivity(ctx, { contactId, type: "socialnet_reply", subject, body: excerpt, metadata });
  await ctx.store.contacts.advanceSocialStatus(contactId, "replied");
  await stopContact(ctx, contactId, "replied");
}
