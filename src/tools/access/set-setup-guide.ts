import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";

export const setSetupGuide = personOperation({
  name: "set_setup_guide",
  area: "workspaces",
  title: "Hide or show the setup guide",
  description: "Hides the setup guide on your Today page, or shows it again. Teammates still see it.",
  access: { permission: "view" },
  effect: "write",
  input: z.strictObject({ hidden: z.boolean().describe("Whether to hide it.") }),
  output: z.object({ hidden: z.boolean() }),
  async handler(ctx, { hidden }) {
    const { id, kind } = ctx.actor;
    if (kind !== "member")
      throw problem("validation_failed", "hidden: can only be set by a member. Sign in to the console.");
    const before = await ctx.store.members.hidesGuide(id);
    if (before !== hidden) {
      await ctx.store.members.hideGuide(id, hidden ? ctx.now : null);
      await ctx.audit({ recordId: id, before: { hidden: before }, after: { hidden } });
    }
    return { data: { hidden }, record: id };
  },
});
