import { and, count, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Scope } from "../../domain/access/roles.ts";
import type { KeyCredential, KeyRow, Keys, MintedBy } from "../access.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { apiKeys as k } from "../sql/schema/index.ts";

const p = sql.placeholder;

const LISTED = {
  id: k.id,
  name: k.name,
  prefix: k.prefix,
  scopes: k.scopes,
  creator: k.creator,
  creatorId: k.creatorId,
  createdAt: k.createdAt,
  lastUsedAt: k.lastUsedAt,
  expiresAt: k.expiresAt,
  revokedAt: k.revokedAt,
  connectorName: k.connectorName,
  socialnetAccountId: k.socialnetAccountId,
};

/** The one statement of authentication, past drizzle's mapping of rows: every call begins with it. */
export function prepareKeyLookup(db: Drizzle) {
  const statement = db.$client.prepare<[Buffer], Omit<KeyCredential, "scopes"> & { scopes: string }>(
    `SELECT id, name, prefix, workspace_id AS workspaceId, scopes, expires_at AS expiresAt, revoked_at AS revokedAt,
       last_used_at AS lastUsedAt, socialnet_account_id AS socialnetAccountId
     FROM api_keys WHERE hash = ?`,
  );
  return (hash: Buffer): KeyCredential | undefined => {
    const row = statement.get(hash);
    return row && { ...row, scopes: JSON.parse(row.scopes) as Scope[] };
  };
}

export function prepareKeys(db: Drizzle) {
  const mine = eq(k.workspaceId, p("workspaceId"));
  const listOf = (minted?: SQL) => ({
    page: db
      .select(LISTED)
      .from(k)
      .where(and(mine, minted))
      .orderBy(desc(k.createdAt), desc(k.id))
      .limit(p("limit"))
      .offset(p("offset"))
      .prepare(),
    total: db.select({ total: count() }).from(k).where(and(mine, minted)).prepare(),
  });
  return {
    db,
    list: {
      all: listOf(),
      settings: listOf(isNull(k.connectorName)),
      sign_in: listOf(isNotNull(k.connectorName)),
    },
    find: db
      .select(LISTED)
      .from(k)
      .where(and(eq(k.id, p("id")), mine))
      .prepare(),
    revoke: db
      .update(k)
      .set({ revokedAt: p("now") as never })
      .where(and(eq(k.id, p("id")), mine, isNull(k.revokedAt)))
      .prepare(),
  };
}

export class SqliteKeys implements Keys {
  readonly #s: ReturnType<typeof prepareKeys>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareKeys>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(key: KeyRow, hash: Buffer): Promise<void> {
    this.#s.db
      .insert(k)
      .values({ ...key, hash, workspaceId: this.#workspaceId })
      .run();
  }

  async list(page: Page, mintedBy?: MintedBy): Promise<{ rows: KeyRow[]; total: number }> {
    const listed = this.#s.list[mintedBy ?? "all"];
    const rows = listed.page.all({ ...page, workspaceId: this.#workspaceId });
    return {
      rows: rows.map((row) => ({ ...row, scopes: row.scopes as Scope[] })),
      total: listed.total.get({ workspaceId: this.#workspaceId })?.total ?? 0,
    };
  }

  async find(id: string): Promise<KeyRow | undefined> {
    const row = this.#s.find.get({ id, workspaceId: this.#workspaceId });
    return row && { ...row, scopes: row.scopes as Scope[] };
  }

  async revoke(id: string, now: number): Promise<boolean> {
    return this.#s.revoke.run({ id, now, workspaceId: this.#workspaceId }).changes === 1;
  }
}
