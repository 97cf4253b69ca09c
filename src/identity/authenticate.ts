import type { KeyActor } from "../core/actor.ts";
import { problem } from "../core/problem.ts";
import { hashSecret, keyPrefix } from "../lib/secrets.ts";
import { type Clock, MINUTE_MS } from "../lib/time.ts";
import type { AuthLog } from "../services/access/auth-log.ts";
import type { Store } from "../store/store.ts";

/** A key's last use is stored at most once a minute, so that calls do not keep the disk busy. */
const USED_AGAIN_MS = MINUTE_MS;

/** What came with a request: the header as sent, and where it came from. */
interface Credential {
  authorization: string | undefined;
  /** Computed only if it is logged: behind proxies that costs something. */
  address: () => string | undefined;
  /** Method and path, for the auth log. */
  route: string;
}

export type Authenticate = (credential: Credential) => Promise<KeyActor>;

/**
 * Finds the holder of an API key. Nothing is cached: a revoked or expired key is refused at its next use.
 *
 * @throws Problem missing_key, invalid_key, revoked_key or expired_key
 */
export function createAuthenticate(store: Store, authLog: AuthLog, clock: Clock): Authenticate {
  return async (credential) => {
    const key = bearerKey(credential.authorization);
    if (key === undefined) {
      authLog.refused({ code: "missing_key", credential, keyPrefix: null, workspaceId: null });
      throw problem("missing_key", "Send your API key as Authorization: Bearer ros_live_….");
    }
    const found = await store.findKey(hashSecret(key));
    const now = clock.now();
    const code =
      found === undefined
        ? "invalid_key"
        : found.revokedAt !== null
          ? "revoked_key"
          : found.expiresAt !== null && found.expiresAt <= now
            ? "expired_key"
            : undefined;
    if (code !== undefined || found === undefined) {
      const refusal = code ?? "invalid_key";
      authLog.refused({
        code: refusal,
        credential,
        keyPrefix: keyPrefix(key),
        workspaceId: found?.workspaceId ?? null,
      });
      throw problem(refusal, REFUSALS[refusal]);
    }
    if (now - (found.lastUsedAt ?? 0) >= USED_AGAIN_MS) authLog.used(found.id, now);
    return {
      kind: "key",
      id: found.id,
      name: found.name,
      prefix: found.prefix,
      workspaceId: found.workspaceId,
      scopes: new Set(found.scopes),
      socialnetAccountId: found.socialnetAccountId,
    };
  };
}

const REFUSALS = {
  invalid_key: "This API key matches none. Check that it was copied whole, or have a new one made.",
  revoked_key: "This API key was revoked. Have a new one made.",
  expired_key: "This API key has expired. Have a new one made.",
} as const;

/** `ros_live_` and 256 random bits in URL-safe base64. */
const API_KEY = /^ros_live_[A-Za-z0-9_-]{43}$/;

/** The key of an Authorization header; undefined if there is none, or if it is not shaped like a key. */
function bearerKey(authorization: string | undefined): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  return token !== undefined && API_KEY.test(token) ? token : undefined;
}
