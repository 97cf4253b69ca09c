/** @jsxRuntime automatic @jsxImportSource preact */
import { Tabs } from "../../parts/basics.tsx";

const TABS = [
  { name: "Changes", path: "/audit" },
  { name: "Sign-ins and refusals", path: "/audit/sign-ins" },
];

export function AuditTabs() {
  return <Tabs label="Audit" tabs={TABS} />;
}
