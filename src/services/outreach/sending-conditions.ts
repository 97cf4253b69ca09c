import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { type Billing, isReadOnly } from "../../domain/access/billing.ts";
import {
  blockOf,
  type MailDelivery,
  NO_MAIL_SERVER_MS,
  type Postponed,
  type Postponement,
  postponementOf,
  type SendingConditions,
  type WaitingEnrollment,
  waitsFor,
} from "../../domain/outreach/sending.ts";
import { OPEN_ENROLLMENT, type SequenceStatus, type Step } from "../../domain/outreach/sequence.ts";
import { calendarAt, openingAt } from "../../domain/time/calendar.ts";
import type { OutreachPause } from "../../store/access.ts";
import type { EnrollmentRow, SequenceRow } from "../../store/outreach.ts";

/** What the conditions are read from: a call's context, or a worker's read of one workspace. */
type Reading = Pick<Context, "store" | "now" | "deployment">;

/** What gates every sequence of a workspace. */
type ConditionsOfWorkspace = Omit<SendingConditions, "sequence" | "deliverable"> & { hasServer: boolean };

/** The same for a sequence. */
export function conditionsFor(
  { hasServer, ...conditions }: ConditionsOfWorkspace,
  { status, delivery }: Pick<SequenceRow, "status" | "delivery">,
): SendingConditions {
  return { ...conditions, sequence: status, deliverable: hasServer || delivery === "files" };
}

/**
 * Everything that currently gates what a workspace sends.
 *
 * @param hasServer whether this process has a mail server; without it, what the sending server has recorded
 */
export async function sendingConditions(reading: Reading, hasServer?: boolean): Promise<ConditionsOfWorkspace> {
  const { store, now } = reading;
  const gates = await store.workspace.gates();
  const { timeZone, windows, dailyCap } = gates;
  const calendar = calendarAt(now, timeZone);
  return {
    ...blocksBy(gates, reading),
    hasServer: hasServer ?? (await hasMailServer(reading)),
    mailCheckedAt: now + NO_MAIL_SERVER_MS,
    opening: openingAt(windows, timeZone, now),
    opensTomorrow: openingAt(windows, timeZone, calendar.nextDay).opensAt ?? calendar.nextDay,
    calendar,
    backoffUntil: await store.workspace.smtpBackoffUntil(now),
    capLeft: dailyCap === null ? null : Math.max(0, dailyCap - (await store.sends.countSince(calendar.dayStart))),
  };
}

/** Whether the server that sends has a mail server. Before one has started, whether this process has. */
export async function hasMailServer({ store, deployment }: Pick<Reading, "store" | "deployment">): Promise<boolean> {
  return (await store.workspace.mail()).hasServer ?? deployment.mail.smtp !== undefined;
}

type WorkspaceBlocks = Pick<SendingConditions, "gateOpen" | "paused" | "readOnly">;

/** What blocks everything that a workspace sends. */
export async function workspaceBlocks(reading: Reading): Promise<WorkspaceBlocks> {
  return blocksBy(await reading.store.workspace.gates(), reading);
}

function blocksBy(
  gates: Billing & Pick<OutreachPause, "pausedAt">,
  { now, deployment }: Pick<Reading, "now" | "deployment">,
): WorkspaceBlocks {
  return {
    gateOpen: deployment.outboundGate === "open",
    paused: gates.pausedAt !== null,
    readOnly: isReadOnly(gates, now),
  };
}

/** What keeps a message back that is about to leave. The daily cap does not: it has counted the message. */
export async function lastBlock(reading: Reading, sequence: SequenceStatus): Promise<Postponement | undefined> {
  const gates = await reading.store.workspace.gates();
  const blocked = blockOf({ ...blocksBy(gates, reading), sequence });
  if (blocked !== null) return blocked.reason;
  return openingAt(gates.windows, gates.timeZone, reading.now).open ? undefined : "outside_window";
}

/**
 * Refuses while outreach is paused. A pause that cannot be read counts as one: a fault of this server never sends what
 * people have stopped.
 *
 * @throws Problem WORKSPACE_PAUSED
 */
export async function requireOutreach(ctx: Context): Promise<void> {
  const { pausedAt } = await ctx.store.workspace.pause().catch((cause: unknown) => {
    throw problem(
      "WORKSPACE_PAUSED",
      "The outreach setting can't be read, so outreach counts as paused. Try again in a minute.",
      { cause },
    );
  });
  if (pausedAt !== null) {
    throw problem("WORKSPACE_PAUSED", "Outreach is paused for this workspace. An admin can resume it in the console.");
  }
}

/** How a sequence's emails leave this process. */
export interface Route {
  delivery: MailDelivery;
  hasServer: boolean;
}

/**
 * What postpones every email of a workspace until a time: its windows, its cap, or the mail server.
 *
 * @param backoffUntil until when the mail server that this process sends through is in cooldown
 */
export async function mailPostponement(
  reading: Reading,
  backoffUntil: number | null,
  { delivery, hasServer }: Route,
): Promise<{ postponed: Postponed | null; conditions: SendingConditions }> {
  const ofWorkspace = await sendingConditions(reading, hasServer);
  const conditions = { ...conditionsFor(ofWorkspace, { status: "active", delivery }), backoffUntil };
  return { postponed: postponementOf("email", conditions), conditions };
}

/**
 * Postpones the due emails of a sequence where all of them must wait: in one statement, however many they are.
 *
 * @returns how many; as many as `most`, where there may be more
 */
export async function deferMail(
  ctx: Context,
  sequenceId: string,
  backoffUntil: number | null,
  route: Route,
  most: number,
): Promise<number> {
  const { postponed, conditions } = await mailPostponement(ctx, backoffUntil, route);
  if (postponed === null || postponed.until === null) return 0;
  const sequence = await ctx.store.sequences.find(sequenceId);
  const steps = (sequence?.steps ?? []).flatMap(({ type }, index) => (type === "email" ? [index] : []));
  // A retry of a message that was counted today is not a second message.
  const notTriedSince = postponed.reason === "daily_cap" ? conditions.calendar.dayStart : null;
  const { reason, until: dueAt } = postponed;
  return ctx.store.enrollments.postpone(sequenceId, steps, { dueAt, reason, notTriedSince }, ctx.now, most);
}

/** An enrollment, with what its sequence contains at its step. */
interface EnrollmentAtStep extends WaitingEnrollment {
  sequenceStatus: SequenceStatus;
  delivery: MailDelivery;
  stepType: Step["type"] | null;
}

/** What each of these enrollments waits for. */
export async function tellWaits(ctx: Context, enrollments: readonly EnrollmentAtStep[]): Promise<(Postponed | null)[]> {
  const conditions = await sendingConditions(ctx);
  return enrollments.map((one) =>
    waitsFor(
      one,
      one.stepType ?? undefined,
      conditionsFor(conditions, { status: one.sequenceStatus, delivery: one.delivery }),
      ctx.now,
    ),
  );
}

/** The same for enrollments alone, with one lookup for each of their sequences. */
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
        delivery: sequence?.delivery ?? "send",
        stepType: sequence?.steps[row.currentStep]?.type ?? null,
      };
    }),
  );
}

function isOpen({ status }: EnrollmentRow): boolean {
  return OPEN_ENROLLMENT.some((open) => open === status);
}
