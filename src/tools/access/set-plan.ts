import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { atLeastOne, overlay } from "../fields.ts";
import { Plan, toPlan } from "./workspace-schema.ts";

export const setPlan = personOperation({
  name: "set_plan",
  area: "workspaces",
  title: "Set the plan",
  description:
    "Sets the plan's limits. Null removes a limit, and omitted fields keep their value. If the contact limit is " +
    "below the current count, no contacts can be added, but none are removed.",
  access: { permission: "administer" },
  effect: "write",
  input: z
    .strictObject({
      name: z.string().max(100).trim().min(1).optional().describe("The plan's name."),
      contact_allowance: z
        .int()
        .min(0)
        .nullable()
        .optional()
        .describe("The maximum number of contacts that aren't archived. Null: no limit."),
      socialnet_allowance: z
        .int()
        .min(0)
        .nullable()
        .optional()
        .describe("The maximum number of social-network actions per month. Null: no limit."),
    })
    .refine(...atLeastOne(["name", "contact_allowance", "socialnet_allowance"])),
  output: Plan,
  async handler(ctx, given) {
    const before = toPlan(await ctx.store.workspace.plan());
    const after = overlay(before, given);
    if (!isDeepStrictEqual(before, after)) {
      await ctx.store.workspace.setPlan({
        name: after.name,
        contactAllowance: after.contact_allowance,
        socialnetAllowance: after.socialnet_allowance,
      });
      await ctx.store.socialnetAccounts.touch(null, ctx.now);
      await ctx.audit({ recordId: ctx.workspaceId, before, after });
    }
    return { data: after, record: ctx.workspaceId };
  },
});
