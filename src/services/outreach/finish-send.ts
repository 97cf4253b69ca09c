import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { checkProductGates } from "../../core/policy.ts";
import { problem } from "../../core/problem.ts";
import {
  oursAgainAt,
  POSTPONEMENTS,
  type Postponement,
  retryAt,
  type SendStatus,
} from "../../domain/outreach/sending.ts";
import { OPEN_ENROLLMENT } from "../../domain/outreach/sequence.ts";
import type { SendPatch, SendRow } from "../../store/outreach.ts";
import { recordActivity } from "../contacts/record-activity.ts";
import { endAnswer } from "./answers.ts";
import { advanceEnrollment, endEnrollment } from "./enrollment.ts";
import { suppress } from "./suppression.ts";

/** How an attempt to hand a message to a mail server ended. */
export type SendEnding =
  | { status: "accepted"; answer: string; messageId: string }
  | { status: "written"; file: string }
  /** `backoffUntil`: until when the server is in cooldown, where it refuses our messages. */
  | { status: "transient"; ours: boolean; detail: string; backoffUntil?: number | undefined }
  | { status: "permanent"; hard: boolean; detail: string }
  | { status: "unknown"; detail: string }
  /** Never handed over: it was stopped at the last moment. */
  | { status: "dropped"; detail: string }
  /** Never handed over, for a fault of this server, which does not concern the mail server. */
  | { status: "not_begun"; detail: string }
  /** Never handed over: it cannot be sent in this state, and a person must fix it. */
  | { status: "unsendable"; detail: string };

/** An outcome that arrives late, after its lease expired, still counts. */
export const UNDECIDED: readonly SendStatus[] = ["queued", "sending", "unknown"];

/**
 * A sent message counts as sent, even if a person has requested a retry, as long as the retry has not begun.
 */
const NOT_SENT: readonly SendStatus[] = [...UNDECIDED, "retry"];

/** Records the outcome of an attempt, with what follows for the enrollment and the contact. */
export async function finishSend(ctx: Context, send: SendRow, body: string, ending: SendEnding): Promise<void> {
  const end = (to: SendStatus, patch: SendPatch) => endAttempt(ctx, send, to, patch);
  switch (ending.status) {
    case "accepted":
      if (await end("sent", { messageId: ending.messageId, detail: ending.answer })) await recordSent(ctx, send, body);
      return;
    case "written":
      if (await end("written", { detail: ending.file })) await recordWritten(ctx, send, body);
      return;
    case "permanent":
      if (await end("failed", { detail: ending.detail })) await recordBounce(ctx, send, ending);
      return;
    case "unknown":
      // The message may or may not have arrived: it is not sent again before a person has checked.
      if (await end("unknown", { detail: ending.detail })) await hold(ctx, send, "send_unknown", ending.detail);
      return;
    case "transient":
      return retry(ctx, send, ending);
    case "not_begun":
      return retryUncounted(ctx, send, ending.detail, "delivery_delayed");
    case "dropped":
      if (await end("dropped", { detail: ending.detail, attempts: send.attempts - 1 })) {
        await wait(ctx, send, { dueAt: ctx.now, postponedReason: null });
      }
      return;
    case "unsendable":
      if (await end("dropped", { detail: ending.detail })) await hold(ctx, send, "unsendable", ending.detail);
  }
}

/** For this attempt only: a person may have requested another one. */
function endAttempt(ctx: Context, { id, lastAttemptAt }: SendRow, to: SendStatus, patch: SendPatch) {
  const from = to === "sent" || to === "written" ? NOT_SENT : UNDECIDED;
  return ctx.store.sends.move(id, from, to, ctx.now, patch, lastAttemptAt);
}

/** A person must look at it: the enrollment is on hold. An answer needs review again, unless it may have arrived. */
async function hold(
  ctx: Context,
  send: SendRow,
  heldReason: "send_unknown" | "unsendable",
  heldDetail: string,
): Promise<void> {
  if (send.answerId === null) {
    await ctx.store.enrollments.wait(send.enrollmentId, send.step, { dueAt: ctx.now, heldReason, heldDetail });
  } else if (heldReason === "unsendable") await endAnswer(ctx, send.answerId, "send_back", heldDetail);
  else await ctx.store.emailAnswers.wait(send.answerId, null, ctx.now, heldDetail);
}

/** It is tried at this time. */
async function wait(
  ctx: Context,
  send: SendRow,
  { dueAt, postponedReason }: { dueAt: number; postponedReason?: Postponement | null },
): Promise<void> {
  if (send.answerId === null) {
    await ctx.store.enrollments.wait(send.enrollmentId, send.step, { dueAt, postponedReason: postponedReason ?? null });
  } else
    await ctx.store.emailAnswers.wait(send.answerId, dueAt, ctx.now, postponedReason && POSTPONEMENTS[postponedReason]);
}

/** It counts as sent: the sequence advances, the answer is done. */
async function complete(ctx: Context, send: SendRow, as: "send" | "write"): Promise<void> {
  if (send.answerId === null) await advanceEnrollment(ctx, send.enrollmentId, send.step);
  else await endAnswer(ctx, send.answerId, as);
}

/** It will not arrive: the enrollment or the answer has failed. */
export async function failSend(ctx: Context, send: SendRow, detail: string): Promise<void> {
  if (send.answerId === null) await endEnrollment(ctx, send.enrollmentId, "failed", detail);
  else await endAnswer(ctx, send.answerId, "fail", detail);
}

/** What the recipient's server could not accept is retried, up to a number of attempts. */
async function retry(ctx: Context, send: SendRow, ending: SendEnding & { status: "transient" }): Promise<void> {
  const { ours, detail } = ending;
  if (ours) return retryUncounted(ctx, send, detail, "mail_server_unavailable", ending.backoffUntil);
  const dueAt = retryAt(send.attempts, ctx.now);
  if (dueAt === undefined) {
    if (await endAttempt(ctx, send, "failed", { detail })) await recordBounce(ctx, send, { hard: false, detail });
  } else if (await endAttempt(ctx, send, "retry", { detail })) {
    await wait(ctx, send, { dueAt, postponedReason: "delivery_delayed" });
  }
}

/** A problem of our own account, server or network does not count as an attempt. */
async function retryUncounted(
  ctx: Context,
  send: SendRow,
  detail: string,
  postponedReason: Postponement,
  notBefore = 0,
): Promise<void> {
  if (!(await endAttempt(ctx, send, "retry", { detail, attempts: send.attempts - 1 }))) return;
  const dueAt = Math.max(oursAgainAt(send.createdAt, ctx.now), notBefore);
  await wait(ctx, send, { dueAt, postponedReason });
}

/** The recipient's server accepted it: it goes on the timeline, and the sequence advances. */
export async function recordSent(ctx: Context, send: SendRow, body: string | null, more: object = {}): Promise<void> {
  const { contactId, subject } = send;
  const metadata = { ...sendMetadata(send), ...more };
  await recordActivity(ctx, { contactId, type: "email_sent", subject, body, metadata });
  await complete(ctx, send, "send");
}

/** There is no mail server: the message is in a file, and the sequence advances to show how it would. */
async function recordWritten(ctx: Context, send: SendRow, body: string): Promise<void> {
  const { contactId, subject } = send;
  const metadata = { ...sendMetadata(send), not_sent: true };
  await recordActivity(ctx, { contactId, type: "email_not_sent", subject, body, metadata });
  await complete(ctx, send, "write");
}

/** An address that does not accept mail: the enrollment fails, and after a hard bounce the address is suppressed. */
export async function recordBounce(ctx: Context, send: SendRow, { hard, detail }: { hard: boolean; detail: string }) {
  const { contactId, subject, address } = send;
  const metadata = { ...sendMetadata(send), address, hard };
  await recordActivity(ctx, { contactId, type: "email_bounced", subject, body: detail, metadata });
  await failSend(ctx, send, detail);
  if (hard) await suppress(ctx, { email: address, reason: "bounce", stated: true, source: "engine" });
}

/** How an activity on the timeline refers to the message. */
export function sendMetadata({ id, sequenceId, enrollmentId, step, answerId }: SendRow) {
  if (answerId !== null) return { send_id: id, answer_id: answerId };
  return { send_id: id, sequence_id: sequenceId, enrollment_id: enrollmentId, step };
}

const RESOLVED_STATUS = { sent: "sent", not_sent: "failed", retry: "retry" } as const;
export type ResolvedOutcome = keyof typeof RESOLVED_STATUS;

/**
 * Records the outcome that a person reports for a message of unknown outcome.
 *
 * @returns why not, where its outcome is known by now, or where a retry would send nothing
 */
export async function resolveSend(
  ctx: Context,
  send: SendRow,
  outcome: ResolvedOutcome,
  note: string | null,
): Promise<SendRow | "send_not_unknown" | "enrollment_ended"> {
  if (outcome === "retry" && !(await isOpen(ctx, send))) return "enrollment_ended";
  const detail = note ?? `Confirmed by ${ctx.actor.name}.`;
  const resolved = await ctx.store.sends.move(send.id, ["unknown"], RESOLVED_STATUS[outcome], ctx.now, { detail });
  if (resolved === undefined) return "send_not_unknown";
  if (outcome === "sent") await recordSent(ctx, resolved, null, { settled: true });
  else if (outcome === "not_sent") await failSend(ctx, resolved, detail);
  else await wait(ctx, resolved, { dueAt: ctx.now });
  return resolved;
}

async function isOpen({ store }: Context, { enrollmentId, answerId }: SendRow): Promise<boolean> {
  if (answerId !== null) return (await store.emailAnswers.find(answerId))?.status === "approved";
  const enrollment = await store.enrollments.find(enrollmentId);
  return OPEN_ENROLLMENT.some((status) => status === enrollment?.status);
}

/**
 * Sending a message again needs the permission to approve, and a workspace that is not read-only.
 *
 * @throws Problem insufficient_scope, billing_read_only
 */
export async function requireRetry(ctx: Context, outcome: ResolvedOutcome): Promise<void> {
  if (outcome !== "retry") return;
  if (!mayApprove(ctx.actor)) {
    throw problem(
      "insufficient_scope",
      "Only teammates with approve_outbound can set outcome to retry. Ask one of them.",
    );
  }
  await checkProductGates(["billing"], ctx);
}
