import type { Database } from "better-sqlite3";
import type { Scope } from "../../domain/access/roles.ts";
import type { Clients, Connectors, Grant, KeyRow, RegisteredClient } from "../access.ts";

const GRANT = `key_id AS keyId, member_id AS memberId, client_id AS clientId, connector_name AS connectorName,
  redirect_uri AS redirectUri, resource, challenge, socialnet_account_id AS socialnetAccountId, created_at AS createdAt,
  expires_at AS expiresAt`;
const KEY = `id, name, prefix, scopes, creator, created_at AS createdAt, last_used_at AS lastUsedAt,
  expires_at AS expiresAt, connector_name AS connectorName, socialnet_account_id AS socialnetAccountId`;

/** Rows deleted at a time, so that keeping house never holds the writer for long. */
const PRUNE_BATCH = 500;

export function prepareConnectors(db: Database) {
  return {
    use: db.prepare<[number, string]>("UPDATE oauth_clients SET used_at = ? WHERE id = ?"),
    approve: db.prepare<[Grant & { hash: Buffer; workspaceId: string }]>(
      `INSERT INTO oauth_codes (hash, workspace_id, member_id, key_id, client_id, connector_name, redirect_uri, resource,
         challenge, socialnet_account_id, created_at, expires_at)
       VALUES (@hash, @workspaceId, @memberId, @keyId, @clientId, @connectorName, @redirectUri, @resource, @challenge,
         @socialnetAccountId, @createdAt, @expiresAt)`,
    ),
    take: db.prepare<[Buffer, string], Grant>(
      `DELETE FROM oauth_codes WHERE hash = ? AND workspace_id = ? RETURNING ${GRANT}`,
    ),
    minted: db.prepare<[Grant & { hash: Buffer; workspaceId: string }]>(
      `INSERT INTO oauth_grants (key_id, workspace_id, member_id, client_id, code_hash, created_at)
       VALUES (@keyId, @workspaceId, @memberId, @clientId, @hash, @createdAt)`,
    ),
    keyOf: db
      .prepare<[Buffer, string], string>("SELECT key_id FROM oauth_grants WHERE code_hash = ? AND workspace_id = ?")
      .pluck(),
    clientOf: db
      .prepare<[string, string], string>("SELECT client_id FROM oauth_grants WHERE key_id = ? AND workspace_id = ?")
      .pluck(),
    endCodes: db.prepare<[string, string]>("DELETE FROM oauth_codes WHERE member_id = ? AND workspace_id = ?"),
    endKeys: db.prepare<[number, string, string], Omit<KeyRow, "scopes" | "revokedAt"> & { scopes: string }>(
      `UPDATE api_keys SET revoked_at = ? WHERE revoked_at IS NULL AND id IN (
         SELECT key_id FROM oauth_grants WHERE member_id = ? AND workspace_id = ?) RETURNING ${KEY}`,
    ),
  };
}

export class SqliteConnectors implements Connectors {
  readonly #s: ReturnType<typeof prepareConnectors>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareConnectors>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async approve(grant: Grant, hash: Buffer, registered: boolean): Promise<boolean> {
    if (registered && this.#s.use.run(grant.createdAt, grant.clientId).changes === 0) return false;
    this.#s.approve.run({ ...grant, hash, workspaceId: this.#workspaceId });
    return true;
  }

  async take(hash: Buffer): Promise<Grant | undefined> {
    return this.#s.take.get(hash, this.#workspaceId);
  }

  async minted(grant: Grant, hash: Buffer): Promise<void> {
    this.#s.minted.run({ ...grant, hash, workspaceId: this.#workspaceId });
  }

  async keyOf(hash: Buffer): Promise<string | undefined> {
    return this.#s.keyOf.get(hash, this.#workspaceId);
  }

  async clientOf(keyId: string): Promise<string | undefined> {
    return this.#s.clientOf.get(keyId, this.#workspaceId);
  }

  async endOf(memberId: string, now: number): Promise<KeyRow[]> {
    this.#s.endCodes.run(memberId, this.#workspaceId);
    const ended = this.#s.endKeys.all(now, memberId, this.#workspaceId);
    return ended.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as Scope[], revokedAt: null }));
  }
}

type Reading = Pick<Clients, "find" | "workspaceOf">;

export function prepareClientsReader(db: Database): Reading {
  const find = db.prepare<[string], Omit<RegisteredClient, "redirectUris"> & { redirectUris: string }>(
    "SELECT id, name, redirect_uris AS redirectUris, created_at AS createdAt FROM oauth_clients WHERE id = ?",
  );
  const workspaceOf = db
    .prepare<[Buffer, Buffer], string>(
      `SELECT workspace_id FROM oauth_codes WHERE hash = ?
       UNION ALL SELECT workspace_id FROM oauth_grants WHERE code_hash = ?`,
    )
    .pluck();
  return {
    async find(id) {
      const row = find.get(id);
      return row && { ...row, redirectUris: JSON.parse(row.redirectUris) as string[] };
    },
    workspaceOf: async (hash) => workspaceOf.get(hash, hash),
  };
}

/** Each runs inside one job of the writer. */
export function prepareClients(db: Database) {
  const register = db.prepare<[Record<string, unknown>]>(
    `INSERT INTO oauth_clients (id, name, redirect_uris, created_at) SELECT @id, @name, @redirectUris, @createdAt
     WHERE (SELECT count(*) FROM oauth_clients WHERE used_at IS NULL) < @most`,
  );
  const pruneCodes = db.prepare<[number]>("DELETE FROM oauth_codes WHERE expires_at <= ?");
  const pruneUnused = db.prepare<[number]>("DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at <= ?");
  const pruneGrants = db.prepare<[number]>(
    `DELETE FROM oauth_grants WHERE key_id IN (
       SELECT g.key_id FROM api_keys k CROSS JOIN oauth_grants g ON g.key_id = k.id
       WHERE k.revoked_at <= ? LIMIT ${PRUNE_BATCH})`,
  );
  const pruneUsed = db.prepare<[number]>(
    `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients c WHERE c.used_at <= ?
       AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.client_id = c.id) LIMIT ${PRUNE_BATCH})`,
  );
  return {
    register: ({ redirectUris, ...client }: RegisteredClient, most: number): boolean =>
      register.run({ ...client, redirectUris: JSON.stringify(redirectUris), most }).changes === 1,
    pruneClients({ now, unused, revoked }: { now: number; unused: number; revoked: number }): void {
      pruneCodes.run(now);
      pruneUnused.run(unused);
      pruneGrants.run(revoked);
      pruneUsed.run(revoked);
    },
  };
}
