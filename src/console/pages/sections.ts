import type { OperationName } from "../app/operations.ts";
import type { PageContext } from "../app/page-context.ts";
import type { IconName } from "../ui/basics.tsx";

/** A place in the left rail. */
export interface SidebarSection {
  name: string;
  path: `/${string}`;
  /** After `g`. */
  key: string;
  icon: IconName;
  /** Whether a phone's bar has it; the rest lies behind More. */
  inBar?: true;
  /** Whoever may not call this is not shown the room. */
  needs: OperationName;
  /** Whether its pages without a name in their path stand beside each other, by tabs. */
  tabs?: true;
  /** How much waits here for a person: stands beside the name, and stays true while the page is open. */
  count?(ask: Pick<PageContext, "call">): Promise<number>;
}

export const SIDEBAR_SECTIONS: readonly SidebarSection[] = [
  { name: "Today", path: "/", key: "t", icon: "today", needs: "get_workspace", inBar: true },
  {
    ...{ name: "Review", path: "/review", key: "r", icon: "review", needs: "list_review", inBar: true },
    count: async ({ call }) => (await call("list_review", { limit: 1 })).meta.total,
  },
  { name: "Contacts", path: "/contacts", key: "c", icon: "contacts", needs: "list_contacts", inBar: true },
  { name: "Accounts", path: "/accounts", key: "a", icon: "accounts", needs: "list_accounts" },
  { name: "Deals", path: "/deals", key: "d", icon: "deals", needs: "list_deals" },
  { name: "Sequences", path: "/sequences", key: "s", icon: "sequences", needs: "list_sequences" },
  { name: "Checklist", path: "/checklist", key: "k", icon: "checklist", needs: "list_checklist_items", tabs: true },
  { name: "Agents", path: "/agents", key: "n", icon: "agents", needs: "list_socialnet_accounts", inBar: true },
  { name: "Events", path: "/events", key: "e", icon: "events", needs: "list_webhooks", tabs: true },
  { name: "Audit", path: "/audit", key: "u", icon: "audit", needs: "list_audit", tabs: true },
  { name: "Settings", path: "/settings", key: "o", icon: "settings", needs: "list_members", tabs: true },
];
