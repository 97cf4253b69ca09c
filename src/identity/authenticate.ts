import { createHash, randomBytes } from "node:crypto";
import type { KeyActor } from "../core/actor.ts";
import { problem } from "../core/problem.ts";
import { type Clock, MINUTE_MS } from "../lib/time.ts";
import type { Store } from "../store/store.ts";
import type { AuthLog } from "./auth-log.ts";

/** `ros_live_` and 256 random bits in URL-safe base64. */
const SHAPE = /^ros_live_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 14;

export interface MintedKey {
  /** Shown once, to whoever made it; never stored. */
  key: string;
  hash: Buffer;
  prefix: string;
}

export function mintKey(): MintedKey {
  const key = `ros_live_${randomBytes(32).toString("base64url")}`;
  return { key, hash: hashKey(key), prefix: displayPrefix(key) };
}

export function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** The part of a key that may be shown and logged. */
function displayPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/** The key of an Authorization header; undefined where there is none or it is not shaped like a key. */
function bearerKey(authorization: string | undefined): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  return token !== undefined && SHAPE.test(token) ? token : undefined;
}

/** A key's last use is known to the minute: to write each one down would keep the disk busy for nothing. */
const USED_AGAIN_MS = MINUTE_MS;

/** What came with a request: the header as sent, and where it came from and went. */
export interface Credential {
  authorization: string | undefined;
  /** Asked for only when it is written down: to work it out behind proxies costs something. */
  address: () => string | undefined;
  /** Method and path, for the trail. */
  route: string;
}

export type Authenticate = (credential: Credential) => Promise<KeyActor>;

/**
 * Finds the holder of an API key. Nothing is cached: a revoked or expired key is refused at its next use.
 *
 * @throws Problem missing_key, invalid_key, revoked_key or expired_key
 */
export function createAuthenticate(store: Store, trail: AuthLog, clock: Clock): Authenticate {
  return async (credential) => {
    const key = bearerKey(credential.authorization);
    if (key === undefined) {
      trail.refused({ code: "missing_key", credential, keyPrefix: null, workspaceId: null });
      throw problem("missing_key", "Send your API key as Authorization: Bearer ros_live_….");
    }
    const found = await store.findKey(hashKey(key));
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
      trail.refused({
        code: refusal,
        credential,
        keyPrefix: displayPrefix(key),
        workspaceId: found?.workspaceId ?? null,
      });
      throw problem(refusal, MENDS[refusal]);
    }
    if (now - (found.lastUsedAt ?? 0) >= USED_AGAIN_MS) trail.used(found.id, now);
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

const MENDS = {
  invalid_key: "This API key matches none. Check that it was copied whole, or have a new one made.",
  revoked_key: "This API key was revoked. Have a new one made.",
  expired_key: "This API key has expired. Have a new one made.",
} as const;
