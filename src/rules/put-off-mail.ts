import type { Context } from "../context.ts";
import { type Postponed, postponementOf, type SendingStanding } from "../domain/sending.ts";
import { workspaceStanding } from "./sending-standing.ts";

type Asking = Pick<Context, "store" | "now" | "deployment">;

/** What keeps back every e-mail of a workspace until a time: its windows, its cap, or the mail server. */
export async function mailPostponement(
  asking: Asking,
  restsUntil: number | null,
): Promise<{ postponed: Postponed | null; standing: SendingStanding }> {
  const standing = { ...(await workspaceStanding(asking)), sequence: "active", restsUntil } as const;
  return { postponed: postponementOf("email", standing), standing };
}

/**
 * Puts off what is due of a sequence's e-mails, where all of them are kept back: in one statement, however many they are.
 *
 * @returns how many; as many as `most`, where there may be more
 */
export async function putOffMail(
  ctx: Context,
  sequenceId: string,
  restsUntil: number | null,
  most: number,
): Promise<number> {
  const { postponed, standing } = await mailPostponement(ctx, restsUntil);
  if (postponed === null || postponed.until === null) return 0;
  const sequence = await ctx.store.sequences.find(sequenceId);
  const steps = (sequence?.steps ?? []).flatMap(({ type }, index) => (type === "email" ? [index] : []));
  // Of those that were counted today, one that is tried again is one message still.
  const notTriedSince = postponed.reason === "daily_cap" ? standing.calendar.dayStart : null;
  const { reason, until: dueAt } = postponed;
  return ctx.store.enrollments.postpone(sequenceId, steps, { dueAt, reason, notTriedSince }, ctx.now, most);
}
