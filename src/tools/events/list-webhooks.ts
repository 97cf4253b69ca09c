import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { toWebhook, Webhook } from "./webhook-schema.ts";

export const listWebhooks = personOperation({
  name: "list_webhooks",
  area: "events",
  title: "List webhooks",
  description: "Lists the workspace's webhooks, newest first, with any suspension and its reason.",
  access: { permission: "administer" },
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(Webhook),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.webhooks.list(page);
    return { data: rows.map(toWebhook), meta: listMeta(page, rows.length, total) };
  },
});
