import type { EmitEvent } from "../core/context.ts";
import { newId } from "../lib/ids.ts";
import { EVENTS } from "./catalog.ts";
import { eventBody, MAX_BODY_BYTES } from "./protocol.ts";

/**
 * Puts an event into the outbox, once for every matching subscription, in the transaction of the change that caused it:
 * after a crash both exist or neither.
 *
 * @returns whether anyone is to be notified
 * @throws where the payload does not fit the event's schema: a bug, which rolls the whole write back
 */
export const emitEvent: EmitEvent = async (store, now, name, payload) => {
  const data = EVENTS[name].payload.parse(payload);
  const accountId = "account_id" in data ? data.account_id : null;
  const subscriptions = await store.subscriptions.matching(name, accountId, now);
  if (subscriptions.length === 0) return false;
  const eventId = `evt_${newId(now).replaceAll("-", "")}`;
  const body = eventBody({ id: eventId, name, at: now, data });
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw new Error(`The event ${name} is too large to deliver.`);
  for (const { seq, url } of subscriptions) {
    await store.deliveries.insert({ id: newId(now), subscriptionSeq: seq, url, eventId, event: name, body, now });
  }
  return true;
};
