import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { mayGrant, type Role } from "../../domain/access/roles.ts";

export const LAST_ADMINISTRATOR =
  "This is the workspace's last administrator, or the last who has come in; have another come in first.";

/**
 * The highest role is given, changed and taken by those who have it, and by the local operator: nobody raises their own.
 *
 * @throws Problem insufficient_scope
 */
export function requireRank({ actor }: Context, ...roles: readonly (Role | undefined)[]): void {
  if (actor.kind === "local_operator") return;
  // Of another kind nobody holds a role: they grant what the lowest may.
  const own = actor.kind === "member" ? actor.role : "viewer";
  if (roles.every((role) => role === undefined || mayGrant(own, role))) return;
  throw problem("insufficient_scope", "role: only a super_admin can grant, change or remove a super_admin.");
}

/**
 * Only who may approve what is sent out lets another: a second address of one's own would be a way to grant it to
 * oneself.
 *
 * @throws Problem insufficient_scope
 */
export function requireGrant({ actor }: Context): void {
  if (mayApprove(actor)) return;
  throw problem("insufficient_scope", "approve_outbound: only a member who holds it can grant it; ask one who does.");
}
