import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import type { Deal as DealRecord } from "../../domain/contacts/deal.ts";
import { atLeastOne, recordId } from "../fields.ts";
import { currency as dealCurrency, forecast, OwnedDeal, ownerId, ownersOf, requireOwner } from "./deal-schema.ts";

const editable = {
  title: z.string().max(500).trim().min(1).optional().describe("The deal's name."),
  value: z.number().optional().describe("The deal's value in its currency. Can be negative."),
  currency: dealCurrency.optional(),
  ...forecast,
  owner_id: ownerId.optional(),
};

const editableOf = (
  { title, value, currency, probability, expected_close_date }: DealRecord,
  owner_id: string | null,
) => ({
  title,
  value,
  currency,
  probability,
  expected_close_date,
  owner_id,
});

export const updateDeal = personOperation({
  name: "update_deal",
  area: "deals",
  title: "Update a deal",
  description:
    "Changes the given fields of a deal and keeps the others. Null clears the probability, the expected close or the owner. " +
    "Use set_deal_stage to move the deal to another stage.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["deal_not_found", "member_not_found"],
  input: z.strictObject({ deal_id: recordId("deal"), ...editable }).refine(...atLeastOne(Object.keys(editable))),
  output: OwnedDeal,
  async handler(ctx, { deal_id: id, ...given }) {
    const before = await ctx.store.deals.find(id);
    if (before === undefined) throw problem("deal_not_found");
    const owner = await ctx.store.deals.ownerOf(id);
    const { title = before.title, value = before.value, currency = before.currency } = given;
    const { probability = before.probability, expected_close_date = before.expected_close_date } = given;
    const { owner_id = owner } = given;
    // Only a new owner must be a current member. Other edits keep the old one.
    if (owner_id !== owner) await requireOwner(ctx, owner_id);
    const ownerOf = await ownersOf(ctx, [owner_id]);
    const fields = { title, value, currency, probability, expected_close_date, owner_id };
    const was = editableOf(before, owner);
    if (isDeepStrictEqual(was, fields)) return { data: { ...before, owner: ownerOf(owner) } };
    const edit = { title, value, currency, probability, expectedCloseDate: expected_close_date, ownerId: owner_id };
    const after = await ctx.store.deals.edit(id, edit);
    if (after === undefined) throw problem("deal_not_found");
    await ctx.audit({ recordId: id, before: was, after: editableOf(after, owner_id) });
    return { data: { ...after, owner: ownerOf(owner_id) } };
  },
});
