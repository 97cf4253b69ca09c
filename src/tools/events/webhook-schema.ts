import { z } from "zod";
import { DELIVERY_STATUSES } from "../../domain/events/delivery.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { DeliveryRow, WebhookRow } from "../../store/events.ts";

const time = z.iso.datetime().nullable();
/** A webhook as settings show it; its secret is shown at creation alone. */
export const Webhook = z.object({
  id: z.uuid(),
  url: z.string(),
  events: z.array(z.string()),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  suspended_at: time,
  suspended_reason: z.string().nullable().describe("Why sending is suspended. Create the webhook again to resume."),
});

export function toWebhook(row: WebhookRow): z.infer<typeof Webhook> {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    created_by: row.createdBy,
    created_at: iso(row.createdAt),
    suspended_at: isoOrNull(row.suspendedAt),
    suspended_reason: row.suspendedReason,
  };
}

export const Delivery = z.object({
  id: z.uuid(),
  event: z.string(),
  event_id: z.string().describe("The webhook-id header, the same in all attempts."),
  kind: z.enum(["event", "terminated"]).describe("terminated: the final notice that a subscription has lost access."),
  url: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  next_attempt_at: time,
  last_error: z.string().nullable(),
  created_at: z.iso.datetime(),
  finished_at: time,
  attempts: z.array(z.object({ at: z.iso.datetime(), outcome: z.string(), duration_ms: z.int() })),
});

export function toDelivery(row: DeliveryRow): z.infer<typeof Delivery> {
  return {
    id: row.id,
    event: row.event,
    event_id: row.eventId,
    kind: row.kind,
    url: row.url,
    status: row.status,
    next_attempt_at: isoOrNull(row.nextAttemptAt),
    last_error: row.lastError,
    created_at: iso(row.createdAt),
    finished_at: isoOrNull(row.finishedAt),
    attempts: row.attempts.map(({ at, outcome, durationMs }) => ({
      at: iso(at),
      outcome,
      duration_ms: durationMs,
    })),
  };
}
