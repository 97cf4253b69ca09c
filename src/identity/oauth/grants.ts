import { createHash, timingSafeEqual } from "node:crypto";
import type { AsSystem, Context } from "../../core/context.ts";
import { CONNECTOR_SCOPES } from "../../domain/access/oauth.ts";
import { hashSecret, mintKey } from "../../lib/secrets.ts";
import { revokeKey } from "../../services/access/keys.ts";
import type { Grant } from "../../store/access.ts";
import type { Store } from "../../store/store.ts";

/** What a client sends to exchange its authorization code for a key. */
interface CodeExchange {
  code: string;
  verifier: string;
  clientId: string;
  redirectUri: string;
  resource: string;
  requestId: string;
}

type Revocation = "revoked" | "unknown" | "other_client";

interface Redeemed {
  key?: string;
  /** Of the key that was issued, or that a replay revoked. */
  keyId?: string;
}

/** The surface of these calls in the operation log. */
const SURFACE = "oauth";

/** Exchanges authorization codes for keys, and revokes those keys. */
export function createGrants({ store, asSystem }: { store: Store; asSystem: AsSystem }) {
  return {
    /** The new key; undefined if the code, or anything sent with it, is not valid. */
    async exchange(given: CodeExchange): Promise<string | undefined> {
      const hash = hashSecret(given.code);
      const workspaceId = await store.clients.workspaceOf(hash);
      if (workspaceId === undefined) return undefined;
      // Nothing throws in here, so that the write commits: the code is used up, and a replay revokes its key.
      const redeem = async (ctx: Context): Promise<Redeemed> => {
        const { connectors } = ctx.store;
        const grant = await connectors.take(hash);
        if (grant === undefined) {
          const keyId = await connectors.keyOf(hash);
          if (keyId === undefined) return {};
          await revokeKey(ctx, keyId);
          return { keyId };
        }
        const approver = await ctx.store.members.find(grant.memberId);
        // The approver may have lost the permission since the approval.
        if (approver?.approveOutbound !== true || !isValid(grant, given, ctx.now)) return {};
        return { key: await issueKey(ctx, grant, { hash, creator: approver.name }), keyId: grant.keyId };
      };
      const outside = { surface: SURFACE, requestId: given.requestId, recordOf: ({ keyId }: Redeemed) => keyId };
      return (await asSystem(workspaceId, "redeem_code", redeem, outside)).key;
    },

    async revoke(token: string, clientId: string, requestId: string): Promise<Revocation> {
      const key = await store.findKey(hashSecret(token));
      if (key === undefined) return "unknown";
      if ((await store.read(key.workspaceId).connectors.clientOf(key.id)) !== clientId) return "other_client";
      const outside = { surface: SURFACE, requestId, recordOf: () => key.id };
      await asSystem(key.workspaceId, "revoke_token", (ctx) => revokeKey(ctx, key.id), outside);
      return "revoked";
    },
  };
}

export type Grants = ReturnType<typeof createGrants>;

/** Whether the code is in time, and was sent by the client that it was issued to. */
function isValid(grant: Grant, given: CodeExchange, now: number): boolean {
  if (grant.expiresAt <= now || grant.clientId !== given.clientId) return false;
  if (grant.redirectUri !== given.redirectUri || grant.resource !== given.resource) return false;
  const digest = createHash("sha256").update(given.verifier).digest();
  const challenge = Buffer.from(grant.challenge, "base64url");
  return digest.length === challenge.length && timingSafeEqual(digest, challenge);
}

async function issueKey(ctx: Context, grant: Grant, code: { hash: Buffer; creator: string }): Promise<string> {
  const { key, hash, prefix } = mintKey();
  const row = {
    id: grant.keyId,
    name: grant.connectorName,
    prefix,
    scopes: [...CONNECTOR_SCOPES],
    creator: code.creator,
    creatorId: grant.memberId,
    createdAt: ctx.now,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    connectorName: grant.connectorName,
    socialnetAccountId: grant.socialnetAccountId,
  };
  await ctx.store.keys.insert(row, hash);
  await ctx.store.connectors.minted({ ...grant, createdAt: ctx.now }, code.hash);
  return key;
}
