import { subnetOf } from "../../lib/http-client/addresses.ts";
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
  credential: { address: () => string | undefined; route: string };
  keyPrefix: string | null;
  workspaceId: string | null;
}

type StoredEvent = AuthEventRow & { workspaceId: string | null };
type Event = Omit<StoredEvent, "at" | "count">;

/** Events of no workspace that get a row each, for one network in one minute. */
export const SINGLE_ROWS_OF_NETWORK = 20;
/** Rows that one pool adds in a minute: those of one event each, and all but the one for the rest. */
export const ROWS_A_MINUTE = { single: 600, all: 1_000 };
/** Rows that are kept for one pool; beyond it the oldest are deleted. */
const ROWS_KEPT = 200_000;
/** How many rows a pool adds between two deletions of its oldest. */
const TRIM_EVERY = 1_000;
/** Rows written in one transaction, so that a flood never holds the writer for long. */
const WRITE_BATCH = 500;
const MAX_ROUTE_LENGTH = 200;
const MAX_ADDRESS_LENGTH = 64;

/** The route of a row whose events had several. */
const SEVERAL_ROUTES = "*";

/** A key's last use is stored at most once a minute, so that calls do not keep the disk busy. */
const USED_AGAIN_MS = MINUTE_MS;

/**
 * Records key use, refusals and sign-ins. Buffered in memory and written at most once a second, so that neither a call
 * nor an attacker's guess costs a disk sync.
 *
 * Each workspace has a pool of rows for each code, and so have the events of no workspace: a flood uses up its own pool
 * and no other. In a minute, a pool gives the first events a row each. Later ones share a row with those of the same
 * key or member and network, which is written when the minute ends. A network without a key uses up only its share.
 */
export class AuthLog {
  readonly #clock: Clock;
  #lastUsed = new Map<string, number>();
  /** When each key's use was last noted, for as long as this process runs. */
  readonly #noted = new Map<string, number>();
  readonly #pools = new Map<string, Pool>();
  /** Rows of one event each that every network has in this minute, of those without a workspace. */
  readonly #networks = new Map<string, number>();
  #minute = 0;
  /** Events that are in no row: the write failed, or the row was deleted to make room. */
  dropped = 0;
  /** Events without a row of their own: another row counts them. */
  merged = 0;

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

  refused({ code, credential: { address, route }, keyPrefix, workspaceId }: LoggedRefusal): void {
    this.#add({ code, keyPrefix, workspaceId, memberId: null, address: address() ?? null, route });
  }

  /** Each workspace of the person can read it. If the address has no account, only the operator can. */
  signInEvent({ code, address = null, route, of }: LoggedSignIn): void {
    const unknown = [{ workspaceId: null, memberId: null }];
    for (const membership of of.length === 0 ? unknown : of) {
      this.#add({ code, keyPrefix: null, ...membership, address, route });
    }
  }

  /** Rows in memory. */
  get buffered(): number {
    let rows = 0;
    for (const pool of this.#pools.values()) rows += pool.buffered;
    return rows;
  }

  #add(event: Event): void {
    const at = this.#clock.now();
    this.#follow(at);
    const pool = this.#poolOf(event);
    const network = event.address === null ? undefined : subnetOf(event.address);
    if (event.workspaceId !== null) {
      if (!pool.addSingle(event, at)) pool.merge(event, at, network ?? null);
    } else {
      const share = network ?? "unknown";
      const used = this.#networks.get(share) ?? 0;
      if (used < SINGLE_ROWS_OF_NETWORK && pool.addSingle(event, at)) {
        this.#networks.set(share, used + 1);
        return;
      }
      // What a caller without a key sends for one is its own choice.
      pool.merge({ ...event, keyPrefix: null }, at, network ?? null);
    }
  }

  #poolOf({ workspaceId, code }: Event): Pool {
    const key = `${workspaceId ?? ""} ${code}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new Pool(workspaceId, code);
      this.#pools.set(key, pool);
    }
    return pool;
  }

  /** Ends the minute where the clock says so. */
  #follow(now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#endMinute();
  }

  #endMinute(): void {
    this.#networks.clear();
    for (const pool of this.#pools.values()) this.merged += pool.endMinute();
  }

  /** Writes what is ready. Best effort: rows that cannot be written are lost. */
  async flush(store: Store): Promise<void> {
    this.#follow(this.#clock.now());
    await this.#write(store);
  }

  /** Writes everything, before the process stops. */
  async close(store: Store): Promise<void> {
    this.#endMinute();
    await this.#write(store);
  }

  async #write(store: Store): Promise<void> {
    let lastUsed = this.#lastUsed;
    this.#lastUsed = new Map();
    const due = [...this.#pools.values()].filter((pool) => pool.hasReady);
    const rows = due.flatMap((pool) => pool.takeReady()).sort((a, b) => a.at - b.at);
    while (lastUsed.size > 0 || rows.length > 0) {
      const batch = rows.splice(0, WRITE_BATCH);
      try {
        await store.recordUse(lastUsed, batch);
      } catch (error) {
        for (const { count } of [...batch, ...rows]) this.dropped += count;
        throw error;
      }
      lastUsed = new Map();
    }
    for (const pool of due) {
      if (pool.isTrimDue()) this.dropped += await store.trimAuthEvents(pool.workspaceId, pool.code, ROWS_KEPT);
    }
  }
}

/** The events of one workspace and code, or of no workspace and one code. */
class Pool {
  readonly workspaceId: string | null;
  readonly code: string;
  #ready: StoredEvent[] = [];
  /** Rows that grow until the minute ends, by what their events have in common. */
  readonly #open = new Map<string, StoredEvent>();
  /** Rows of this minute, and those before it that are still unwritten. */
  #rows = 0;
  #unwritten = 0;
  /** A process does not know how many rows the last one left: its first write is followed by a deletion. */
  #untrimmed = TRIM_EVERY;

  constructor(workspaceId: string | null, code: string) {
    this.workspaceId = workspaceId;
    this.code = code;
  }

  get buffered(): number {
    return this.#ready.length + this.#open.size;
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Gives the event a row of its own. False if the minute has no more of those. */
  addSingle(event: Event, at: number): boolean {
    if (this.#rows >= ROWS_A_MINUTE.single) return false;
    this.#rows += 1;
    this.#ready.push(rowOf(event, at));
    return true;
  }

  /** Adds the event to a row that it shares with others. */
  merge(event: Event, at: number, network: string | null): void {
    const key = `${event.keyPrefix} ${event.memberId} ${network}`;
    const open = this.#open.get(key);
    if (open !== undefined) join(open, event, at);
    else if (this.#rows < ROWS_A_MINUTE.all) {
      this.#rows += 1;
      this.#open.set(key, rowOf({ ...event, address: network }, at));
    } else this.#mergeRest(event, at);
  }

  #mergeRest(event: Event, at: number): void {
    const rest = this.#open.get("");
    if (rest === undefined) this.#open.set("", rowOf({ ...event, keyPrefix: null, memberId: null, address: null }, at));
    else join(rest, event, at);
  }

  /** Ends the shared rows. Returns how many events have no row of their own. */
  endMinute(): number {
    let merged = 0;
    for (const row of this.#open.values()) {
      merged += row.count - 1;
      this.#ready.push(row);
    }
    this.#open.clear();
    this.#unwritten = this.#ready.length;
    this.#rows = this.#unwritten;
    return merged;
  }

  takeReady(): StoredEvent[] {
    const rows = this.#ready;
    this.#ready = [];
    this.#rows -= this.#unwritten;
    this.#unwritten = 0;
    this.#untrimmed += rows.length;
    return rows;
  }

  isTrimDue(): boolean {
    if (this.#untrimmed < TRIM_EVERY) return false;
    this.#untrimmed = 0;
    return true;
  }
}

function rowOf({ keyPrefix, address, route, ...event }: Event, at: number): StoredEvent {
  return {
    ...event,
    at,
    count: 1,
    keyPrefix: keyPrefix && copy(keyPrefix),
    address: address && copy(address.slice(0, MAX_ADDRESS_LENGTH)),
    route: copy(route.slice(0, MAX_ROUTE_LENGTH)),
  };
}

function join(row: StoredEvent, { route }: Event, at: number): void {
  row.count += 1;
  row.at = at;
  if (row.route !== route.slice(0, MAX_ROUTE_LENGTH)) row.route = SEVERAL_ROUTES;
}

/** A part of a string keeps all of it in memory; a header may be 16 KB long. */
function copy(text: string): string {
  return Buffer.from(text).toString();
}
