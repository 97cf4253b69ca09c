import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaceId } from "./workspaces.ts";

export const members = sqliteTable(
  "members",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    email: text().notNull(),
    emailKey: text().notNull(),
    name: text().notNull(),
    role: text({ enum: ["super_admin", "org_admin", "owner", "admin", "rep", "viewer"] }).notNull(),
    approveOutbound: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer().notNull(),
    removedAt: integer(),
  },
  (t) => [uniqueIndex("members_email").on(t.workspaceId, t.emailKey).where(sql`removed_at IS NULL`)],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    workspaceId: workspaceId(),
    name: text().notNull(),
    prefix: text().notNull(),
    hash: blob({ mode: "buffer" }).notNull(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    creator: text().notNull(),
    createdAt: integer().notNull(),
    lastUsedAt: integer(),
    expiresAt: integer(),
    revokedAt: integer(),
    connectorName: text(),
    socialnetAccountId: text(),
  },
  (t) => [
    uniqueIndex("api_keys_hash").on(t.hash),
    index("api_keys_workspace").on(t.workspaceId, t.createdAt),
    index("api_keys_revoked").on(t.revokedAt).where(sql`revoked_at IS NOT NULL`),
    index("api_keys_expiry").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
);
