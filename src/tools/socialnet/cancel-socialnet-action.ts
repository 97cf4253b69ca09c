import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { moveAction, NO_LEASE, notMovable, requireAction } from "../../services/socialnet/actions.ts";
import { recordId } from "../fields.ts";
import { note, PlannedAction, showPlanned } from "./action-schema.ts";

export const cancelSocialnetAction = personOperation({
  name: "cancel_socialnet_action",
  area: "socialnet",
  title: "Cancel a socialnet action",
  description:
    "Ends an action that no agent has started, for good. One that is a step of a sequence stops its contact's enrollment too.",
  access: { permission: "work" },
  effect: "write",
  errors: ["action_not_found", "action_not_movable"],
  input: z.strictObject({ action_id: recordId("action"), note }),
  output: PlannedAction,
  async handler(ctx, { action_id, note: why = null }) {
    const action = await requireAction(ctx, action_id);
    const cancelled = await moveAction(ctx, action, "cancel", { ...NO_LEASE, note: why });
    if (cancelled === undefined) throw notMovable(action, "cancel");
    const { enrollmentId } = cancelled;
    if (enrollmentId !== null) await ctx.store.enrollments.stop(enrollmentId, "stopped_by_member", ctx.now, why);
    return { data: await showPlanned(ctx, cancelled) };
  },
});
