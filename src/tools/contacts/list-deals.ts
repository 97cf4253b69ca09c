import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Deal, stage } from "./deal-schema.ts";

const text = z.string().nullable();

export const listDeals = personOperation({
  name: "list_deals",
  area: "deals",
  title: "List deals",
  description: "Lists the deals at one stage, newest first, each with its contact.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({ stage: stage.describe("The deals' stage."), ...pageFields }),
  output: z.array(
    Deal.extend({ contact: z.object({ first_name: text, last_name: text, email: text, company: text }) }),
  ),
  meta: ListMeta,
  async handler(ctx, { stage, ...page }) {
    const { rows, total } = await ctx.store.deals.list(stage, page);
    const data = rows.map(({ deal, contact }) => ({ ...deal, contact }));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
