import type { Context } from "../../core/context.ts";
import type { EnrollmentRow } from "../../store/outreach.ts";

/** A contact is in few sequences at a time. */
const STOPPED = { limit: 100, offset: 0 };

/**
 * Continues the sequences that a reply has stopped, because no person wrote it. The next step is due no sooner than at
 * the given time. The approvals that the reply spent count again, as far as they covered these sequences: before each
 * step the engine compares them with what would be sent.
 *
 * @param repliedAt when the reply was recorded, in ms: what it stopped ended then
 */
export async function resumeStopped(
  ctx: Context,
  contactId: string,
  repliedAt: number,
  dueAt: number,
): Promise<EnrollmentRow[]> {
  const { enrollments, approvals } = ctx.store;
  const { rows } = await enrollments.list({ contactId, status: "stopped_replied" }, STOPPED);
  const resumed: EnrollmentRow[] = [];
  for (const row of rows.filter(({ endedAt }) => endedAt === repliedAt)) {
    const step = await nextStep(ctx, row);
    const open = step === undefined ? undefined : await enrollments.resume(row.id, step, dueAt);
    if (open === undefined) continue;
    await approvals.restore(row.approvalId, contactId, repliedAt);
    resumed.push(open);
  }
  return resumed;
}

/** The step that has not been sent. Undefined where there is none, or where a message may still arrive or has failed. */
async function nextStep({ store }: Context, row: EnrollmentRow): Promise<number | undefined> {
  const { id, sequenceId, currentStep } = row;
  const sequence = await store.sequences.find(sequenceId);
  if (sequence === undefined || sequence.status === "archived") return undefined;
  const send = await store.sends.ofStep(id, currentStep);
  const isSent = send?.status === "sent" || send?.status === "written";
  if (send !== undefined && !isSent && send.status !== "retry" && send.status !== "dropped") return undefined;
  const next = isSent ? currentStep + 1 : currentStep;
  return next < sequence.steps.length ? next : undefined;
}
