import type { Context } from "../context.ts";
import { type Postponed, type Waiting, waitsFor } from "../domain/sending.ts";
import { OPEN_ENROLLMENT, type SequenceStatus, type Step } from "../domain/sequence.ts";
import type { EnrollmentRow } from "../store/enrollments.ts";
import { workspaceStanding } from "./sending-standing.ts";

/** An enrollment, with what its sequence says of its step. */
export interface WaitingAtStep extends Waiting {
  sequenceStatus: SequenceStatus;
  stepType: Step["type"] | null;
}

/** What each of these enrollments waits for, as things stand now. */
export async function tellWaits(ctx: Context, enrollments: readonly WaitingAtStep[]): Promise<(Postponed | null)[]> {
  const standing = await workspaceStanding(ctx);
  return enrollments.map((one) =>
    waitsFor(one, one.stepType ?? undefined, { ...standing, sequence: one.sequenceStatus }, ctx.now),
  );
}

const isOpen = ({ status }: Waiting) => OPEN_ENROLLMENT.some((open) => open === status);

/** The same for enrollments alone: each of their sequences is looked up once. */
export async function waitsOf(ctx: Context, rows: readonly EnrollmentRow[]): Promise<(Postponed | null)[]> {
  const ids = [...new Set(rows.filter(isOpen).map(({ sequenceId }) => sequenceId))];
  const found = new Map(await Promise.all(ids.map(async (id) => [id, await ctx.store.sequences.find(id)] as const)));
  return tellWaits(
    ctx,
    rows.map((row) => {
      const sequence = found.get(row.sequenceId);
      return {
        ...row,
        sequenceStatus: sequence?.status ?? "archived",
        stepType: sequence?.steps[row.currentStep]?.type ?? null,
      };
    }),
  );
}
