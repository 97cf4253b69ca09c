import { personOperation } from "../../core/operation.ts";
import { accountOf, moveAction, NO_APPROVAL } from "../../services/socialnet/actions.ts";
import { moveByPerson, moveInput } from "./action-move.ts";
import { PlannedAction } from "./action-schema.ts";

export const withdrawSocialnetAction = personOperation({
  name: "withdraw_socialnet_action",
  area: "socialnet",
  title: "Withdraw an action's approval",
  description:
    "Withdraws the approval of an action that no agent has claimed. The action needs approval again, or is " +
    "put on hold if the account is automatic.",
  access: { permission: "approve_outbound" },
  effect: "write",
  restricts: () => true,
  errors: ["action_not_found", "action_not_movable"],
  input: moveInput,
  output: PlannedAction,
  // What an agent may claim is what can be taken back.
  handler: (ctx, given) =>
    moveByPerson(ctx, given, "claim", async (action, why) => {
      if (action.status !== "approved") return undefined;
      const { automationMode } = await accountOf(ctx, action);
      return automationMode === "automatic"
        ? moveAction(ctx, action, "hold", { ...NO_APPROVAL, heldFrom: "planned", note: why })
        : moveAction(ctx, action, "void_approval", { ...NO_APPROVAL, note: why });
    }),
});
