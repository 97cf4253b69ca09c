import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * How many rows the long lists of a workspace have, which triggers keep: an exact total is then a small sum, where
 * counting walks every row. `list` is the table, and `part` what it is filtered by beside the status: the sequence of
 * enrollments and sends, the account of social actions, nothing of deals.
 */
export const listCounts = sqliteTable(
  "list_counts",
  {
    workspaceId: text().notNull(),
    list: text().notNull(),
    part: text().notNull(),
    status: text().notNull(),
    total: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.list, t.part, t.status] })],
);
