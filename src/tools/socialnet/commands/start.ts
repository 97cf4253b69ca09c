import { z } from "zod";
import type { Context } from "../../../core/context.ts";
import { START_LEASE_MS } from "../../../domain/socialnet/action.ts";
import { hashSecret } from "../../../lib/secrets.ts";
import { iso } from "../../../lib/time.ts";
import { moveAction } from "../../../services/socialnet/actions.ts";
import { checkEligibility, refused, requireOwnAction } from "../../../services/socialnet/eligibility.ts";
import type { ActionRow } from "../../../store/socialnet.ts";
import { time } from "../../fields.ts";
import { SocialnetAction, showAction } from "../action-schema.ts";
import { ACTION_EXAMPLE, defineCommand, fields } from "./shared.ts";

const STALE = [
  "stale_claim",
  "leaseToken: is not that of a running lease; claim the action anew, and execute nothing.",
] as const;

export const start = defineCommand({
  name: "start",
  does: "Opens the one execution of a claimed action, and answers the exact copy, once. From here there are fifteen minutes.",
  takes: { actionId: fields.actionId, leaseToken: fields.leaseToken },
  executes: true,
  answers: z.object({
    action: SocialnetAction,
    copy: z.string().describe("What to send, to the character."),
    recipient: SocialnetAction.shape.recipient,
    leaseExpiresAt: time,
  }),
  example: {
    takes: { actionId: ACTION_EXAMPLE.id, leaseToken: "9b2d3c4e-5f60-4a1b-8c2d-3e4f5a6b7c8d" },
    answers: {
      action: { ...ACTION_EXAMPLE, status: "started", blockedBy: { reason: "already_started", nextWindowAt: null } },
      copy: ACTION_EXAMPLE.copy,
      recipient: ACTION_EXAMPLE.recipient,
      leaseExpiresAt: "2026-11-20T09:16:00.000Z",
    },
  },
  async handler(ctx, account, { actionId, leaseToken }) {
    const action = await requireOwnAction(ctx, account, actionId);
    const leaseHash = hashSecret(leaseToken);
    await requireStartable(ctx, action, leaseHash);
    const eligibility = await checkEligibility(ctx, account, action);
    if ("refusal" in eligibility) return eligibility;
    const leaseExpiresAt = ctx.now + START_LEASE_MS;
    const guard = { leaseHash, leaseRunsAt: ctx.now };
    if ((await moveAction(ctx, action, "start", { leaseExpiresAt, outcome: null }, guard)) === undefined) {
      throw refused(...STALE);
    }
    await ctx.store.socialnetActions.insertStart({
      leaseHash,
      accountId: account.id,
      actionId,
      keyId: ctx.actor.id,
      kind: action.kind,
      startedAt: ctx.now,
    });
    const started = await showAction(ctx, actionId, eligibility.conditions);
    return {
      action: started,
      copy: started.copy,
      recipient: started.recipient,
      leaseExpiresAt: iso(leaseExpiresAt),
    };
  },
});

/** @throws Problem socialnet_refused by the action's own state, in the order of the checks */
async function requireStartable(ctx: Context, action: ActionRow, leaseHash: Buffer): Promise<void> {
  if (action.status === "held") throw refused("held", "actionId: a person holds this action.");
  if (action.status === "cancelled") throw refused("cancelled", "actionId: this action was cancelled; leave it.");
  const own = action.leaseHash?.equals(leaseHash) ?? false;
  if (action.status === "claimed" && own && (action.leaseExpiresAt ?? 0) > ctx.now) return;
  if ((await ctx.store.socialnetActions.findStart(action.id, leaseHash)) !== undefined) {
    throw refused(
      "already_started",
      "leaseToken: was started before; execute nothing a second time, and report what happened.",
    );
  }
  if (action.status === "planned")
    throw refused("not_approved", "actionId: its approval was taken back; a person decides anew.");
  throw refused(...STALE);
}
