import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { apiKeys, members } from "./people.ts";
import { workspaceId } from "./workspaces.ts";

/** MCP clients that registered themselves; they belong to no workspace. */
export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    redirectUris: text({ mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer().notNull(),
    /** When somebody last approved something for it. */
    usedAt: integer(),
  },
  (t) => [
    index("oauth_clients_unused").on(t.createdAt).where(sql`used_at IS NULL`),
    index("oauth_clients_used").on(t.usedAt).where(sql`used_at IS NOT NULL`),
  ],
);

/** Codes that are on their way: only what they hash to is kept, and using one deletes it. */
export const oauthCodes = sqliteTable(
  "oauth_codes",
  {
    id: integer().primaryKey(),
    hash: blob({ mode: "buffer" }).notNull(),
    workspaceId: workspaceId(),
    memberId: text()
      .notNull()
      .references(() => members.id),
    /** The id that the key will have. */
    keyId: text().notNull(),
    clientId: text().notNull(),
    connectorName: text().notNull(),
    redirectUri: text().notNull(),
    resource: text().notNull(),
    challenge: text().notNull(),
    socialnetAccountId: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("oauth_codes_hash").on(t.hash),
    index("oauth_codes_expiry").on(t.expiresAt),
    index("oauth_codes_member").on(t.memberId),
  ],
);

/** Which client a key was minted for, on whose word, and by which code: a code that comes again ends its key. */
export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    keyId: text()
      .primaryKey()
      .references(() => apiKeys.id),
    workspaceId: workspaceId(),
    memberId: text()
      .notNull()
      .references(() => members.id),
    clientId: text().notNull(),
    codeHash: blob({ mode: "buffer" }).notNull(),
    createdAt: integer().notNull(),
  },
  (t) => [
    uniqueIndex("oauth_grants_code").on(t.codeHash),
    index("oauth_grants_member").on(t.memberId),
    index("oauth_grants_client").on(t.clientId),
  ],
);
