import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import { type ActionStatus, CLAIM_LEASE_MS } from "../../../domain/socialnet/action.ts";
import { iso } from "../../../lib/time.ts";
import { expireLease, moveAction, newLease } from "../../../services/socialnet/actions.ts";
import { checkEligibility, type Reason, refused, requireOwnAction } from "../../../services/socialnet/eligibility.ts";
import type { ActionRow } from "../../../store/socialnet.ts";
import { time } from "../../fields.ts";
import { SocialnetAction, showAction } from "../action-schema.ts";
import { ACTION_EXAMPLE, defineCommand, fields } from "./shared.ts";

const NOT_CLAIMABLE: Record<Exclude<ActionStatus, "approved">, [reason: Reason, message: string]> = {
  held: ["held", "actionId: a person holds this action."],
  cancelled: ["cancelled", "actionId: this action was cancelled; leave it."],
  claimed: ["already_claimed", "actionId: an agent holds a lease of this action."],
  started: ["already_started", "actionId: this action was started; it is executed once."],
  needs_review: ["already_started", "actionId: nobody knows yet what came of this action; a person settles it."],
  completed: ["already_started", "actionId: this action was executed."],
  failed: ["already_started", "actionId: this action was tried, and is over."],
  planned: ["not_approved", "actionId: no person has approved this action yet."],
};

export const claim = defineCommand({
  name: "claim",
  does: "Takes an approved action for ten minutes. Nobody else can claim it meanwhile; nothing may be executed yet.",
  takes: { actionId: fields.actionId },
  executes: true,
  answers: z.object({
    action: SocialnetAction,
    leaseToken: z.uuid().describe("Opens start and result; shown this once."),
    leaseExpiresAt: time,
  }),
  example: {
    takes: { actionId: ACTION_EXAMPLE.id },
    answers: {
      action: { ...ACTION_EXAMPLE, status: "claimed", blockedBy: { reason: "already_claimed", nextWindowAt: null } },
      leaseToken: "9b2d3c4e-5f60-4a1b-8c2d-3e4f5a6b7c8d",
      leaseExpiresAt: "2026-11-20T09:10:00.000Z",
    },
  },
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
      action: await showAction(ctx, actionId, eligibility.conditions),
      leaseToken,
      leaseExpiresAt: iso(leaseExpiresAt),
    };
  },
});

/** A claim whose lease has expired is free immediately, without waiting for the worker that expires leases. */
async function freed(ctx: Context, action: ActionRow): Promise<ActionRow> {
  const over = action.status === "claimed" && (action.leaseExpiresAt ?? 0) <= ctx.now;
  return over ? ((await expireLease(ctx, action)) ?? action) : action;
}
