import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { mayGrant, type Role } from "../../domain/access/roles.ts";
import type { Seat } from "../../store/access.ts";

export const LAST_ADMINISTRATOR = "this is the workspace's last active admin. Make another teammate an admin first.";

/**
 * Only members with the highest role, and the local operator, grant, change and remove it. No member raises their own
 * role.
 *
 * @throws Problem insufficient_scope
 */
export function requireRank({ actor }: Context, ...roles: readonly (Role | undefined)[]): void {
  if (actor.kind === "local_operator") return;
  // Callers of another kind have no role: they may grant what the lowest role may.
  const own = actor.kind === "member" ? actor.role : "viewer";
  if (roles.every((role) => role === undefined || mayGrant(own, role))) return;
  throw problem(
    "insufficient_scope",
    "Only super admins and the server admin can add, change or remove a super_admin. Ask one of them.",
  );
}

/**
 * Whether a member gains what not every admin can give. The links of a pending invitation that an admin was shown must
 * end then, because anyone who has one can sign in as that member.
 */
export function gainsReserved(before: Seat, after: Seat): boolean {
  const gainsApproval = after.approveOutbound && !before.approveOutbound;
  return gainsApproval || (!mayGrant("admin", after.role) && mayGrant("admin", before.role));
}

/**
 * Only a member who may approve sends can grant that permission. Otherwise a member could grant it to themselves through
 * a second address.
 *
 * @throws Problem insufficient_scope
 */
export function requireGrant({ actor }: Context): void {
  if (mayApprove(actor)) return;
  throw problem(
    "insufficient_scope",
    "approve_outbound: can only be granted by an admin who has it, or by the server admin. Ask one of them.",
  );
}
