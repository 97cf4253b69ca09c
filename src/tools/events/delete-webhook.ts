import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { toWebhook, Webhook } from "./webhook-schema.ts";

export const deleteWebhook = personOperation({
  name: "delete_webhook",
  area: "events",
  title: "Delete a webhook",
  description: "Deletes a webhook immediately and drops its pending deliveries. Past deliveries stay listed.",
  access: { permission: "administer" },
  effect: "write",
  errors: ["webhook_not_found"],
  input: z.strictObject({ webhook_id: recordId("webhook") }),
  output: Webhook,
  async handler(ctx, { webhook_id: id }) {
    const row = await ctx.store.webhooks.find(id);
    if (row === undefined || !(await ctx.store.webhooks.remove(id, ctx.now))) throw problem("webhook_not_found");
    const before = toWebhook(row);
    await ctx.audit({ recordId: id, before, after: null });
    return { data: before };
  },
});
