import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { EVENT_NAMES } from "../../events/catalog.ts";
import { newWebhookSecret } from "../../events/sign.ts";
import { GRACE_MS, subscriptionId } from "../../events/subscription.ts";
import { newId } from "../../lib/ids.ts";
import { toWebhook, Webhook } from "./webhook-schema.ts";

/** Every event of the workspace is sent to each of them. */
const MAX_WEBHOOKS = 20;

export const createWebhook = personOperation({
  name: "create_webhook",
  area: "events",
  title: "Create a webhook",
  description:
    "Creates a webhook that receives the workspace's events. The endpoint must first answer a signed challenge. " +
    "The signing secret is shown only once. To replace a webhook's events and secret, or to lift its suspension, " +
    "create it for the same URL again. For one day, deliveries are then signed with both secrets.",
  access: { permission: "administer" },
  effect: "write",
  errors: ["challenge_limit", "callback_failed", "subscription_limit"],
  input: z.strictObject({
    url: z.string().max(2_000).describe("The endpoint URL for deliveries: https, without credentials or fragment."),
    events: z.array(z.enum(EVENT_NAMES)).min(1).describe("The events to send. Duplicates are ignored."),
  }),
  output: Webhook.extend({ secret: z.string().meta({ secret: true, description: "The secret, shown only once." }) }),
  async prepare({ store, now, workspaceId, callbacks }, input) {
    const url = callbacks.check(input.url, "url");
    const known = await store.webhooks.findByUrl(url.href);
    const id = known?.id ?? newId(now);
    const secret = newWebhookSecret();
    const first = subscriptionId({ principal: id, url: url.href, event: input.events[0] as string, arguments: {} });
    await callbacks.verify({ principal: workspaceId, subscriptionId: first, url, secret });
    return { id, url: url.href, secret };
  },
  async handler(ctx, input, { id: proposed, url, secret }) {
    const { webhooks, subscriptions } = ctx.store;
    const events = [...new Set(input.events)];
    const before = await webhooks.findByUrl(url);
    const id = before?.id ?? proposed;
    if (before === undefined) {
      const { total } = await webhooks.list({ limit: 1, offset: 0 });
      if (total >= MAX_WEBHOOKS) {
        throw problem(
          "subscription_limit",
          `A workspace can have ${MAX_WEBHOOKS} webhooks at most. Delete one first.`,
          {
            extra: { limit: "webhooks_per_workspace", max: MAX_WEBHOOKS },
          },
        );
      }
      await webhooks.insert({ id, url, events, createdBy: ctx.actor.name, createdAt: ctx.now });
    } else {
      await webhooks.setEvents(id, events);
    }
    const principal = { webhookId: id };
    const idOf = (event: string) => subscriptionId({ principal: id, url, event, arguments: {} });
    for (const event of before?.events ?? []) {
      if (!events.some((kept) => kept === event)) await subscriptions.remove(idOf(event), principal, ctx.now);
    }
    for (const event of events) {
      await subscriptions.upsert({
        id: idOf(event),
        principal,
        url,
        event,
        arguments: {},
        accountId: null,
        secret: ctx.vault.seal(secret, idOf(event)),
        verifiedAt: ctx.now,
        expiresAt: null,
        previousSecretUntil: ctx.now + GRACE_MS,
        now: ctx.now,
      });
    }
    const row = await webhooks.find(id);
    if (row === undefined) throw new Error("The webhook that was just written is not there.");
    const after = toWebhook(row);
    await ctx.audit({ recordId: id, before: before === undefined ? null : toWebhook(before), after });
    return { data: { ...after, secret } };
  },
});
