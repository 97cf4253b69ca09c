import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import { problem } from "../../../core/problem.ts";
import {
  ACTION_STATUSES,
  type ActionMove,
  type ActionStatus,
  isAccountHold,
  moveFor,
  OUTCOMES,
  type Outcome,
} from "../../../domain/socialnet/action.ts";
import { accountHoldAfter, heldAt, holdOf } from "../../../domain/socialnet/eligibility.ts";
import { calendarAt } from "../../../domain/time/calendar.ts";
import { hashSecret } from "../../../lib/secrets.ts";
import { iso } from "../../../lib/time.ts";
import { refused, requireOwnAction } from "../../../services/socialnet/eligibility.ts";
import { resolveAction } from "../../../services/socialnet/resolve-action.ts";
import { recordLateReport } from "../../../services/socialnet/stop-actions.ts";
import type { ActionRow, SocialnetAccountRow, StartRow } from "../../../store/socialnet.ts";
import { time } from "../../fields.ts";
import { ACTION_ID_EXAMPLE, defineCommand, fields, LEASE_TOKEN_EXAMPLE, NextStep } from "./shared.ts";

const ResultAnswer = z.object({
  actionId: z.uuid(),
  status: z.enum(ACTION_STATUSES).describe("The action's status after this result."),
  outcome: z.enum(OUTCOMES),
  recordedAt: time,
  nextStep: NextStep,
});

export const result = defineCommand({
  name: "result",
  does:
    "Reports what happened after start. Only this or a teammate's decision completes an action. A late result is accepted " +
    "unless a teammate has already marked the outcome. Repeating the same outcome returns the first result. Another outcome is refused.",
  next: "Follow nextStep. After login_required or captcha, send heartbeat. After these or rate_limited, end the run.",
  takes: {
    actionId: fields.actionId,
    leaseToken: fields.leaseToken,
    outcome: z
      .enum(OUTCOMES)
      .describe(
        "connection_sent, message_sent: by the action's kind, if you saw it sent. already_connected: no request needed. " +
          "profile_unavailable: no such profile. not_sent: you are sure. login_required, captcha, rate_limited: the " +
          "network stopped you before anything was sent. outcome_unknown: any doubt.",
      ),
    evidence: fields.evidence,
  },
  answers: ResultAnswer,
  example: {
    actionId: ACTION_ID_EXAMPLE,
    leaseToken: LEASE_TOKEN_EXAMPLE,
    outcome: "message_sent",
    evidence: "The conversation shows the message as sent.",
  },
  async handler(ctx, account, { actionId, leaseToken, outcome, evidence }) {
    const action = await requireOwnAction(ctx, account, actionId);
    const leaseHash = hashSecret(leaseToken);
    const started = await ctx.store.socialnetActions.findStart(actionId, leaseHash);
    if (started === undefined) throw notStarted(action, leaseHash);
    if (started.outcome === outcome && started.statusAfter !== null)
      return toldBefore(started, outcome, started.statusAfter);
    const move = requireMove(action, outcome);
    // The holder of the last lease may still report a lost execution. No other report counts any more.
    const last = action.leaseHash?.equals(leaseHash) ?? false;
    const awaited = last && (action.status === "started" || action.status === "needs_review");
    if (started.outcome !== null || !awaited) {
      // Kept without a status, so that its repeat is refused as well.
      const report = { outcome, evidence, statusAfter: null, recordedAt: ctx.now };
      await ctx.store.socialnetActions.recordOutcome(leaseHash, report);
      if (move === "complete") await recordLateReport(ctx, action);
      return { refusal: refused("conflicting_result", conflict(started)) };
    }
    const after = await applyOutcome(ctx, account, action, move, outcome, evidence);
    const report = { outcome, evidence, statusAfter: after.status, recordedAt: ctx.now };
    await ctx.store.socialnetActions.recordOutcome(leaseHash, report);
    return { actionId, ...told(after.status, outcome), recordedAt: iso(ctx.now) };
  },
});

function notStarted(action: ActionRow, leaseHash: Buffer) {
  if (action.status === "held")
    return refused(
      "held",
      "This action is on hold until a teammate releases it, and this leaseToken did not start it. Skip it.",
    );
  if (action.status === "cancelled")
    return refused("cancelled", "This action was canceled before it was started. Skip it.");
  return action.leaseHash?.equals(leaseHash)
    ? refused(
        "not_started",
        "This claim wasn't started, so you must not have sent anything. Call start before you send.",
      )
    : refused(
        "stale_claim",
        "leaseToken doesn't match this action's started claim. Send the leaseToken that claim returned.",
      );
}

function toldBefore({ actionId, recordedAt }: StartRow, outcome: Outcome, status: ActionStatus) {
  return { actionId, ...told(status, outcome), recordedAt: iso(recordedAt ?? 0) };
}

function told(status: ActionStatus, outcome: Outcome) {
  return { status, outcome, nextStep: nextStepAfter(status, outcome) };
}

const NOTHING_SENT = "Recorded: nothing was sent, and the account is on hold.";

function nextStepAfter(status: ActionStatus, outcome: Outcome): string {
  if (outcome === "rate_limited") {
    return `${NOTHING_SENT} The hold ends on the account's next day. Call run_report and end the run.`;
  }
  if (isAccountHold(outcome)) {
    return (
      `${NOTHING_SENT} Send heartbeat with session ${outcome}, call run_report and end the run. After the account holder has ` +
      "signed in or solved the captcha, a heartbeat with session ready ends the hold."
    );
  }
  if (status === "needs_review") {
    return "A teammate checks what happened. Never execute this action again. Continue with the next one.";
  }
  return `Recorded as ${status}. Continue with the next action.`;
}

function conflict({ outcome: reported, statusAfter }: StartRow): string {
  return reported === null || statusAfter === null
    ? "A teammate has already set the outcome of this action, or its status changed without your result. Your " +
        "result is kept for the record. Skip the action."
    : `You already reported ${reported} for this start, and it can't be changed. If it was wrong, ask a teammate to ` +
        "correct it.";
}

function requireMove({ kind }: ActionRow, outcome: Outcome): ActionMove {
  const move = moveFor(kind, outcome);
  if (move !== undefined) return move;
  const possible = OUTCOMES.filter((known) => moveFor(kind, known) !== undefined).join(", ");
  throw problem("validation_failed", `outcome: can't be ${outcome} for a ${kind}. Use one of ${possible}.`);
}

async function applyOutcome(
  ctx: Context,
  account: SocialnetAccountRow,
  action: ActionRow,
  move: ActionMove,
  outcome: Outcome,
  evidence: string,
): Promise<ActionRow> {
  if (isAccountHold(outcome)) {
    const { nextDay } = calendarAt(ctx.now, account.timeZone);
    const heldBefore = heldAt(holdOf(account), ctx.now);
    const { reason, until } = accountHoldAfter(outcome, nextDay, holdOf(account));
    const heldSince = heldBefore === null ? ctx.now : account.heldSince;
    await ctx.store.socialnetAccounts.setState(account.id, { heldReason: reason, heldUntil: until, heldSince });
    await ctx.audit({
      recordId: account.id,
      before: { held_reason: account.heldReason },
      after: { held_reason: reason, held_until: until === null ? null : iso(until) },
    });
  }
  // The outcome was unknown and stays unknown: a person resolves it.
  if (move === "lose" && action.status === "needs_review") {
    const { socialnetActions } = ctx.store;
    return (await socialnetActions.patch(action.id, ["needs_review"], { outcome }, ctx.now)) ?? action;
  }
  return resolveAction(ctx, action, move, { outcome, evidence });
}
