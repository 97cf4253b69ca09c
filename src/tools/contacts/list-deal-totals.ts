import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { currency, stage } from "./deal-schema.ts";

export const listDealTotals = personOperation({
  name: "list_deal_totals",
  area: "deals",
  title: "Sum up deals",
  description: "How many deals stand at each stage, and what they come to, each currency by itself.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({ stage: stage.optional().describe("Only those at this stage.") }),
  output: z.array(
    z.object({
      stage,
      currency,
      deals: z.int(),
      value: z.number().nullable().describe("Null where it is more than a number can hold."),
    }),
  ),
  async handler(ctx, { stage }) {
    const totals = await ctx.store.deals.totals(stage);
    return { data: totals.map((total) => ({ ...total, value: Number.isFinite(total.value) ? total.value : null })) };
  },
});
