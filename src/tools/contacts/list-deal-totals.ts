import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { recordId } from "../fields.ts";
import { currency, stage } from "./deal-schema.ts";

export const listDealTotals = personOperation({
  name: "list_deal_totals",
  area: "deals",
  title: "Get deal totals",
  description: "Counts the deals at each stage and sums their value per currency.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    stage: stage.optional().describe("Only deals at this stage."),
    owner_id: recordId("member").optional().describe("Only deals that this member owns."),
  }),
  output: z.array(
    z.object({
      stage,
      currency,
      deals: z.int(),
      value: z.number().nullable().describe("Null if the sum is too large for a number."),
    }),
  ),
  async handler(ctx, { stage, owner_id: ownerId }) {
    const totals = await ctx.store.deals.totals({ stage, ownerId });
    return { data: totals.map((total) => ({ ...total, value: Number.isFinite(total.value) ? total.value : null })) };
  },
});
