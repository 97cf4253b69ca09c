import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import type { Deal as DealRecord } from "../../domain/contacts/deal.ts";
import { atLeastOne, recordId } from "../fields.ts";
import { Deal, currency as dealCurrency, forecast } from "./deal-schema.ts";

const editable = {
  title: z.string().trim().min(1).max(500).optional().describe("The deal's name."),
  value: z.number().optional().describe("The deal's value in its currency. Can be negative."),
  currency: dealCurrency.optional(),
  ...forecast,
};

const editableOf = ({ title, value, currency, probability, expected_close_date }: DealRecord) => ({
  title,
  value,
  currency,
  probability,
  expected_close_date,
});

export const updateDeal = personOperation({
  name: "update_deal",
  area: "deals",
  title: "Update a deal",
  description:
    "Changes the given fields of a deal and keeps the others. Null clears the probability or the expected close. " +
    "Use set_deal_stage to move the deal to another stage.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["deal_not_found"],
  input: z.strictObject({ deal_id: recordId("deal"), ...editable }).refine(...atLeastOne(Object.keys(editable))),
  output: Deal,
  async handler(ctx, { deal_id: id, ...given }) {
    const before = await ctx.store.deals.find(id);
    if (before === undefined) throw problem("deal_not_found");
    const { title = before.title, value = before.value, currency = before.currency } = given;
    const { probability = before.probability, expected_close_date = before.expected_close_date } = given;
    const fields = { title, value, currency, probability, expected_close_date };
    if (isDeepStrictEqual(editableOf(before), fields)) return { data: before };
    const edit = { title, value, currency, probability, expectedCloseDate: expected_close_date };
    const after = await ctx.store.deals.edit(id, edit);
    if (after === undefined) throw problem("deal_not_found");
    await ctx.audit({ recordId: id, before: editableOf(before), after: editableOf(after) });
    return { data: after };
  },
});
