/** @jsxRuntime automatic @jsxImportSource preact */
import { Tabs } from "../../parts/basics.tsx";

const TABS = [
  { name: "Board", path: "/checklist" },
  { name: "Due now", path: "/checklist/due" },
  { name: "Posts", path: "/checklist/posts" },
];

export function ChecklistTabs() {
  return <Tabs label="Checklist" tabs={TABS} />;
}
