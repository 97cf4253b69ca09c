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
import { ACTION_ID_EXAMPLE, defineCommand, fields, LEASE_TOKEN_EXAMPLE, NextStep } from "./shared.ts";

const STALE = [
  "stale_claim",
  "This leaseToken has no active claim. The claim expired, or the token belongs to another action. Don't send. If the " +
    "action is still approved, claim it again.",
] as const;

const NOTHING_SENT = " Don't send. Without start, the claim expires by itself, and there is no result to report.";

const STARTED =
  "Send copy to recipient.profileUrl once, exactly as written. Then call result. After leaseExpiresAt a teammate " +
  "reviews the action, and a late result is accepted unless they have already set the outcome. If a login, captcha or limit stops you before anything is " +
  "sent, report that as the outcome.";

export const start = defineCommand({
  name: "start",
  does: "Starts the only execution of a claimed action, and gives you 15 minutes. You may send only after it.",
  next:
    "Send the copy once, exactly as written, then call result, whatever happened. After 15 minutes without a result, the " +
    "action needs review by a person.",
  takes: { actionId: fields.actionId, leaseToken: fields.leaseToken },
  executes: true,
  answers: z.object({
    action: SocialnetAction,
    copy: z.string().describe("Send exactly this text. Empty: a connection request without a note."),
    recipient: SocialnetAction.shape.recipient,
    leaseExpiresAt: time.describe("15 minutes from now. Call result before then."),
    nextStep: NextStep,
  }),
  example: { actionId: ACTION_ID_EXAMPLE, leaseToken: LEASE_TOKEN_EXAMPLE },
  async handler(ctx, account, { actionId, leaseToken }) {
    const action = await requireOwnAction(ctx, account, actionId);
    const leaseHash = hashSecret(leaseToken);
    await requireStartable(ctx, action, leaseHash);
    const eligibility = await checkEligibility(ctx, account, action, NOTHING_SENT);
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
    // Its own start is no obstacle to the agent that executes it.
    const started = { ...(await showAction(ctx, actionId, eligibility.conditions)), blockedBy: null };
    return {
      action: started,
      copy: started.copy,
      recipient: started.recipient,
      leaseExpiresAt: iso(leaseExpiresAt),
      nextStep: STARTED,
    };
  },
});

/** @throws Problem socialnet_refused by the action's own state, in the order of the checks */
async function requireStartable(ctx: Context, action: ActionRow, leaseHash: Buffer): Promise<void> {
  if (action.status === "held")
    throw refused(
      "held",
      "This action is on hold until a teammate releases it. Don't send it. Continue with the next one.",
    );
  if (action.status === "cancelled")
    throw refused("cancelled", "This action was canceled. Don't send it. Continue with the next one.");
  const own = action.leaseHash?.equals(leaseHash) ?? false;
  if (action.status === "claimed" && own && (action.leaseExpiresAt ?? 0) > ctx.now) return;
  if ((await ctx.store.socialnetActions.findStart(action.id, leaseHash)) !== undefined) {
    throw refused(
      "already_started",
      "This claim was already started. Don't send again. Call result with the outcome, or with outcome_unknown.",
    );
  }
  if (action.status === "planned")
    throw refused(
      "not_approved",
      "The approval of this action was withdrawn. Don't send it. Continue with the next one.",
    );
  throw refused(...STALE);
}
