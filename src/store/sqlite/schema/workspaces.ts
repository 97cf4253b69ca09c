import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Window } from "../../../domain/time/calendar.ts";

export const workspaces = sqliteTable(
  "workspaces",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    createdAt: integer().notNull(),
    plan: text().notNull().default("self_hosted"),
    contactAllowance: integer(),
    socialnetAllowance: integer(),
    billingState: text({ enum: ["active", "trial", "financed", "delinquent"] })
      .notNull()
      .default("active"),
    billingEndsAt: integer(),
    pausedAt: integer(),
    pauseReason: text(),
    timeZone: text().notNull().default("UTC"),
    sendingWindows: text({ mode: "json" }).$type<Window[]>(),
    dailyCap: integer(),
    senderName: text(),
    /** When the latest assessment of the checklist began, and with which catalog; 0 and empty before the first. */
    checklistAssessedAt: integer().notNull().default(0),
    checklistCatalog: text().notNull().default(""),
  },
  (t) => [index("workspaces_assessed").on(t.checklistCatalog, t.checklistAssessedAt)],
);

/** The column by which every row of a tenant names it. */
export const workspaceId = () =>
  text()
    .notNull()
    .references(() => workspaces.id);
