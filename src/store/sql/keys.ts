import { and, desc, eq, getTableColumns, isNotNull, isNull, sql } from "drizzle-orm";
import type { Scope } from "../../domain/access/roles.ts";
import type { KeyCredential, Keys } from "../access.ts";
import { list } from "./lists.ts";
import { apiKeys as k } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

const { workspaceId: _, hash: __, ...LISTED } = getTableColumns(k);

/** The lookup that every call begins with: past drizzle's mapping of rows. */
export function findKey(db: Db): (hash: Buffer) => Promise<KeyCredential | undefined> {
  const find = db.sql<{ hash: Buffer }, Omit<KeyCredential, "scopes"> & { scopes: string }>(
    `SELECT id, name, prefix, workspace_id AS workspaceId, scopes, expires_at AS expiresAt, revoked_at AS revokedAt,
       last_used_at AS lastUsedAt, socialnet_account_id AS socialnetAccountId
     FROM api_keys WHERE hash = @hash`,
  );
  return async (hash) => {
    const row = await find.get({ hash });
    return row && { ...row, scopes: JSON.parse(row.scopes) as Scope[] };
  };
}

export function keys(db: Db): (workspaceId: string) => Keys {
  const { orm } = db;
  const mine = eq(k.workspaceId, p("workspaceId"));
  const one = and(eq(k.id, p("id")), mine);
  const newest = [desc(k.createdAt), desc(k.id)];
  const lists = {
    all: list(db, LISTED, k, mine, ...newest),
    settings: list(db, LISTED, k, and(mine, isNull(k.connectorName)), ...newest),
    sign_in: list(db, LISTED, k, and(mine, isNotNull(k.connectorName)), ...newest),
  };
  const insert = db.query(orm.insert(k).values(newRow(k)));
  const find = db.query(orm.select(LISTED).from(k).where(one));
  const revoke = db.query(
    orm
      .update(k)
      .set(placeholders("revokedAt"))
      .where(and(one, isNull(k.revokedAt))),
  );

  return (workspaceId) => ({
    async insert(key, hash) {
      await insert.run({ ...key, hash, workspaceId });
    },
    list: (page, mintedBy) => lists[mintedBy ?? "all"]({ workspaceId }, page),
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async revoke(id, now) {
      return (await revoke.run({ id, revokedAt: now, workspaceId })).changes === 1;
    },
  });
}
