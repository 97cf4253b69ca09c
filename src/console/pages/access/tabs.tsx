/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { Tabs } from "../../ui/basics.tsx";

export function SettingsTabs() {
  const { may } = usePageContext();
  const tabs = [
    { name: "Teammates", path: "/settings" },
    ...(may("list_keys") ? [{ name: "API keys", path: "/settings/keys" }] : []),
    { name: "Workspace", path: "/settings/workspace" },
    { name: "Brand voice", path: "/settings/brand" },
    { name: "Profile facts", path: "/settings/profile" },
    { name: "Channels", path: "/settings/connections" },
    ...(may("get_mail_settings") ? [{ name: "Email", path: "/settings/email" }] : []),
    ...(may("get_server") ? [{ name: "Server", path: "/settings/server" }] : []),
    ...(may("list_client_connections") ? [{ name: "Connection log", path: "/settings/client-connections" }] : []),
  ];
  return <Tabs label="Settings" tabs={tabs} />;
}

const TABS = [
  { name: "Changes", path: "/audit" },
  { name: "Sign-ins and refusals", path: "/audit/sign-ins" },
];

export function AuditTabs() {
  return <Tabs label="Audit log" tabs={TABS} />;
}
