import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Pause, pauseReason, toPause } from "./pause-schema.ts";

export const pauseOutreach = personOperation({
  name: "pause_outreach",
  area: "workspaces",
  title: "Pause outreach",
  description:
    "Pauses all outreach of the workspace. No contact is enrolled and nothing is sent. An existing pause keeps " +
    "its start time. A new reason replaces the old one.",
  access: { permission: "administer" },
  effect: "write",
  restricts: () => true,
  input: z.strictObject({ reason: pauseReason.describe("The reason, shown to teammates.") }),
  output: Pause,
  async handler(ctx, { reason: why = null }) {
    const before = toPause(await ctx.store.workspace.pause());
    const after = toPause(await ctx.store.workspace.pauseOutreach(why, ctx.now));
    const changed = before.paused_at !== after.paused_at || before.pause_reason !== after.pause_reason;
    if (changed) {
      await ctx.store.socialnetAccounts.touch(null, ctx.now);
      await ctx.audit({ recordId: ctx.workspaceId, before, after });
    }
    return { data: after, record: ctx.workspaceId };
  },
});
