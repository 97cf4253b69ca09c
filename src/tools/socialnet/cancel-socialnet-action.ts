import { personOperation } from "../../core/operation.ts";
import { moveAction, NO_LEASE } from "../../services/socialnet/actions.ts";
import { moveByPerson, moveInput } from "./action-move.ts";
import { PlannedAction } from "./action-schema.ts";

export const cancelSocialnetAction = personOperation({
  name: "cancel_socialnet_action",
  area: "socialnet",
  title: "Cancel a socialnet action",
  description:
    "Ends an action that no agent has started, for good. One that is a step of a sequence stops its contact's enrollment too.",
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
