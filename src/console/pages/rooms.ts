import type { OperationName } from "../answers.ts";
import type { IconName } from "../parts/icon.tsx";

/** A place in the left rail. */
export interface Room {
  name: string;
  path: `/${string}`;
  /** After `g`. */
  key: string;
  icon: IconName;
  /** Whoever may not call this is not shown the room. */
  needs: OperationName;
}

export const ROOMS: readonly Room[] = [
  { name: "Today", path: "/", key: "t", icon: "today", needs: "get_workspace" },
  { name: "Contacts", path: "/contacts", key: "c", icon: "contacts", needs: "list_contacts" },
  { name: "Accounts", path: "/accounts", key: "a", icon: "accounts", needs: "list_accounts" },
  { name: "Deals", path: "/deals", key: "d", icon: "deals", needs: "list_deals" },
  { name: "Sequences", path: "/sequences", key: "s", icon: "sequences", needs: "list_sequences" },
  { name: "Agents", path: "/agents", key: "n", icon: "agents", needs: "list_socialnet_accounts" },
  { name: "Events", path: "/events", key: "e", icon: "events", needs: "list_webhooks" },
  { name: "Audit", path: "/audit", key: "u", icon: "audit", needs: "list_audit" },
  { name: "Settings", path: "/settings", key: "o", icon: "settings", needs: "list_members" },
];
