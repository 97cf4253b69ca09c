import { personOperation } from "../../core/operation.ts";
import { moveAction } from "../../services/socialnet/actions.ts";
import { moveByPerson, moveInput } from "./action-move.ts";
import { PlannedAction } from "./action-schema.ts";

export const holdSocialnetAction = personOperation({
  name: "hold_socialnet_action",
  area: "socialnet",
  title: "Put an action on hold",
  description:
    "Puts an action on hold, if no agent has claimed it. No agent can claim it until a teammate releases it.",
  access: { permission: "work" },
  effect: "write",
  restricts: () => true,
  errors: ["action_not_found", "action_not_movable"],
  input: moveInput,
  output: PlannedAction,
  handler: (ctx, given) =>
    moveByPerson(ctx, given, "hold", (action, why) => {
      const heldFrom = action.status === "approved" ? "approved" : "planned";
      return moveAction(ctx, action, "hold", { heldFrom, note: why });
    }),
});
