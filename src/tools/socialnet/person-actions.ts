import type { z } from "zod";
import type { Context } from "../../context.ts";
import { type ActionMove, OPEN_ACTION, statusesBefore } from "../../domain/socialnet-action.ts";
import { problem } from "../../problem.ts";
import { standingOf } from "../../rules/standing.ts";
import type { SocialnetAccountRow } from "../../store/socialnet.ts";
import type { ActionInContext, ActionRow } from "../../store/socialnet-actions.ts";
import { type PlannedAction, toPlanned } from "./action-schema.ts";

/** @throws Problem action_not_found */
export async function requirePlanned(ctx: Context, id: string): Promise<ActionRow> {
  const action = await ctx.store.socialnetActions.find(id);
  if (action === undefined) throw problem("action_not_found");
  return action;
}

/** The account of an action: it has one, and accounts are never deleted. */
export async function accountOf(ctx: Context, { accountId }: ActionRow): Promise<SocialnetAccountRow> {
  return (await ctx.store.socialnetAccounts.find(accountId)) as SocialnetAccountRow;
}

/** An action as it stands now, as people see it. */
export async function showPlanned(ctx: Context, action: ActionRow): Promise<z.infer<typeof PlannedAction>> {
  const row = (await ctx.store.socialnetActions.findInContext(action.id)) as ActionInContext;
  return toPlanned(row, await standingOf(ctx, await accountOf(ctx, action)));
}

/** What a person is told whose move the action's status does not allow. */
export function notMovable({ status }: ActionRow, ...moves: ActionMove[]) {
  const allowed = OPEN_ACTION.filter((open) => moves.some((move) => statusesBefore(move).includes(open)));
  return problem("action_not_movable", `action_id: is ${status}; this needs one that is ${allowed.join(" or ")}.`);
}
