import { type Clock, MINUTE_MS } from "../../lib/time.ts";
import type { AuthEventRow } from "../../store/logs.ts";
import type { Store } from "../../store/store.ts";

/** What people do to sign in and out. The codes are on the wire. */
export type SignInEvent =
  | "signed_in"
  | "sign_in_failed"
  | "signed_out"
  | "password_set"
  | "reset_asked"
  | "reset_issued"
  | "invitation_refused";

/** Where a request came from, and its method and path without any token. */
export interface RequestSource {
  address: string | null | undefined;
  route: string;
}

interface LoggedSignIn extends RequestSource {
  code: SignInEvent;
  /** The person's memberships; empty if the address that was tried has no account. */
  of: readonly { workspaceId: string; memberId: string }[];
}

interface LoggedRefusal {
  code: "missing_key" | "invalid_key" | "revoked_key" | "expired_key" | "scope_denied";
  /** The address is computed only if it is logged: behind proxies that costs something. */
  credential: { address: () => string | undefined; route: string };
  keyPrefix: string | null;
  workspaceId: string | null;
}

/** Events buffered between two flushes. A flood beyond it is counted and not stored, so it cannot fill the disk. */
const MAX_BUFFERED_EVENTS = 200;
const MAX_ROUTE_LENGTH = 200;

/** A key's last use is stored at most once a minute, so that calls do not keep the disk busy. */
const USED_AGAIN_MS = MINUTE_MS;

/**
 * Records key use, refusals and sign-ins. Buffered in memory and written at most once a second, so that neither a call
 * nor an attacker's guess costs a disk sync.
 */
export class AuthLog {
  readonly #clock: Clock;
  #lastUsed = new Map<string, number>();
  /** When each key's use was last noted, for as long as this process runs. */
  readonly #noted = new Map<string, number>();
  #events: (AuthEventRow & { workspaceId: string | null })[] = [];
  /** Events lost to a full buffer. */
  dropped = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A call that a key was allowed. */
  used(keyId: string): void {
    const now = this.#clock.now();
    if (now - (this.#noted.get(keyId) ?? 0) < USED_AGAIN_MS) return;
    this.#noted.set(keyId, now);
    this.#lastUsed.set(keyId, now);
  }

  refused({ code, credential, keyPrefix, workspaceId }: LoggedRefusal): void {
    const { address, route } = credential;
    this.#push(() => ({ code, keyPrefix, workspaceId, memberId: null, address: address() ?? null, route }));
  }

  /** Each workspace of the person can read it. If the address has no account, only the operator can. */
  signInEvent({ code, address = null, route, of }: LoggedSignIn): void {
    const unknown = [{ workspaceId: null, memberId: null }];
    for (const membership of of.length === 0 ? unknown : of) {
      this.#push(() => ({ code, keyPrefix: null, ...membership, address, route }));
    }
  }

  #push(event: () => Omit<AuthEventRow, "at"> & { workspaceId: string | null }): void {
    if (this.#events.length >= MAX_BUFFERED_EVENTS) {
      this.dropped += 1;
      return;
    }
    const { route, ...rest } = event();
    this.#events.push({ ...rest, at: this.#clock.now(), route: route.slice(0, MAX_ROUTE_LENGTH) });
  }

  /** Writes the buffer. Best effort: entries that cannot be written are lost. */
  async flush(store: Store): Promise<void> {
    if (this.#lastUsed.size === 0 && this.#events.length === 0) return;
    const lastUsed = this.#lastUsed;
    const events = this.#events;
    this.#lastUsed = new Map();
    this.#events = [];
    await store.recordUse(lastUsed, events);
  }
}
