/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { EVENT_NAMES, type EventName, isEventName } from "../../../events/catalog.ts";
import { Address, Tabs, Time } from "../../ui/basics.tsx";
import { deliveryOutcome } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";

const EVENT_LABELS: Record<EventName, string> = {
  "socialnet.work.available": "Work available",
  "socialnet.schedule.changed": "Hours or limits changed",
  "socialnet.reconnect.requested": "Sign-in requested",
  "checklist.card.decided": "Document reviewed",
  "checklist.post.decided": "Post reviewed",
};

export const eventChoices = EVENT_NAMES.map((value) => ({ value, label: EVENT_LABELS[value], hint: value }));

/** The label of an event, with its API name below. */
export function EventLabel({ name }: { name: string }) {
  if (!isEventName(name))
    return (
      <code>
        <Address text={name} />
      </code>
    );
  return (
    <>
      {EVENT_LABELS[name]}
      <br />
      <code class="quiet">{name}</code>
    </>
  );
}

/** An endpoint, which is never cut. */
export function Url({ of }: { of: string }) {
  return (
    <code>
      <Address text={of} />
    </code>
  );
}

interface SuspendedProps {
  reason: string | null;
  /** How deliveries resume. */
  children: ComponentChildren;
}

/** An endpoint that gets nothing any more. The reason names a time and an error of the API. */
export function Suspended({ reason, children }: SuspendedProps) {
  const [, since, error = ""] = /^Every delivery has failed since (\S+): (\w+)\.$/.exec(reason ?? "") ?? [];
  return (
    <>
      <Status of="suspended" />
      <p class="hint">
        {since === undefined ? (
          reason
        ) : (
          <>
            Every delivery failed, starting <Time at={since} />. Last error: {deliveryOutcome(error)}.
          </>
        )}{" "}
        {children}
      </p>
    </>
  );
}

const TABS = [
  { name: "Webhooks", path: "/events" },
  { name: "Agent subscriptions", path: "/events/subscriptions" },
  { name: "Deliveries", path: "/events/deliveries" },
];

export function EventTabs() {
  return <Tabs label="Webhooks" tabs={TABS} />;
}
