import type { Context } from "../../../context.ts";
import { standingOf } from "../../../rules/standing.ts";
import type { SocialnetAccountRow } from "../../../store/socialnet.ts";
import type { ActionInContext } from "../../../store/socialnet-actions.ts";
import { type SocialnetAction, toAction } from "../action-schema.ts";

export const ACTION_EXAMPLE: SocialnetAction = {
  id: "0193a1f0-aa4f-7d2c-9b5a-4f8e7d6c5b43",
  kind: "message",
  origin: "member",
  status: "approved",
  account: { id: "0193a1f0-7c1e-7b0a-9f3e-2d6c5b4a3f21", label: "Ada" },
  recipient: {
    contactId: "0193a1f0-8d2f-7c1b-8a4f-3e7d6c5b4a32",
    name: "Grace Hopper",
    company: "Flow-Matic",
    profileUrl: "https://socialnet.example/in/grace",
  },
  copy: "Thank you for connecting. May I show you what we build?",
  context: null,
  blockedBy: null,
  outcome: null,
  approvedAt: "2026-11-20T08:55:00.000Z",
  createdAt: "2026-11-20T08:50:00.000Z",
  updatedAt: "2026-11-20T09:00:00.000Z",
};

/** An action as it stands now, as its agent sees it. */
export async function actionInContext(
  ctx: Context,
  account: SocialnetAccountRow,
  id: string,
): Promise<SocialnetAction> {
  const row = (await ctx.store.socialnetActions.findInContext(id)) as ActionInContext;
  return toAction(row, await standingOf(ctx, account));
}
