import type { KeyActor } from "../core/actor.ts";
import { keyRefusal } from "../core/policy.ts";
import { problem } from "../core/problem.ts";
import { hashSecret, keyFault, keyPrefix } from "../lib/secrets.ts";
import type { Clock } from "../lib/time.ts";
import type { AuthLog } from "../services/access/auth-log.ts";
import type { Store } from "../store/store.ts";

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
      throw problem("missing_key", credential.authorization === undefined ? NO_KEY : NOT_A_KEY);
    }
    const found = await store.findKey(hashSecret(key));
    const refused = keyRefusal(found, clock.now());
    if (refused !== undefined || found === undefined) {
      const { code = "invalid_key", refusal } = refused ?? {};
      authLog.refused({ code, credential, keyPrefix: keyPrefix(key), workspaceId: found?.workspaceId ?? null });
      const fault = found === undefined ? keyFault(key) : undefined;
      throw fault === undefined ? refusal : problem("invalid_key", fault);
    }
    return {
      kind: "key",
      id: found.id,
      name: found.name,
      prefix: found.prefix,
      workspaceId: found.workspaceId,
      scopes: found.scopes,
      socialnetAccountId: found.socialnetAccountId,
    };
  };
}

const NO_KEY = "Send your API key as Authorization: Bearer ros_live_….";
const NOT_A_KEY =
  "The Authorization header has no API key. A key begins with ros_live_. Send Authorization: Bearer ros_live_….";

/** The key of an Authorization header. Undefined if there is none, or if it does not begin as keys do. */
function bearerKey(authorization: string | undefined): string | undefined {
  return /^[Bb][Ee][Aa][Rr][Ee][Rr] +(ros_live_\S*) *$/.exec(authorization ?? "")?.[1];
}
