import type { Context } from "../context.ts";
import { problem } from "../problem.ts";
import type { SendRow } from "../store/sends.ts";
import { endEnrollment } from "./end-enrollment.ts";
import { sent } from "./end-send.ts";

const STATUS = { sent: "sent", not_sent: "failed", retry: "retry" } as const;

/** A person's word on a message that nobody knew the end of. @returns undefined where its end is known */
export async function settleSend(
  ctx: Context,
  send: SendRow,
  outcome: keyof typeof STATUS,
  note: string | null,
): Promise<SendRow | undefined> {
  const detail = note ?? `Settled by ${ctx.actor.name}.`;
  const settled = await ctx.store.sends.move(send.id, ["unknown"], STATUS[outcome], ctx.now, { detail });
  if (settled === undefined) return undefined;
  const { enrollmentId, step } = send;
  if (outcome === "sent") await sent(ctx, settled, null, { settled: true });
  else if (outcome === "not_sent") await endEnrollment(ctx, enrollmentId, "failed", detail);
  else if (!(await ctx.store.enrollments.wait(enrollmentId, step, { dueAt: ctx.now }))) {
    throw problem(
      "enrollment_ended",
      "outcome: retry sends nothing, since the contact's way through the sequence is over; choose sent or not_sent.",
    );
  }
  return settled;
}
