/** @jsxRuntime automatic @jsxImportSource preact */
import { Tabs } from "../../parts/basics.tsx";

const TABS = [
  { name: "Webhooks", path: "/events" },
  { name: "Agents' subscriptions", path: "/events/subscriptions" },
  { name: "Deliveries", path: "/events/deliveries" },
];

export function EventTabs() {
  return <Tabs label="Events" tabs={TABS} />;
}
