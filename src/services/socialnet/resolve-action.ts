import type { Context } from "../../core/context.ts";
import type { ActivityType } from "../../domain/contacts/activity.ts";
import type { ActionKind, ActionMove, Outcome } from "../../domain/socialnet/action.ts";
import type { SocialStatus } from "../../domain/socialnet/social-status.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { recordActivity, recordConnection } from "../contacts/record-activity.ts";
import { advanceByAction } from "../outreach/enrollment.ts";
import { moveAction, NO_LEASE } from "./actions.ts";
import { applyPendingStop } from "./stop-actions.ts";
import { voidUnattended } from "./unattended-approval.ts";

const SENT: Record<ActionKind, { type: ActivityType; subject: string; status: SocialStatus }> = {
  connection_request: {
    type: "socialnet_connection_sent",
    subject: "Connection request sent",
    status: "invited",
  },
  message: { type: "socialnet_message_sent", subject: "Professional network message sent", status: "messaged" },
};

/** How an execution ended. */
interface ActionEnding {
  outcome: Outcome | null;
  evidence?: string;
  note?: string | null;
}

/**
 * Resolves an execution, from an agent's report or a member's. The action moves on, a sent one is logged and advances
 * the contact's status, the sequence advances, and an action that came back applies pending stops.
 *
 * @param extra what else the audit records
 */
export async function resolveAction(
  ctx: Context,
  action: ActionRow,
  move: ActionMove,
  { outcome, evidence, note = null }: ActionEnding,
  extra: Record<string, unknown> = {},
): Promise<ActionRow> {
  const back = move === "turn_back" || move === "settle_retry";
  const lease = back ? NO_LEASE : { leaseExpiresAt: null };
  // Who requests a retry approves it.
  const approval = move === "settle_retry" ? { approvedBy: ctx.actor.name, approvedAt: ctx.now } : {};
  const after = await moveAction(ctx, action, move, { ...lease, ...approval, outcome, note }, {}, extra);
  if (after === undefined) throw new Error(`The action ${action.id} cannot ${move} from ${action.status}.`);
  if (back) return returnAction(ctx, after);
  if (after.status === "completed") await logExecution(ctx, after, evidence);
  await advanceByAction(ctx, after);
  return after;
}

/** Since then, its contact may have been stopped, or its account may no longer be automatic. */
async function returnAction(ctx: Context, action: ActionRow): Promise<ActionRow> {
  const account = (await ctx.store.socialnetAccounts.find(action.accountId)) as SocialnetAccountRow;
  return voidUnattended(ctx, account, await applyPendingStop(ctx, action));
}

async function logExecution(ctx: Context, action: ActionRow, evidence: string | undefined): Promise<void> {
  const { contactId, kind, copy } = action;
  const metadata = {
    account_id: action.accountId,
    action_id: action.id,
    ...(evidence === undefined ? {} : { evidence }),
  };
  if (action.outcome === "already_connected") {
    await recordConnection(ctx, contactId, metadata);
    return;
  }
  const { type, subject, status } = SENT[kind];
  await recordActivity(ctx, { contactId, type, subject, body: copy === "" ? null : copy, metadata });
  await ctx.store.contacts.advanceSocialStatus(contactId, status);
}
