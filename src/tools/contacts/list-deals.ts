import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { iso } from "../../lib/time.ts";
import { recordId } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { OwnedDeal, ownersOf, stage, stageSince } from "./deal-schema.ts";

const text = z.string().nullable();

export const listDeals = personOperation({
  name: "list_deals",
  area: "deals",
  title: "List deals",
  description: "Lists the deals at one stage, newest first, each with its contact and owner.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    stage: stage.describe("The deals' stage."),
    owner_id: recordId("member").optional().describe("Only deals that this member owns."),
    ...pageFields,
  }),
  output: z.array(
    OwnedDeal.extend({
      stage_since: stageSince,
      contact: z.object({ first_name: text, last_name: text, email: text, company: text }),
    }),
  ),
  meta: ListMeta,
  async handler(ctx, { stage, owner_id: ownerId, ...page }) {
    const { rows, total } = await ctx.store.deals.list({ stage, ownerId }, page);
    const owner = await ownersOf(
      ctx,
      rows.map(({ ownerId }) => ownerId),
    );
    const moved = await ctx.store.deals.movedAt(rows.map(({ deal }) => deal.id));
    const data = rows.map(({ deal, contact, ownerId }) => {
      const at = moved.get(deal.id);
      return { ...deal, owner: owner(ownerId), stage_since: at === undefined ? deal.created_at : iso(at), contact };
    });
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
