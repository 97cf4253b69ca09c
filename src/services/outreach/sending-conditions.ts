import type { Context } from "../../core/context.ts";
import { readOnlyReason } from "../../domain/access/billing.ts";
import {
  type Postponed,
  postponementOf,
  type SendingConditions,
  type Waiting,
  waitsFor,
} from "../../domain/outreach/sending.ts";
import { OPEN_ENROLLMENT, type SequenceStatus, type Step } from "../../domain/outreach/sequence.ts";
import { calendarAt, openingAt } from "../../domain/time/calendar.ts";
import type { EnrollmentRow } from "../../store/outreach.ts";

type Asking = Pick<Context, "store" | "now" | "deployment">;
type Blocks = Pick<SendingConditions, "gateOpen" | "paused" | "readOnly">;

/** What keeps back everything that a workspace sends. */
export async function workspaceBlocks({ store, now, deployment }: Asking): Promise<Blocks> {
  const { pausedAt, ...billing } = await store.workspace.blocks();
  return {
    gateOpen: deployment.outboundGate === "open",
    paused: pausedAt !== null,
    readOnly: readOnlyReason(billing, now) !== undefined,
  };
}

/** Everything that gates what a workspace sends, read anew. */
export async function sendingConditions(asking: Asking): Promise<Omit<SendingConditions, "sequence">> {
  const { store, now } = asking;
  const { timeZone, windows, dailyCap } = await store.workspace.sendingPolicy();
  const calendar = calendarAt(now, timeZone);
  return {
    ...(await workspaceBlocks(asking)),
    opening: openingAt(windows, timeZone, now),
    opensTomorrow: openingAt(windows, timeZone, calendar.nextDay).opensAt ?? calendar.nextDay,
    calendar,
    restsUntil: await store.workspace.mailRestsUntil(now),
    capLeft: dailyCap === null ? null : Math.max(0, dailyCap - (await store.sends.countSince(calendar.dayStart))),
  };
}

type Conditioned = Pick<Context, "store" | "now" | "deployment">;

/** What keeps back every e-mail of a workspace until a time: its windows, its cap, or the mail server. */
export async function mailPostponement(
  asking: Conditioned,
  restsUntil: number | null,
): Promise<{ postponed: Postponed | null; standing: SendingConditions }> {
  const standing = { ...(await sendingConditions(asking)), sequence: "active", restsUntil } as const;
  return { postponed: postponementOf("email", standing), standing };
}

/**
 * Puts off what is due of a sequence's e-mails, where all of them are kept back: in one statement, however many they are.
 *
 * @returns how many; as many as `most`, where there may be more
 */
export async function deferMail(
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

/** An enrollment, with what its sequence says of its step. */
export interface WaitingAtStep extends Waiting {
  sequenceStatus: SequenceStatus;
  stepType: Step["type"] | null;
}

/** What each of these enrollments waits for, as things stand now. */
export async function tellWaits(ctx: Context, enrollments: readonly WaitingAtStep[]): Promise<(Postponed | null)[]> {
  const standing = await sendingConditions(ctx);
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
