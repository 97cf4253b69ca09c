import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { iso } from "../../lib/time.ts";
import { recordId } from "../fields.ts";
import { gatherOpportunity, Opportunity } from "./brain-opportunity.ts";
import { owner, ownersOf, stageSince } from "./deal-schema.ts";

export const getDealRecord = personOperation({
  name: "get_deal_record",
  area: "deals",
  title: "Get a deal's record",
  description:
    "Reads everything that a deal's page shows: the record with its owner, when the deal moved to its stage, and what " +
    "brain_opportunity returns about its contact.",
  access: { permission: "view" },
  effect: "read",
  errors: ["deal_not_found"],
  input: z.strictObject({ id: recordId("deal") }),
  output: Opportunity.extend({ owner, stage_since: stageSince }),
  async handler(ctx, { id }) {
    const known = await gatherOpportunity(ctx, id);
    const ownerId = await ctx.store.deals.ownerOf(id);
    const movedAt = (await ctx.store.deals.movedAt([id])).get(id);
    return {
      data: {
        ...known,
        owner: (await ownersOf(ctx, [ownerId]))(ownerId),
        stage_since: movedAt === undefined ? known.deal.created_at : iso(movedAt),
      },
    };
  },
});
