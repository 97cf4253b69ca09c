import { personOperation } from "../../core/operation.ts";
import { moveAction, NO_LEASE } from "../../services/socialnet/actions.ts";
import { moveByPerson, moveInput } from "./action-move.ts";
import { PlannedAction } from "./action-schema.ts";

export const cancelSocialnetAction = personOperation({
  name: "cancel_socialnet_action",
  area: "socialnet",
  title: "Cancel an action",
  description:
    "Cancels an action that no agent has started. This can't be undone. If the action is a step of a sequence, the " +
    "contact's enrollment stops too.",
  access: { permission: "work" },
  effect: "write",
  errors: ["action_not_found", "action_not_movable"],
  input: moveInput,
  output: PlannedAction,
  handler: (ctx, given) =>
    moveByPerson(ctx, given, "cancel", async (action, why) => {
      const cancelled = await moveAction(ctx, action, "cancel", { ...NO_LEASE, note: why });
      const enrollmentId = cancelled?.enrollmentId ?? null;
      if (enrollmentId !== null) await ctx.store.enrollments.stop(enrollmentId, "stopped_by_member", ctx.now, why);
      return cancelled;
    }),
});
