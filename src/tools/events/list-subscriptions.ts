import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";

const time = z.iso.datetime().nullable();

export const listSubscriptions = personOperation({
  name: "list_subscriptions",
  area: "events",
  title: "List agents' subscriptions",
  description:
    "Lists the event subscriptions of agents, soonest expiry first. Each has its URL, its expiry and its " +
    "last delivery. Agents subscribe over MCP, and renew each subscription before it expires.",
  access: { permission: "administer" },
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      url: z.string(),
      key_name: z.string().describe("The key that subscribed."),
      account_label: z
        .string()
        .nullable()
        .describe("The only social account that the subscription covers. Null: all accounts."),
      created_at: z.iso.datetime(),
      expires_at: time,
      last_delivery_at: time,
      last_error: z.string().nullable(),
      failing_since: time,
      suspended_at: time,
      suspended_reason: z.string().nullable(),
    }),
  ),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.subscriptions.list(page);
    const data = rows.map((row) => ({
      id: row.id,
      event: row.event,
      url: row.url,
      key_name: row.keyName,
      account_label: row.accountLabel,
      created_at: iso(row.createdAt),
      expires_at: isoOrNull(row.expiresAt),
      last_delivery_at: isoOrNull(row.lastDeliveryAt),
      last_error: row.lastError,
      failing_since: isoOrNull(row.failedSince),
      suspended_at: isoOrNull(row.suspendedAt),
      suspended_reason: row.suspendedReason,
    }));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
