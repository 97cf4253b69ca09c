import { z } from "zod";
import { COPY_LIMITS } from "../../../domain/socialnet/action.ts";
import { requireCopy, reviseAction } from "../../../services/socialnet/actions.ts";
import { claimConditions, refused, requireOwnAction } from "../../../services/socialnet/eligibility.ts";
import { SocialnetAction, showAction } from "../action-schema.ts";
import { ACTION_ID_EXAMPLE, defineCommand, fields, NextStep } from "./shared.ts";

const NOT_ASKED =
  "No teammate has requested changes to this action, so its text stays. List held actions, and revise only those with " +
  "changeRequest.";

export const revise = defineCommand({
  name: "revise",
  does: "Replaces the text of an action for which a teammate requested changes. Nothing is sent: they review it again.",
  next: "Continue with the next action that has changeRequest. Once a teammate approves the text, you can claim it.",
  takes: {
    actionId: fields.actionId,
    copy: z.string().max(COPY_LIMITS.message).describe("New text, as changeRequest asks."),
  },
  answers: z.object({ action: SocialnetAction, nextStep: NextStep }),
  example: { actionId: ACTION_ID_EXAMPLE, copy: "Hello Ada, thank you for the talk on Tuesday." },
  async handler(ctx, account, { actionId, copy }) {
    const action = await requireOwnAction(ctx, account, actionId);
    if (action.status !== "held" || action.changeRequestedAt === null) throw refused("held", NOT_ASKED);
    requireCopy(action.kind, copy);
    const revised = await reviseAction(ctx, action, copy);
    if (revised === undefined) throw refused("held", NOT_ASKED);
    return {
      action: await showAction(ctx, revised.id, await claimConditions(ctx, account)),
      nextStep: "A teammate reviews the new text. Nothing was sent.",
    };
  },
});
