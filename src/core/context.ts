import { memberMay, type Permission, type Role, type Scope } from "../domain/access/roles.ts";
import type { Catalog } from "../domain/checklist/catalog.ts";
import type { EventName, Payload } from "../events/catalog.ts";
import type { Callbacks } from "../events/challenge.ts";
import { emitEvent } from "../events/emit.ts";
import type { ClientDirectory } from "../identity/oauth/clients.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Vault } from "../lib/vault.ts";
import type { AuditEntry } from "../store/logs.ts";
import type { PipelineStore, Store, WorkspaceStore } from "../store/store.ts";

/** What whoever runs the server decides for every workspace on it. */
export interface Deployment {
  outboundGate: "open" | "closed";
  /** Whether agents may claim and start actions on the social network. */
  socialnetExecution: "on" | "off";
}

/** Milliseconds since the epoch. One clock serves the whole process; tests bring their own. */
export interface Clock {
  now(): number;
}

/** An agent: the holder of an API key. */
export interface KeyActor {
  kind: "key";
  id: string;
  name: string;
  /** The part of the key that may be shown. */
  prefix: string;
  workspaceId: string;
  scopes: ReadonlySet<Scope>;
  socialnetAccountId: string | null;
}

/** A person of the workspace. */
export interface MemberActor {
  kind: "member";
  id: string;
  name: string;
  workspaceId: string;
  role: Role;
  approveOutbound: boolean;
}

/** Whoever sits at the machine and runs the command line; known by the name of the operating system's user. */
export interface OperatorActor {
  kind: "local_operator";
  id: string;
  name: string;
  workspaceId: string;
}

/** What people read for whoever works on the command line: a user's name alone says nobody. */
export const operatorInWords = (user: string): string => `Server operator (${user})`;

/** The server itself, where no caller's operation causes a change: its workers, and links that work without a sign-in. */
interface SystemActor {
  kind: "system";
  id: string;
  name: string;
  workspaceId: string;
}

export type Actor = KeyActor | MemberActor | OperatorActor | SystemActor;

/** Which door an operation has: a scope, or any key at all, opens the agent's, a permission the person's. */
type Access = { scope: Scope | null } | { permission: Permission };

/** What the caller of an operation needs. */
interface Guarded {
  access: Access;
  effect: "read" | "write";
}

/** What a member needs for an operation of the agent door, which the console's pages call too. */
const MEMBER_NEEDS = { read: "view", write: "work" } as const satisfies Record<Guarded["effect"], Permission>;

export function permissionFor({ access, effect }: Guarded): Permission {
  return "scope" in access ? MEMBER_NEEDS[effect] : access.permission;
}

/** Keys never open the person door; the local operator opens both, the server itself none. */
export function mayUse(actor: Actor, operation: Guarded): boolean {
  if (actor.kind === "local_operator") return true;
  if (actor.kind === "member") return memberMay(actor.role, actor.approveOutbound, permissionFor(operation));
  if (actor.kind === "system" || !("scope" in operation.access)) return false;
  return operation.access.scope === null || actor.scopes.has(operation.access.scope);
}

/** What a handler is given: who calls, and a store that sees their workspace alone. */
export interface Context {
  actor: Actor;
  workspaceId: string;
  store: WorkspaceStore;
  /** The moment of this call: one reading, so that all its rows agree. */
  now: number;
  /** A new UUIDv7. */
  newId(): string;
  /** Adds a row to the configuration audit, in the transaction of this call. */
  audit(entry: AuditEntry): Promise<void>;
  /** Tells whoever subscribed, once this call has committed. The payload must fit the event's schema. */
  emit<N extends EventName>(name: N, payload: Payload<N>): Promise<void>;
  /** Has the outbox looked at once this call has committed. */
  wake(): void;
  /** Seals what must be read back. */
  vault: Vault;
  /** What whoever runs the server has decided for all of it. */
  deployment: Deployment;
  /** The items of the social checklist. */
  catalog: Catalog;
  /** Logs that a part of the answer could not be read, and was left out. */
  missed(part: string, error: unknown): void;
  /** The address of a page of this server, as people reach it. */
  pageUrl(path: `/${string}`): string;
}

/** Whether the caller may let something out: a member who was granted it, or the local operator. */
export function mayApprove(actor: Actor): boolean {
  return actor.kind === "local_operator" || (actor.kind === "member" && actor.approveOutbound);
}

/** What an operation's preparation is given: it may ask the network, and changes nothing. */
export interface Preparing extends Pick<Context, "actor" | "workspaceId" | "store" | "now"> {
  callbacks: Callbacks;
  /** The MCP clients that ask to be let in. */
  clients: Pick<ClientDirectory, "find">;
}

/** What is the same for every change of this process. */
interface Shared {
  vault: Vault;
  deployment: Deployment;
  catalog: () => Catalog;
  log: Log;
  /** The address that people reach this server by, without a trailing slash. */
  url: () => string;
}

/** What one change happens within. */
export interface Within {
  actor: Actor;
  workspaceId: string;
  /** What the audit calls it. */
  action: string;
  shared: Shared;
  /** Set once something was put into the outbox. */
  woken: boolean;
}

/** The context of one transaction, or of one read: everything in it happens at the same moment. */
export function createContext(within: Within, store: PipelineStore, now: number): Context {
  const { actor, workspaceId, action, shared } = within;
  const { vault, deployment, log } = shared;
  return {
    actor,
    workspaceId,
    store,
    now,
    vault,
    deployment,
    get catalog() {
      return shared.catalog();
    },
    newId: () => newId(now),
    pageUrl: (path) => shared.url() + path,
    async emit(name, payload) {
      const told = await emitEvent(store, now, name, payload);
      within.woken ||= told;
    },
    wake() {
      within.woken = true;
    },
    missed(part, error) {
      log.error({ err: error, action, part }, "a part of an answer could not be read");
    },
    audit: (entry) => store.journal.audit({ ...entry, action, actorKind: actor.kind, actorId: actor.id, at: now }),
  };
}

export interface SystemParts extends Shared {
  store: Store;
  clock: Clock;
  /** Told when something was put into the outbox, and committed. */
  wake: () => void;
}

/** Runs a change of the server's own in one write of a workspace; the audit knows it by its name. */
export type AsSystem = <T>(workspaceId: string, name: string, job: (ctx: Context) => Promise<T>) => Promise<T>;

export function createSystem({ store, clock, wake, ...shared }: SystemParts): AsSystem {
  return async (workspaceId, name, job) => {
    const actor = { kind: "system", id: name, name: "Rostrum", workspaceId } as const;
    const within: Within = { actor, workspaceId, action: name, shared, woken: false };
    const done = await store.write(workspaceId, (bound) => job(createContext(within, bound, clock.now())));
    if (within.woken) wake();
    return done;
  };
}
