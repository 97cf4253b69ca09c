import type { Role, Scope } from "../domain/access/roles.ts";

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

/** Whether the caller may approve outreach: a member with that grant, or the local operator. */
export function mayApprove(actor: Actor): boolean {
  return actor.kind === "local_operator" || (actor.kind === "member" && actor.approveOutbound);
}

/** The local operator's name for people. A bare user name would not say who that is. */
export const operatorLabel = (user: string): string => `Server admin (${user})`;
