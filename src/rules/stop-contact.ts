import type { Context } from "../context.ts";
import type { StoppedStatus } from "../store/enrollments.ts";
import { type StopReason, stopActions } from "./stop-actions.ts";

const ENROLLMENT = {
  suppressed: "stopped_suppressed",
  archived: "stopped_by_member",
  replied: "stopped_replied",
} as const satisfies Partial<Record<StopReason, StoppedStatus>>;

/** Stops everything that is open for a contact, on every channel; where a time is given, what was begun by then. */
export async function stopContact(
  ctx: Context,
  contactId: string,
  reason: keyof typeof ENROLLMENT,
  begunBy = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await ctx.store.enrollments.stopAll(contactId, ENROLLMENT[reason], ctx.now, begunBy);
  await stopActions(ctx, { contactId }, reason, begunBy);
}
