import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { moveAction, notMovable, requireAction } from "../../services/socialnet/actions.ts";
import { recordId } from "../fields.ts";
import { note, PlannedAction, showPlanned } from "./action-schema.ts";

export const holdSocialnetAction = personOperation({
  name: "hold_socialnet_action",
  area: "socialnet",
  title: "Hold a socialnet action",
  description: "Keeps an action that no agent has claimed from being claimed, until somebody releases it.",
  access: { permission: "work" },
  effect: "write",
  errors: ["action_not_found", "action_not_movable"],
  input: z.strictObject({ action_id: recordId("action"), note }),
  output: PlannedAction,
  async handler(ctx, { action_id, note: why = null }) {
    const action = await requireAction(ctx, action_id);
    const heldFrom = action.status === "approved" ? "approved" : "planned";
    const held = await moveAction(ctx, action, "hold", { heldFrom, note: why });
    if (held === undefined) throw notMovable(action, "hold");
    return { data: await showPlanned(ctx, held) };
  },
});
