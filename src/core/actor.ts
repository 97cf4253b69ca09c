import { memberMay, type Permission, type Role, type Scope } from "../domain/access/roles.ts";

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

/** The person at the command line on the server itself, identified by the operating system's user name. */
export interface OperatorActor {
  kind: "local_operator";
  id: string;
  name: string;
  workspaceId: string;
}

/** The server itself, where no caller's operation causes a change: its workers, and links that work without a sign-in. */
interface SystemActor {
  kind: "system";
  id: string;
  name: string;
  workspaceId: string;
}

export type Actor = KeyActor | MemberActor | OperatorActor | SystemActor;

/** What a caller needs: a key its scope, or no scope at all where that is null; a member the permission. */
type Access = { scope: Scope | null } | { permission: Permission };

/** What of an operation decides who may call it. */
interface Guarded {
  access: Access;
  effect: "read" | "write";
}

/** Keys never call operations for members. The local operator calls everything, the system actor nothing. */
export function mayUse(actor: Actor, operation: Guarded): boolean {
  if (actor.kind === "local_operator") return true;
  if (actor.kind === "member") return memberMay(actor.role, actor.approveOutbound, permissionFor(operation));
  if (actor.kind === "system" || !("scope" in operation.access)) return false;
  return operation.access.scope === null || actor.scopes.has(operation.access.scope);
}

/** What a member needs for an operation for agents, which the console's pages call too. */
const MEMBER_NEEDS = { read: "view", write: "work" } as const satisfies Record<Guarded["effect"], Permission>;

export function permissionFor({ access, effect }: Guarded): Permission {
  return "scope" in access ? MEMBER_NEEDS[effect] : access.permission;
}

/** Whether the caller may approve outreach: a member with that grant, or the local operator. */
export function mayApprove(actor: Actor): boolean {
  return actor.kind === "local_operator" || (actor.kind === "member" && actor.approveOutbound);
}

/** The local operator's name for people: a bare user name does not explain who that is. */
export const operatorLabel = (user: string): string => `Server operator (${user})`;
