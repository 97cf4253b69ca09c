import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { CARD_STATUSES } from "../../domain/checklist/review.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { itemId } from "./item-schema.ts";
import { Card, toCard } from "./review-schema.ts";

export const listCards = personOperation({
  name: "list_cards",
  area: "checklist",
  title: "List documents",
  description:
    "Lists the documents that agents submitted, newest first, with their exact text. Hidden characters are " +
    "listed separately. Filters combine with AND.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    status: z.enum(CARD_STATUSES).optional().describe("Only cards of this status. pending cards need review."),
    item_id: itemId.optional(),
    ...pageFields,
  }),
  output: z.array(Card),
  meta: ListMeta,
  async handler(ctx, { status, item_id: itemId, ...page }) {
    const { rows, total } = await ctx.store.cards.list({ status, itemId }, page);
    return { data: rows.map(toCard), meta: listMeta(page, rows.length, total) };
  },
});
