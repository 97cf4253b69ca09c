import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import type { Deal as DealRecord } from "../../domain/contacts/deal.ts";
import { recordId } from "../fields.ts";
import { Deal, forecast, stage } from "./deal-schema.ts";

const movable = ({ stage, probability, expected_close_date }: DealRecord) => ({
  stage,
  probability,
  expected_close_date,
});

export const setDealStage = personOperation({
  name: "set_deal_stage",
  area: "deals",
  title: "Move a deal",
  description:
    "Moves a deal to any stage. You can also set its probability and expected close. Null clears either. A " +
    "deal at closed_won allows its contact to become a customer.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["deal_not_found"],
  input: z.strictObject({ deal_id: recordId("deal"), stage: stage.describe("The deal's new stage."), ...forecast }),
  output: Deal,
  async handler(ctx, { deal_id: id, ...asked }) {
    const before = await ctx.store.deals.find(id);
    if (before === undefined) throw problem("deal_not_found");
    const { stage, probability = before.probability, expected_close_date = before.expected_close_date } = asked;
    if (isDeepStrictEqual(movable(before), { stage, probability, expected_close_date })) return { data: before };
    const change = { stage, probability, expectedCloseDate: expected_close_date, by: ctx.actor.id, now: ctx.now };
    const after = await ctx.store.deals.change(id, change);
    if (after === undefined) throw problem("deal_not_found");
    await ctx.audit({ recordId: id, before: movable(before), after: movable(after) });
    return { data: after };
  },
});
