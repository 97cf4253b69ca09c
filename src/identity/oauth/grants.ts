import { createHash, timingSafeEqual } from "node:crypto";
import type { AsSystem, Context } from "../../core/context.ts";
import { CONNECTOR_SCOPES } from "../../domain/access/oauth.ts";
import { revokeKey } from "../../services/access/keys.ts";
import type { Grant } from "../../store/access.ts";
import type { Store } from "../../store/store.ts";
import { hashKey, mintKey } from "../authenticate.ts";
import { hashSecret } from "../links.ts";

/** What a client brings to have its key. */
export interface Redemption {
  code: string;
  verifier: string;
  clientId: string;
  redirectUri: string;
  resource: string;
}

export type Revocation = "revoked" | "unknown" | "of_another";

/** Codes become keys, and keys of clients end. */
export function createGrants({ store, asSystem }: { store: Store; asSystem: AsSystem }) {
  return {
    /** The key; undefined where the code, or anything that came with it, does not hold. */
    async redeem(given: Redemption): Promise<string | undefined> {
      const hash = hashSecret(given.code);
      const workspaceId = await store.clients.workspaceOf(hash);
      if (workspaceId === undefined) return undefined;
      // Nothing is thrown in here: a code is used up and a replay has ended its key, whatever is answered.
      return asSystem(workspaceId, "redeem_code", async (ctx) => {
        const { connectors } = ctx.store;
        const grant = await connectors.take(hash);
        if (grant === undefined) {
          const keyId = await connectors.keyOf(hash);
          if (keyId !== undefined) await revokeKey(ctx, keyId);
          return undefined;
        }
        const approver = await ctx.store.members.find(grant.memberId);
        // Between the approval and now the approver may have lost the right to it.
        if (approver?.approveOutbound !== true || !holds(grant, given, ctx.now)) return undefined;
        return mint(ctx, grant, { hash, creator: approver.name });
      });
    },

    async revoke(token: string, clientId: string): Promise<Revocation> {
      const key = await store.findKey(hashKey(token));
      if (key === undefined) return "unknown";
      if ((await store.read(key.workspaceId).connectors.clientOf(key.id)) !== clientId) return "of_another";
      await asSystem(key.workspaceId, "revoke_token", (ctx) => revokeKey(ctx, key.id));
      return "revoked";
    },
  };
}

export type Grants = ReturnType<typeof createGrants>;

/** Whether the code is brought in time, and by whom it was given to. */
function holds(grant: Grant, given: Redemption, now: number): boolean {
  if (grant.expiresAt <= now || grant.clientId !== given.clientId) return false;
  if (grant.redirectUri !== given.redirectUri || grant.resource !== given.resource) return false;
  const digest = createHash("sha256").update(given.verifier).digest();
  const challenge = Buffer.from(grant.challenge, "base64url");
  return digest.length === challenge.length && timingSafeEqual(digest, challenge);
}

async function mint(ctx: Context, grant: Grant, code: { hash: Buffer; creator: string }): Promise<string> {
  const { key, hash, prefix } = mintKey();
  const row = {
    ...{ id: grant.keyId, name: grant.connectorName, prefix, scopes: [...CONNECTOR_SCOPES] },
    ...{
      creator: code.creator,
      creatorId: grant.memberId,
      createdAt: ctx.now,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    },
    ...{ connectorName: grant.connectorName, socialnetAccountId: grant.socialnetAccountId },
  };
  await ctx.store.keys.insert(row, hash);
  await ctx.store.connectors.minted({ ...grant, createdAt: ctx.now }, code.hash);
  return key;
}
