import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { createDealFor, newDealFields, ownerByDefault } from "./create-deal.ts";
import { OwnedDeal, ownerId, ownersOf, requireOwner } from "./deal-schema.ts";

export const addDeal = personOperation({
  name: "add_deal",
  area: "deals",
  title: "Add a deal",
  description:
    "Creates a deal for a contact, as create_deal does, and sets its owner. Without owner_id, the deal is yours.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["contact_not_found", "bant_required", "member_not_found"],
  input: z.strictObject({ ...newDealFields, owner_id: ownerId.optional() }),
  output: OwnedDeal,
  async handler(ctx, { owner_id: given, ...input }) {
    if (given !== undefined) await requireOwner(ctx, given);
    const owner_id = given === undefined ? ownerByDefault(ctx) : given;
    const deal = await createDealFor(ctx, input, owner_id);
    const { contact_id, title, value, currency, stage } = deal;
    await ctx.audit({
      recordId: deal.id,
      before: null,
      after: { contact_id, title, value, currency, stage, owner_id },
    });
    return { data: { ...deal, owner: (await ownersOf(ctx, [owner_id]))(owner_id) } };
  },
});
