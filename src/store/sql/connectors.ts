import type { Scope } from "../../domain/access/roles.ts";
import type { Clients, Connectors, Grant, KeyRow, RegisteredClient } from "../access.ts";
import { PRUNE_BATCH } from "./housekeeping.ts";
import { acrossWorkspaces, type Db, type Params } from "./statement.ts";

const GRANT = `key_id AS keyId, member_id AS memberId, client_id AS clientId, connector_name AS connectorName,
  redirect_uri AS redirectUri, resource, challenge, socialnet_account_id AS socialnetAccountId, created_at AS createdAt,
  expires_at AS expiresAt`;
const KEY = `id, name, prefix, scopes, creator, created_at AS createdAt, last_used_at AS lastUsedAt,
  expires_at AS expiresAt, connector_name AS connectorName, socialnet_account_id AS socialnetAccountId`;

export function connectors(db: Db): (workspaceId: string) => Connectors {
  const noteUse = db.sql("UPDATE oauth_clients SET used_at = @createdAt WHERE id = @clientId");
  const approve = db.sql(
    `INSERT INTO oauth_codes (hash, workspace_id, member_id, key_id, client_id, connector_name, redirect_uri, resource,
       challenge, socialnet_account_id, created_at, expires_at)
     VALUES (@hash, @workspaceId, @memberId, @keyId, @clientId, @connectorName, @redirectUri, @resource, @challenge,
       @socialnetAccountId, @createdAt, @expiresAt)`,
  );
  const take = db.sql<Params, Grant>(
    `DELETE FROM oauth_codes WHERE hash = @hash AND workspace_id = @workspaceId RETURNING ${GRANT}`,
  );
  const minted = db.sql(
    `INSERT INTO oauth_grants (key_id, workspace_id, member_id, client_id, code_hash, created_at)
     VALUES (@keyId, @workspaceId, @memberId, @clientId, @hash, @createdAt)`,
  );
  const keyOf = db.value<Params, string>(
    "SELECT key_id FROM oauth_grants WHERE code_hash = @hash AND workspace_id = @workspaceId",
  );
  const clientOf = db.value<Params, string>(
    "SELECT client_id FROM oauth_grants WHERE key_id = @keyId AND workspace_id = @workspaceId",
  );
  const ofAccount = "(@accountId IS NULL OR socialnet_account_id = @accountId)";
  const deleteCodes = db.sql(
    `DELETE FROM oauth_codes WHERE member_id = @memberId AND workspace_id = @workspaceId AND ${ofAccount}`,
  );
  const revokeKeys = db.sql<Params, Omit<KeyRow, "scopes" | "revokedAt"> & { scopes: string }>(
    `UPDATE api_keys SET revoked_at = @now WHERE revoked_at IS NULL AND ${ofAccount} AND id IN (
       SELECT key_id FROM oauth_grants WHERE member_id = @memberId AND workspace_id = @workspaceId) RETURNING ${KEY}`,
  );

  return (workspaceId) => ({
    async approve(grant, hash, registered) {
      if (registered && (await noteUse.run(grant as unknown as Params)).changes === 0) return false;
      await approve.run({ ...grant, hash, workspaceId });
      return true;
    },
    async take(hash) {
      return take.get({ hash, workspaceId });
    },
    async minted(grant, hash) {
      await minted.run({ ...grant, hash, workspaceId });
    },
    async keyOf(hash) {
      return keyOf.get({ hash, workspaceId });
    },
    async clientOf(keyId) {
      return clientOf.get({ keyId, workspaceId });
    },
    async endOf(memberId, now, accountId) {
      const of = { memberId, accountId: accountId ?? null, workspaceId };
      await deleteCodes.run(of);
      const revoked = await revokeKeys.all({ ...of, now });
      return revoked.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as Scope[], revokedAt: null }));
    },
  });
}

export const clients = acrossWorkspaces<Clients>({ durable: ["pruneClients"], alone: ["register"] }, (db) => {
  const find = db.sql<{ id: string }, Omit<RegisteredClient, "redirectUris"> & { redirectUris: string }>(
    "SELECT id, name, redirect_uris AS redirectUris, created_at AS createdAt FROM oauth_clients WHERE id = @id",
  );
  const workspaceOf = db.value<{ hash: Buffer }, string>(
    `SELECT workspace_id FROM oauth_codes WHERE hash = @hash
     UNION ALL SELECT workspace_id FROM oauth_grants WHERE code_hash = @hash`,
  );
  const register = db.sql(
    `INSERT INTO oauth_clients (id, name, redirect_uris, created_at) SELECT @id, @name, @redirectUris, @createdAt
     WHERE (SELECT count(*) FROM oauth_clients WHERE used_at IS NULL) < @most`,
  );
  const pruneCodes = db.sql("DELETE FROM oauth_codes WHERE expires_at <= @now");
  const pruneUnused = db.sql("DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at <= @unused");
  const pruneGrants = db.sql(
    `DELETE FROM oauth_grants WHERE key_id IN (
       SELECT g.key_id FROM api_keys k ${db.dialect.joinInOrder} oauth_grants g ON g.key_id = k.id
       WHERE k.revoked_at <= @revoked LIMIT ${PRUNE_BATCH})`,
  );
  const pruneUsed = db.sql(
    `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients c WHERE c.used_at <= @revoked
       AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.client_id = c.id) LIMIT ${PRUNE_BATCH})`,
  );
  return {
    async find(id) {
      const row = await find.get({ id });
      return row && { ...row, redirectUris: JSON.parse(row.redirectUris) as string[] };
    },
    async workspaceOf(hash) {
      return workspaceOf.get({ hash });
    },
    async register({ redirectUris, ...client }, most) {
      return (await register.run({ ...client, redirectUris: JSON.stringify(redirectUris), most })).changes === 1;
    },
    async pruneClients(before) {
      for (const prune of [pruneCodes, pruneUnused, pruneGrants, pruneUsed]) await prune.run(before);
    },
  };
});
