import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { OWN_PROPOSALS } from "../../domain/access/roles.ts";

export const setOwnProposals = personOperation({
  name: "set_own_proposals",
  area: "workspaces",
  title: "Allow or forbid self-approval",
  description:
    "Sets whether people can approve what they, their keys or their agents proposed. If allowed, the audit log " +
    "records each case. If forbidden, another member must decide. Admins and the server admin are no exception.",
  access: { permission: "administer" },
  effect: "write",
  restricts: ({ own_proposals }) => own_proposals === "forbidden",
  input: z.strictObject({ own_proposals: z.enum(OWN_PROPOSALS).describe("allowed or forbidden.") }),
  output: z.object({ own_proposals: z.enum(OWN_PROPOSALS) }),
  async handler(ctx, { own_proposals }) {
    const before = await ctx.store.workspace.ownProposals();
    if (before !== own_proposals) {
      await ctx.store.workspace.setOwnProposals(own_proposals);
      await ctx.audit({ recordId: ctx.workspaceId, before: { own_proposals: before }, after: { own_proposals } });
    }
    return { data: { own_proposals }, record: ctx.workspaceId };
  },
});
