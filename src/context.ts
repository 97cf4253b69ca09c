import type { Catalog } from "./domain/checklist-catalog.ts";
import { memberMay, type Permission, type Role } from "./domain/roles.ts";
import type { Scope } from "./domain/scopes.ts";
import type { EventName, Payload } from "./events/catalog.ts";
import type { Callbacks } from "./events/challenge.ts";
import type { ClientDirectory } from "./oauth/clients.ts";
import type { AuditEntry } from "./store/logs.ts";
import type { WorkspaceStore } from "./store/store.ts";
import type { Vault } from "./vault.ts";

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
