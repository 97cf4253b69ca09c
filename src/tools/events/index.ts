import { listEvents } from "../../events/list-events.ts";
import { subscribeEvents } from "../../events/subscribe-events.ts";
import { unsubscribeEvents } from "../../events/unsubscribe-events.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listSubscriptions } from "./list-subscriptions.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { resendDelivery } from "./resend-delivery.ts";

/** MCP Events, webhook endpoints and their deliveries. */
export const eventsOperations = [
  listEvents,
  subscribeEvents,
  unsubscribeEvents,
  createWebhook,
  listWebhooks,
  listSubscriptions,
  deleteWebhook,
  listDeliveries,
  resendDelivery,
] as const;
