import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { POST_STATUSES } from "../../domain/checklist/review.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { itemId } from "./item-schema.ts";
import { Post, toPost } from "./review-schema.ts";

export const listPosts = personOperation({
  name: "list_posts",
  area: "checklist",
  title: "List posts",
  description:
    "Lists the posts that agents submitted, newest first, with their exact text. Hidden characters are " +
    "listed separately. Filters combine with AND.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    status: z.enum(POST_STATUSES).optional().describe("Only posts of this status. needs_review is the review queue."),
    item_id: itemId.optional(),
    ...pageFields,
  }),
  output: z.array(Post),
  meta: ListMeta,
  async handler(ctx, { status, item_id: itemId, ...page }) {
    const { rows, total } = await ctx.store.posts.list({ status, itemId }, page);
    return { data: rows.map(toPost), meta: listMeta(page, rows.length, total) };
  },
});
