import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Pause, pauseReason, toPause } from "./pause-schema.ts";

export const resumeOutreach = personOperation({
  name: "resume_outreach",
  area: "workspaces",
  title: "Resume outreach",
  description:
    "Ends the outreach pause. Messages that became due during the pause are sent as the sending policy allows.",
  access: { permission: "administer" },
  effect: "write",
  input: z.strictObject({ reason: pauseReason.describe("The reason, for the audit log.") }),
  output: Pause,
  async handler(ctx, { reason: why = null }) {
    const before = toPause(await ctx.store.workspace.pause());
    const after = { paused_at: null, pause_reason: null };
    if (await ctx.store.workspace.resumeOutreach()) {
      await ctx.store.socialnetAccounts.touch(null, ctx.now);
      await ctx.audit({ recordId: ctx.workspaceId, before, after: { ...after, resume_reason: why } });
    }
    return { data: after, record: ctx.workspaceId };
  },
});
