import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { accountOf, moveAction, NO_APPROVAL, notMovable, requireAction } from "../../services/socialnet/actions.ts";
import { recordId } from "../fields.ts";
import { note, PlannedAction, showPlanned } from "./action-schema.ts";

export const withdrawSocialnetAction = personOperation({
  name: "withdraw_socialnet_action",
  area: "socialnet",
  title: "Take back the approval of a socialnet action",
  description:
    "Takes back the approval of an action that no agent has claimed. It needs review again; on an automatic account it is on hold.",
  access: { permission: "approve_outbound" },
  effect: "write",
  errors: ["action_not_found", "action_not_movable"],
  input: z.strictObject({ action_id: recordId("action"), note }),
  output: PlannedAction,
  async handler(ctx, { action_id, note: why = null }) {
    const action = await requireAction(ctx, action_id);
    if (action.status !== "approved") throw notMovable(action, "claim");
    const { automationMode } = await accountOf(ctx, action);
    const taken =
      automationMode === "automatic"
        ? await moveAction(ctx, action, "hold", { ...NO_APPROVAL, heldFrom: "planned", note: why })
        : await moveAction(ctx, action, "void_approval", { ...NO_APPROVAL, note: why });
    if (taken === undefined) throw notMovable(action, "claim");
    return { data: await showPlanned(ctx, taken) };
  },
});
