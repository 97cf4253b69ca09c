import type { Context } from "../../core/context.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { KeyRow } from "../../store/access.ts";

/** A key as settings and the audit show it. The key itself is not in it: only its hash is stored. */
export function toKey(row: KeyRow) {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    creator: row.creator,
    created_at: iso(row.createdAt),
    last_used_at: isoOrNull(row.lastUsedAt),
    expires_at: isoOrNull(row.expiresAt),
    revoked_at: isoOrNull(row.revokedAt),
    connector_name: row.connectorName,
    socialnet_account_id: row.socialnetAccountId,
  };
}

/** Revokes a key, which is refused from its next use on. @returns undefined where the workspace has no such key */
export async function revokeKey(ctx: Context, id: string): Promise<KeyRow | undefined> {
  const row = await ctx.store.keys.find(id);
  if (row === undefined || !(await ctx.store.keys.revoke(id, ctx.now))) return row;
  return recordRevocation(ctx, row);
}

/** A member who may no longer approve sends loses the clients that they connected: their keys, and codes in flight. */
export async function revokeConnectorsOf(ctx: Context, memberId: string): Promise<void> {
  for (const row of await ctx.store.connectors.endOf(memberId, ctx.now)) await recordRevocation(ctx, row);
}

/** An account has another owner: the clients that its owner before connected act for it no longer. */
export async function revokeConnectorsOfAccount(ctx: Context, accountId: string, ownerBefore: string): Promise<void> {
  const revoked = await ctx.store.connectors.endOf(ownerBefore, ctx.now, accountId);
  for (const row of revoked) await recordRevocation(ctx, row);
}

/** Every revocation is in the audit log, whatever caused it. */
async function recordRevocation(ctx: Context, row: KeyRow): Promise<KeyRow> {
  const revoked = { ...row, revokedAt: ctx.now };
  await ctx.audit({ recordId: row.id, before: toKey(row), after: toKey(revoked) });
  return revoked;
}
