import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { DELIVERY_STATUSES } from "../../domain/events/delivery.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Delivery, toDelivery } from "./webhook-schema.ts";

export const listDeliveries = personOperation({
  name: "list_deliveries",
  area: "events",
  title: "List deliveries",
  description:
    "Lists the deliveries of the last 30 days to subscriptions and webhooks, newest first, with every attempt. The " +
    "status dead means that all attempts failed, or the endpoint was suspended. given_up means that the endpoint " +
    "responded with 410 or 413. dropped means that the subscription or webhook ended before the delivery.",
  access: { permission: "administer" },
  effect: "read",
  input: z.strictObject({
    ...pageFields,
    status: z.enum(DELIVERY_STATUSES).optional().describe("Only deliveries of this status."),
  }),
  output: z.array(Delivery),
  meta: ListMeta,
  async handler(ctx, { status, ...page }) {
    const { rows, total } = await ctx.store.deliveries.list({ ...page, status });
    return { data: rows.map(toDelivery), meta: listMeta(page, rows.length, total) };
  },
});
