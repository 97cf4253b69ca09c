import type { Context } from "../../core/context.ts";
import { type Activity, type ActivityType, isOutbound } from "../../domain/contacts/activity.ts";

/**
 * Records every activity, in the transaction of the call that causes it. The author is set last, so that a caller's
 * metadata cannot claim to be another's. Who reads a `member_id` of metadata asks memberOf.
 */
export async function recordActivity(
  ctx: Context,
  activity: {
    contactId: string;
    type: ActivityType;
    subject: string | null;
    body?: string | null;
    metadata?: Record<string, unknown>;
    /** Of a reply: the profile that it came from. Without it, the one that the contact has now. */
    profileUrl?: string | undefined;
  },
): Promise<Activity> {
  const { contactId, type, subject, body = null, metadata = {}, profileUrl } = activity;
  const { source: _, api_key_id: __, ...own } = metadata;
  const written = await ctx.store.activities.insert({
    id: ctx.newId(),
    contactId,
    type,
    subject,
    body,
    metadata: { ...own, ...stamp(ctx) },
    profileUrl,
    now: ctx.now,
  });
  if (isOutbound(type)) await ctx.store.activities.advanceLastContacted(contactId, ctx.now);
  return written;
}

function stamp({ actor }: Context): { source: string; api_key_id?: string; member_id?: string } {
  if (actor.kind === "key") return { source: "public_api", api_key_id: actor.id };
  return actor.kind === "system" ? { source: "engine" } : { source: "member", member_id: actor.id };
}

/**
 * Records that a contact is connected, with at least that status, and logs it once. False where it was logged before.
 */
export async function recordConnection(
  ctx: Context,
  contactId: string,
  metadata: Record<string, unknown>,
): Promise<boolean> {
  await ctx.store.contacts.advanceSocialStatus(contactId, "connected");
  if (await ctx.store.activities.has(contactId, "socialnet_connected")) return false;
  const subject = "Connected on the professional network";
  await recordActivity(ctx, { contactId, type: "socialnet_connected", subject, metadata });
  return true;
}
