import type { Clock } from "../lib/time.ts";
import type { AuthEventRow } from "../store/logs.ts";
import type { Store } from "../store/store.ts";
import type { Credential } from "./authenticate.ts";

/** What people do to come in and to leave. */
export type PersonEvent =
  | "signed_in"
  | "sign_in_failed"
  | "signed_out"
  | "password_set"
  | "reset_asked"
  | "reset_issued"
  | "invitation_refused";

interface Visit {
  code: PersonEvent;
  address: string | null | undefined;
  route: string;
  /** The memberships of the person; none where nobody is known by the address that was tried. */
  of: readonly { workspaceId: string; memberId: string }[];
}

interface Refusal {
  code: "missing_key" | "invalid_key" | "revoked_key" | "expired_key" | "scope_denied";
  credential: Pick<Credential, "address" | "route">;
  keyPrefix: string | null;
  workspaceId: string | null;
}

/** Refusals kept between two flushes; a flood beyond it is counted, not stored, so it cannot fill the disk. */
const MOST_EVENTS = 200;
const LONGEST_ROUTE = 200;

/**
 * Who used which key, and who was refused. Gathered in memory and written once a second at most, so that neither
 * a call nor an attacker's guess costs a disk sync of its own.
 */
export class AuthLog {
  readonly #clock: Clock;
  #lastUsed = new Map<string, number>();
  #events: (AuthEventRow & { workspaceId: string | null })[] = [];
  dropped = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  used(keyId: string, now: number): void {
    this.#lastUsed.set(keyId, now);
  }

  refused({ code, credential, keyPrefix, workspaceId }: Refusal): void {
    const { address, route } = credential;
    this.#push(() => ({ code, keyPrefix, workspaceId, memberId: null, address: address() ?? null, route }));
  }

  /** Each workspace of a person reads it; where nobody is known by the address, the operator alone. */
  visited({ code, address = null, route, of }: Visit): void {
    const nobody = [{ workspaceId: null, memberId: null }];
    for (const known of of.length === 0 ? nobody : of) {
      this.#push(() => ({ code, keyPrefix: null, ...known, address, route }));
    }
  }

  #push(event: () => Omit<AuthEventRow, "at"> & { workspaceId: string | null }): void {
    if (this.#events.length >= MOST_EVENTS) {
      this.dropped += 1;
      return;
    }
    const { route, ...rest } = event();
    this.#events.push({ ...rest, at: this.#clock.now(), route: route.slice(0, LONGEST_ROUTE) });
  }

  /** Writes what was gathered. Best effort: what cannot be written is let go. */
  async flush(store: Store): Promise<void> {
    if (this.#lastUsed.size === 0 && this.#events.length === 0) return;
    const lastUsed = this.#lastUsed;
    const events = this.#events;
    this.#lastUsed = new Map();
    this.#events = [];
    await store.recordUse(lastUsed, events);
  }
}
