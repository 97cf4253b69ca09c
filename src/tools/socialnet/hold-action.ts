import { z } from "zod";
import { personOperation } from "../../operation.ts";
import { moveAction } from "../../rules/move-action.ts";
import { recordId } from "../ids.ts";
import { PlannedAction } from "./action-schema.ts";
import { notMovable, requirePlanned, showPlanned } from "./person-actions.ts";

/** Why a person does what they do, for whoever looks back. */
export const note = z.string().trim().min(1).max(500).optional().describe("Why, for whoever looks back.");

export const holdSocialnetAction = personOperation({
  name: "hold_socialnet_action",
  area: "socialnet",
  title: "Hold a socialnet action",
  description: "Keeps an action that no agent has claimed from being claimed, until somebody releases it.",
  access: { permission: "work" },
  effect: "write",
  gates: [],
  errors: ["action_not_found", "action_not_movable"],
  input: z.strictObject({ action_id: recordId("action"), note }),
  output: PlannedAction,
  async handler(ctx, { action_id, note: why = null }) {
    const action = await requirePlanned(ctx, action_id);
    const heldFrom = action.status === "approved" ? "approved" : "planned";
    const held = await moveAction(ctx, action, "hold", { heldFrom, note: why });
    if (held === undefined) throw notMovable(action, "hold");
    return { data: await showPlanned(ctx, held) };
  },
});
