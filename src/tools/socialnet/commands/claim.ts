import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import { type ActionStatus, CLAIM_LEASE_MS } from "../../../domain/socialnet/action.ts";
import { iso } from "../../../lib/time.ts";
import { expireLease, moveAction, newLease } from "../../../services/socialnet/actions.ts";
import { checkEligibility, type Reason, refused, requireOwnAction } from "../../../services/socialnet/eligibility.ts";
import type { ActionRow } from "../../../store/socialnet.ts";
import { time } from "../../fields.ts";
import { SocialnetAction, showAction } from "../action-schema.ts";
import { ACTION_ID_EXAMPLE, defineCommand, fields, NextStep } from "./shared.ts";

const NOT_CLAIMABLE: Record<Exclude<ActionStatus, "approved">, [reason: Reason, message: string]> = {
  held: ["held", "This action is on hold until a teammate releases it. Skip it, and continue with the next one."],
  cancelled: ["cancelled", "This action was canceled. Skip it, and continue with the next one."],
  claimed: [
    "already_claimed",
    "This action is already claimed. If the claim is yours, call start with its leaseToken. Otherwise skip the " +
      "action. An unstarted claim expires after 10 minutes.",
  ],
  started: [
    "already_started",
    "This action was already started. Never execute it again. If you have its leaseToken, call result.",
  ],
  needs_review: [
    "already_started",
    "This action was started, and its outcome is unknown. Never execute it again. If you have its leaseToken and know " +
      "the outcome, call result. Otherwise skip it. A teammate sets the outcome.",
  ],
  completed: ["already_started", "This action is already done. Skip it, and continue with the next one."],
  failed: ["already_started", "This action was already tried, and failed. Skip it, and continue with the next one."],
  planned: ["not_approved", "No teammate has approved this action yet. Skip it, and continue with the next one."],
};

const CLAIMED =
  "Nothing may be sent yet. Check the session and the person's profile, then call start. Without start, the claim expires " +
  "at leaseExpiresAt, and the action can be claimed again. On a login or captcha, send heartbeat and end the run.";

export const claim = defineCommand({
  name: "claim",
  does: "Claims an approved action for you, for 10 minutes. Nothing may be sent yet.",
  next:
    "Check the recipient's profile and the session, then call start. After 10 minutes without start, the claim expires " +
    "and the action can be claimed again.",
  takes: { actionId: fields.actionId },
  executes: true,
  answers: z.object({
    action: SocialnetAction,
    leaseToken: z
      .uuid()
      .meta({ secret: true, description: "Needed for start and result. Keep it: it is shown only once." }),
    leaseExpiresAt: time.describe("10 minutes from now. Call start before then."),
    nextStep: NextStep,
  }),
  example: { actionId: ACTION_ID_EXAMPLE },
  async handler(ctx, account, { actionId }) {
    const action = await freed(ctx, await requireOwnAction(ctx, account, actionId));
    if (action.status !== "approved") throw refused(...NOT_CLAIMABLE[action.status]);
    const eligibility = await checkEligibility(ctx, account, action);
    if ("refusal" in eligibility) return eligibility;
    const { leaseToken, leaseHash } = newLease();
    const leaseExpiresAt = ctx.now + CLAIM_LEASE_MS;
    const claimed = await moveAction(ctx, action, "claim", { leaseHash, leaseExpiresAt, note: null });
    if (claimed === undefined) throw refused(...NOT_CLAIMABLE.claimed);
    return {
      // Its own claim is no obstacle to the agent that holds it.
      action: { ...(await showAction(ctx, actionId, eligibility.conditions)), blockedBy: null },
      leaseToken,
      leaseExpiresAt: iso(leaseExpiresAt),
      nextStep: CLAIMED,
    };
  },
});

/** A claim whose lease has expired is free immediately, without waiting for the worker that expires leases. */
async function freed(ctx: Context, action: ActionRow): Promise<ActionRow> {
  const over = action.status === "claimed" && (action.leaseExpiresAt ?? 0) <= ctx.now;
  return over ? ((await expireLease(ctx, action)) ?? action) : action;
}
