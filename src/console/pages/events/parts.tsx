/** @jsxRuntime automatic @jsxImportSource preact */

import { EVENT_NAMES, type EventName, isEventName } from "../../../events/catalog.ts";
import { Tabs } from "../../ui/basics.tsx";

const EVENT_LABELS: Record<EventName, string> = {
  "socialnet.work.available": "Work available",
  "socialnet.schedule.changed": "Hours or limits changed",
  "socialnet.reconnect.requested": "Sign-in requested",
  "socialnet.change.requested": "Changes requested to an action",
  "checklist.card.decided": "Document reviewed",
  "checklist.post.decided": "Post reviewed",
};

export const eventChoices = EVENT_NAMES.map((value) => ({ value, label: EVENT_LABELS[value], hint: value }));

/** The label of an event, with its API name below. */
export function EventLabel({ name }: { name: string }) {
  if (!isEventName(name)) return <code>{name}</code>;
  return (
    <>
      {EVENT_LABELS[name]}
      <br />
      <code class="quiet">{name}</code>
    </>
  );
}

const TABS = [
  { name: "Endpoints", path: "/events" },
  { name: "Agent subscriptions", path: "/events/subscriptions" },
  { name: "Deliveries", path: "/events/deliveries" },
];

export function EventTabs() {
  return <Tabs label="Webhooks" tabs={TABS} />;
}
