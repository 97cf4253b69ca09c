import type { SidebarSection, WorkspaceStatus } from "../app/sidebar.ts";

/** The conversations that need an answer of this member: unassigned ones, and the member's own. */
function toAnswer({ open_conversations }: WorkspaceStatus, memberId: string): number {
  const own = open_conversations.filter(({ assignee_id: id }) => id === null || id === memberId);
  return own.reduce((sum, { count }) => sum + count, 0);
}

/** The sections of the sidebar, in order. */
export const SIDEBAR_SECTIONS: readonly SidebarSection[] = [
  { name: "Today", path: "/", key: "t", icon: "today", needs: "get_workspace", inBar: true },
  {
    name: "Inbox",
    path: "/inbox",
    key: "i",
    icon: "inbox",
    needs: "list_conversations",
    inBar: true,
    count: toAnswer,
  },
  {
    name: "Review",
    path: "/review",
    key: "r",
    icon: "review",
    needs: "list_review",
    inBar: true,
    count: ({ needs_review }) => needs_review,
  },
  { name: "Contacts", path: "/contacts", key: "c", icon: "contacts", needs: "list_contacts", inBar: true },
  { name: "Companies", path: "/accounts", key: "a", icon: "accounts", needs: "list_accounts" },
  { name: "Deals", path: "/deals", key: "d", icon: "deals", needs: "list_deals" },
  { name: "Sequences", path: "/sequences", key: "s", icon: "sequences", needs: "list_sequences" },
  { name: "Checklist", path: "/checklist", key: "k", icon: "checklist", needs: "list_checklist_items", tabs: true },
  { name: "Agents", path: "/agents", key: "n", icon: "agents", needs: "list_socialnet_accounts", inBar: true },
  { name: "Webhooks", path: "/events", key: "e", icon: "events", needs: "list_webhooks", tabs: true },
  { name: "Audit log", path: "/audit", key: "u", icon: "audit", needs: "list_audit", tabs: true },
  { name: "Settings", path: "/settings", key: "o", icon: "settings", needs: "list_members", tabs: true },
];
