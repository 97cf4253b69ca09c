import type { Context } from "../context.ts";
import type { StoppedStatus } from "../store/enrollments.ts";
import { type StopReason, stopActions } from "./stop-actions.ts";

const ENROLLMENT = {
  suppressed: "stopped_suppressed",
  archived: "stopped_by_member",
  replied: "stopped_replied",
} as const satisfies Partial<Record<StopReason, StoppedStatus>>;

/** Stops everything that is open for a contact, on every channel. */
export async function stopContact(ctx: Context, contactId: string, reason: keyof typeof ENROLLMENT): Promise<void> {
  await ctx.store.enrollments.stopAll(contactId, ENROLLMENT[reason], ctx.now);
  await stopActions(ctx, { contactId }, reason);
}
