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
import { recordLateReport } from "../../../services/socialnet/actions.ts";
import { refused, requireOwnAction } from "../../../services/socialnet/eligibility.ts";
import { resolveAction } from "../../../services/socialnet/resolve-action.ts";
import type { ActionRow, SocialnetAccountRow, StartRow } from "../../../store/socialnet.ts";
import { time } from "../../fields.ts";
import { ACTION_EXAMPLE, defineCommand, fields } from "./shared.ts";

const ResultAnswer = z.object({
  actionId: z.uuid(),
  status: z.enum(ACTION_STATUSES).describe("What the report led to."),
  outcome: z.enum(OUTCOMES),
  recordedAt: time,
});

export const result = defineCommand({
  name: "result",
  does: "Reports what came of an execution: the only thing that completes an action. A repeat is answered as the first; another outcome for the same start is refused.",
  takes: {
    actionId: fields.actionId,
    leaseToken: fields.leaseToken,
    outcome: z.enum(OUTCOMES).describe("What happened. When in doubt: outcome_unknown."),
    evidence: fields.evidence,
  },
  answers: ResultAnswer,
  example: {
    takes: {
      actionId: ACTION_EXAMPLE.id,
      leaseToken: "9b2d3c4e-5f60-4a1b-8c2d-3e4f5a6b7c8d",
      outcome: "message_sent",
      evidence: "The message stands in the conversation, marked as sent.",
    },
    answers: {
      actionId: ACTION_EXAMPLE.id,
      status: "completed",
      outcome: "message_sent",
      recordedAt: "2026-11-20T09:02:00.000Z",
    },
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
    return { actionId, status: after.status, outcome, recordedAt: iso(ctx.now) };
  },
});

function notStarted(action: ActionRow, leaseHash: Buffer) {
  if (action.status === "held") return refused("held", "actionId: a person holds this action.");
  if (action.status === "cancelled") return refused("cancelled", "actionId: this action was cancelled.");
  return action.leaseHash?.equals(leaseHash)
    ? refused("not_started", "actionId: was claimed, and not started; start it before you execute.")
    : refused("stale_claim", "leaseToken: is not that of a start of this action.");
}

function toldBefore({ actionId, recordedAt }: StartRow, outcome: Outcome, status: ActionStatus) {
  return { actionId, status, outcome, recordedAt: iso(recordedAt ?? 0) };
}

function conflict({ outcome: reported, statusAfter }: StartRow): string {
  return reported === null || statusAfter === null
    ? "actionId: a person has settled this action otherwise, or it went on without this report."
    : `outcome: ${reported} was reported for this start; a person corrects it, if it was wrong.`;
}

function requireMove({ kind }: ActionRow, outcome: Outcome): ActionMove {
  const move = moveFor(kind, outcome);
  if (move !== undefined) return move;
  throw problem("validation_failed", `outcome: a ${kind} cannot end as ${outcome}.`);
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
