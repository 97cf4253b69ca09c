import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { json } from "../statement.ts";

/** A rowid table on purpose: a text key WITHOUT ROWID doubles the cost of the write. */
export const answers = sqliteTable(
  "answers",
  {
    id: integer().primaryKey(),
    hash: blob({ mode: "buffer" }).notNull(),
    status: integer().notNull(),
    body: text().notNull(),
    createdAt: integer().notNull(),
  },
  (t) => [uniqueIndex("answers_hash").on(t.hash)],
);

export const operationLog = sqliteTable("operation_log", {
  id: integer().primaryKey(),
  workspaceId: text().notNull(),
  at: integer().notNull(),
  operation: text().notNull(),
  surface: text().notNull(),
  actorKind: text().notNull(),
  actorId: text().notNull(),
  recordId: text(),
  requestId: text().notNull(),
});

export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer().primaryKey(),
    workspaceId: text().notNull(),
    at: integer().notNull(),
    action: text().notNull(),
    actorKind: text().notNull(),
    actorId: text().notNull(),
    recordId: text().notNull(),
    before: json<Record<string, unknown>>(),
    after: json<Record<string, unknown>>(),
  },
  (t) => [
    index("audit_log_recent").on(t.workspaceId, t.at, t.id, t.action),
    index("audit_log_action").on(t.workspaceId, t.action, t.at),
    index("audit_log_actor").on(t.workspaceId, t.actorId, t.at),
    index("audit_log_record").on(t.workspaceId, t.recordId),
  ],
);

export const authEvents = sqliteTable(
  "auth_events",
  {
    id: integer().primaryKey(),
    workspaceId: text(),
    at: integer().notNull(),
    code: text().notNull(),
    keyPrefix: text(),
    memberId: text(),
    address: text(),
    route: text().notNull(),
    /** How many events the row represents. */
    count: integer().notNull().default(1),
  },
  (t) => [index("auth_events_workspace").on(t.workspaceId), index("auth_events_code").on(t.workspaceId, t.code)],
);
