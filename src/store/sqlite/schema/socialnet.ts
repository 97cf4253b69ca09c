import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AutomationMode } from "../../../domain/socialnet-account.ts";
import type { Window } from "../../../domain/window.ts";
import { workspaceId } from "./workspaces.ts";

/** A sender on the social network. */
export const socialnetAccounts = sqliteTable(
  "socialnet_accounts",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    label: text().notNull(),
    profileUrl: text().notNull(),
    /** The form in which profile addresses are compared. */
    profileKey: text().notNull(),
    automationMode: text().$type<AutomationMode>().notNull(),
    timeZone: text().notNull(),
    windows: text({ mode: "json" }).$type<Window[]>().notNull(),
    dailyConnectionRequests: integer().notNull(),
    dailyMessages: integer().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (t) => [index("socialnet_accounts_workspace").on(t.workspaceId, t.createdAt)],
);

/** A person's wish that the owner of an account signs in again. At most one is open for an account. */
export const reconnectRequests = sqliteTable(
  "reconnect_requests",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    accountId: text()
      .notNull()
      .references(() => socialnetAccounts.id),
    requestedBy: text().notNull(),
    requestedAt: integer().notNull(),
    acknowledgedAt: integer(),
    resolvedAt: integer(),
  },
  (t) => [uniqueIndex("reconnect_requests_open").on(t.accountId).where(sql`resolved_at IS NULL`)],
);
