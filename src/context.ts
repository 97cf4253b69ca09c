import { memberMay, type Permission, type Role } from "./domain/roles.ts";
import type { Scope } from "./domain/scopes.ts";
import type { AuditEntry, WorkspaceStore } from "./store/store.ts";

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
interface MemberActor {
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

export type Actor = KeyActor | MemberActor | OperatorActor;

/** Which door an operation has: a scope opens the agent's, a permission the person's. */
export type Access = { scope: Scope } | { permission: Permission };

/** Keys never open the person door, members never the agent's; the local operator opens both. */
export function mayUse(actor: Actor, access: Access): boolean {
  if (actor.kind === "local_operator") return true;
  if ("scope" in access) return actor.kind === "key" && actor.scopes.has(access.scope);
  return actor.kind === "member" && memberMay(actor.role, actor.approveOutbound, access.permission);
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
}
