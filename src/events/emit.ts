import { newId } from "../lib/ids.ts";
import type { WorkspaceStore } from "../store/store.ts";
import { EVENTS, type EventName, type Payload } from "./catalog.ts";
import { eventBody, MAX_BODY_BYTES } from "./protocol.ts";

/**
 * Puts an event into the outbox, once for every subscription that hears of it: within the transaction of what caused
 * it, so that both are there after a crash, or neither.
 *
 * @returns whether anybody is told
 * @throws where the payload does not fit the event's schema: a mistake of ours, which undoes the whole write
 */
export async function emitEvent<N extends EventName>(
  store: WorkspaceStore,
  now: number,
  name: N,
  payload: Payload<N>,
): Promise<boolean> {
  const data = EVENTS[name].payload.parse(payload);
  const told = await store.subscriptions.matching(name, data.account_id, now);
  if (told.length === 0) return false;
  const eventId = `evt_${newId(now).replaceAll("-", "")}`;
  const body = eventBody({ id: eventId, name, at: now, data });
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw new Error(`The event ${name} is too large to deliver.`);
  for (const { seq, url } of told) {
    await store.deliveries.insert({ id: newId(now), subscriptionSeq: seq, url, eventId, event: name, body, now });
  }
  return true;
}
