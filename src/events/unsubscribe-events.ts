import { z } from "zod";
import { agentOperation } from "../core/operation.ts";
import { isEventName, scopeNamed } from "./catalog.ts";
import { METHODS } from "./protocol.ts";
import { requireKey } from "./subscribe-events.ts";
import { canonicalArguments, isArguments, subscriptionId } from "./subscription.ts";

export const unsubscribeEvents = agentOperation({
  name: "unsubscribe_events",
  area: "events",
  title: "Unsubscribe from an event",
  description:
    "Ends this API key's subscription to this event at this URL. Nothing more is sent. If there is no such " +
    "subscription, nothing changes.",
  access: { scope: null },
  scopeFor: scopeNamed,
  tool: false,
  rpc: METHODS.unsubscribe,
  budget: "none",
  idempotent: false,
  effect: "write",
  errors: ["subscription_forbidden"],
  input: z.object({
    name: z.string().describe("The event's name."),
    arguments: z.record(z.string(), z.unknown()).default({}).describe("The arguments of the subscription."),
    delivery: z
      .object({ url: z.string().max(2_000).describe("The URL of the subscription.") })
      .describe("How the event is delivered."),
  }),
  output: z.object({}),
  async handler(ctx, { name, arguments: given, delivery }) {
    const key = requireKey(ctx.actor);
    if (!isEventName(name) || !isArguments(name, given)) return { data: {} };
    const url = URL.canParse(delivery.url) ? new URL(delivery.url).href : delivery.url;
    const id = subscriptionId({ principal: key.id, url, event: name, arguments: canonicalArguments(name, given) });
    await ctx.store.subscriptions.remove(id, { keyId: key.id }, ctx.now);
    return { data: {}, record: id };
  },
});
