/** @jsxRuntime automatic @jsxImportSource preact */
import { Tabs } from "../../parts/basics.tsx";
import { useVisit } from "../../visit.ts";

export function SettingsTabs() {
  const { may } = useVisit();
  const tabs = [
    { name: "Members", path: "/settings" },
    ...(may("list_keys") ? [{ name: "API keys", path: "/settings/keys" }] : []),
    { name: "Workspace", path: "/settings/workspace" },
    { name: "Brand voice", path: "/settings/brand" },
    { name: "Profile facts", path: "/settings/profile" },
    { name: "Connections", path: "/settings/connections" },
  ];
  return <Tabs label="Settings" tabs={tabs} />;
}
