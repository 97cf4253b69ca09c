/** @jsxRuntime automatic @jsxImportSource preact */

import { EVENT_NAMES, type EventName, isEventName } from "../../../events/catalog.ts";
import { Tabs } from "../../ui/basics.tsx";

/** What each event means, worded for people. */
const CALLED: Record<EventName, string> = {
  "socialnet.work.available": "An agent has work",
  "socialnet.schedule.changed": "Hours or limits were changed",
  "socialnet.reconnect.requested": "A new sign-in was requested",
  "checklist.card.decided": "A document was reviewed",
  "checklist.post.decided": "A post was reviewed",
};

export const eventChoices = EVENT_NAMES.map((value) => ({ value, label: CALLED[value], hint: value }));

/** A description of the event, with the name that programs use below it. */
export function EventCalled({ name }: { name: string }) {
  if (!isEventName(name)) return <code>{name}</code>;
  return (
    <>
      {CALLED[name]}
      <br />
      <code class="quiet">{name}</code>
    </>
  );
}

const TABS = [
  { name: "Webhooks", path: "/events" },
  { name: "Agents' subscriptions", path: "/events/subscriptions" },
  { name: "Deliveries", path: "/events/deliveries" },
];

export function EventTabs() {
  return <Tabs label="Events" tabs={TABS} />;
}
