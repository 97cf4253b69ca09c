import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { Deal } from "./deal-schema.ts";

export const confirmDeal = personOperation({
  name: "confirm_deal",
  area: "deals",
  title: "Confirm a won deal",
  description:
    "Confirms that a deal at closed_won is won. A won deal that an agent created counts only once it is confirmed.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["deal_not_found"],
  input: z.strictObject({ deal_id: recordId("deal") }),
  output: Deal,
  async handler(ctx, { deal_id: id }) {
    const deal = await ctx.store.deals.find(id);
    if (deal === undefined) throw problem("deal_not_found");
    if (deal.stage !== "closed_won") {
      throw problem("validation_failed", `This deal is at ${deal.stage}. Move it to closed_won before you confirm it.`);
    }
    if (!(await ctx.store.deals.confirmWon(id, ctx.actor.id))) return { data: deal };
    await ctx.audit({ recordId: id, before: null, after: { stage: deal.stage, won_confirmed_by: ctx.actor.id } });
    return { data: deal };
  },
});
