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
  input: z.strictObject({}),
  output: z.array(z.object({ stage, currency, deals: z.int(), value: z.number() })),
  async handler(ctx) {
    return { data: await ctx.store.deals.totals() };
  },
});
