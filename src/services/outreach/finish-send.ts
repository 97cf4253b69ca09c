import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import {
  type HoldReason,
  oursAgainAt,
  type Postponement,
  retryAt,
  type SendStatus,
} from "../../domain/outreach/sending.ts";
import type { SendPatch, SendRow } from "../../store/outreach.ts";
import { recordActivity } from "../contacts/record-activity.ts";
import { advanceEnrollment, endEnrollment } from "./enrollment.ts";
import { suppress } from "./suppression.ts";

/** What became of an attempt to hand a message over. */
export type SendEnding =
  | { status: "accepted"; answer: string; messageId: string }
  | { status: "written"; file: string }
  /** `restsUntil`: how long the server is left alone, where it refuses us. */
  | { status: "transient"; ours: boolean; detail: string; restsUntil?: number | undefined }
  | { status: "permanent"; hard: boolean; detail: string }
  | { status: "unknown"; detail: string }
  /** Never handed over: somebody stopped it at the last moment. */
  | { status: "dropped"; detail: string }
  /** Never handed over, for a fault of this server, which says nothing of the mail server. */
  | { status: "not_begun"; detail: string }
  /** Never handed over: it cannot be sent as it is, and a person must mend it. */
  | { status: "unsendable"; detail: string };

/** An ending that comes late, after others believed its sender dead, is knowledge all the same. */
const NOT_KNOWN: readonly SendStatus[] = ["sending", "unknown"];

/** What is sent is sent, even where a person has asked for it once more meanwhile: as long as that has not begun. */
const NOT_SENT: readonly SendStatus[] = [...NOT_KNOWN, "retry"];

/** Writes down how an attempt ended, with what follows for the enrollment and the contact. */
export async function finishSend(ctx: Context, send: SendRow, body: string, ending: SendEnding): Promise<void> {
  const end = (to: SendRow["status"], patch: object = {}) => endAttempt(ctx, send, to, patch);
  switch (ending.status) {
    case "accepted":
      if (await end("sent", { messageId: ending.messageId, detail: ending.answer })) await sent(ctx, send, body);
      return;
    case "written":
      if (await end("written", { detail: ending.file })) await written(ctx, send, body);
      return;
    case "permanent":
      if (await end("failed", { detail: ending.detail })) await bounced(ctx, send, ending);
      return;
    case "unknown":
      if (await end("unknown", { detail: ending.detail })) await nobodyKnows(ctx, send, ending.detail);
      return;
    case "transient":
      return tryAgain(ctx, send, ending);
    case "not_begun":
      return tryOursAgain(ctx, send, ending.detail, "delivery_delayed");
    case "dropped":
      if (await end("dropped", { detail: ending.detail, attempts: send.attempts - 1 })) await dueAt(ctx, send, ctx.now);
      return;
    case "unsendable":
      if (await end("dropped", { detail: ending.detail })) await holdFor(ctx, send, "unsendable", ending.detail);
  }
}

/** Only of the attempt that it was: somebody may have had it tried again meanwhile. */
function endAttempt(ctx: Context, { id, lastAttemptAt }: SendRow, to: SendStatus, patch: SendPatch) {
  const from = to === "sent" || to === "written" ? NOT_SENT : NOT_KNOWN;
  return ctx.store.sends.move(id, from, to, ctx.now, patch, lastAttemptAt);
}

/** What the timeline says of the message that it tells of. */
export const about = (send: SendRow) => ({
  ...{ send_id: send.id, sequence_id: send.sequenceId, enrollment_id: send.enrollmentId, step: send.step },
});

/** It is with its recipient's server: the timeline says so, and the sequence goes on. */
export async function sent(ctx: Context, send: SendRow, body: string | null, more: object = {}): Promise<void> {
  const { contactId, subject } = send;
  const metadata = { ...about(send), ...more };
  await recordActivity(ctx, { contactId, type: "email_sent", subject, body, metadata });
  await advanceEnrollment(ctx, send.enrollmentId, send.step);
}

/** There is no mail server: the message lies in a file, and the sequence goes on as if to show how it would. */
async function written(ctx: Context, send: SendRow, body: string): Promise<void> {
  const { contactId, subject } = send;
  const metadata = { ...about(send), not_sent: true };
  await recordActivity(ctx, { contactId, type: "email_not_sent", subject, body, metadata });
  await advanceEnrollment(ctx, send.enrollmentId, send.step);
}

/** An address that takes nothing: the way through the sequence is over, and a dead address is never written to again. */
export async function bounced(ctx: Context, send: SendRow, { hard, detail }: { hard: boolean; detail: string }) {
  const { contactId, subject, address } = send;
  const metadata = { ...about(send), address, hard };
  await recordActivity(ctx, { contactId, type: "email_bounced", subject, body: detail, metadata });
  await endEnrollment(ctx, send.enrollmentId, "failed", detail);
  if (hard) await suppress(ctx, { email: address, reason: "bounce", stated: true, source: "engine" });
}

/** The message may be with its recipient, or nowhere: it is not sent again before a person has looked. */
async function nobodyKnows(ctx: Context, send: SendRow, detail: string): Promise<void> {
  await holdFor(ctx, send, "send_unknown", detail);
}

async function holdFor(ctx: Context, send: SendRow, heldReason: HoldReason, heldDetail: string): Promise<void> {
  await ctx.store.enrollments.wait(send.enrollmentId, send.step, { dueAt: ctx.now, heldReason, heldDetail });
}

async function tryAgain(ctx: Context, send: SendRow, ending: SendEnding & { status: "transient" }): Promise<void> {
  const { ours, detail } = ending;
  if (ours) return tryOursAgain(ctx, send, detail, "mail_server_unavailable", ending.restsUntil);
  const again = retryAt(send.attempts, ctx.now);
  if (again !== undefined) {
    if (await endAttempt(ctx, send, "retry", { detail })) await dueAt(ctx, send, again, "delivery_delayed");
  } else if (await endAttempt(ctx, send, "failed", { detail })) await bounced(ctx, send, { hard: false, detail });
}

/** What is wrong with our own account, server or network costs a message nothing of its patience. */
async function tryOursAgain(ctx: Context, send: SendRow, detail: string, reason: Postponement, notBefore = 0) {
  if (!(await endAttempt(ctx, send, "retry", { detail, attempts: send.attempts - 1 }))) return;
  await dueAt(ctx, send, Math.max(oursAgainAt(send.createdAt, ctx.now), notBefore), reason);
}

async function dueAt(ctx: Context, send: SendRow, at: number, postponedReason: Postponement | null = null) {
  await ctx.store.enrollments.wait(send.enrollmentId, send.step, { dueAt: at, postponedReason });
}

const STATUS = { sent: "sent", not_sent: "failed", retry: "retry" } as const;

/** A person's word on a message that nobody knew the end of. @returns undefined where its end is known */
export async function resolveSend(
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
