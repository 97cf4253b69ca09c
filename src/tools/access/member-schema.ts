import { z } from "zod";
import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { mayGrant, ROLES, type Role } from "../../domain/access/roles.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { MemberRow } from "../../store/access.ts";

/** A person of the workspace, as settings show them. */
export const Member = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  approve_outbound: z.boolean().describe("Whether they may approve what is sent out."),
  created_at: z.iso.datetime(),
  removed_at: z.iso.datetime().nullable(),
});

/** What is answered with a link by which the member comes in. */
export const Invited = Member.extend({
  invitation_url: z.string().meta({ secret: true, description: "The link of the invitation, shown this once." }),
});

/** What an administrator decides about a member. */
export const memberFields = {
  name: z.string().trim().min(1).max(200).describe("The name that others read."),
  role: z
    .enum(ROLES)
    .describe(
      "The first four administer; a rep does the daily work with contacts, deals, sequences, agents and the checklist; a " +
        "viewer reads. Only a super_admin makes another.",
    ),
  approve_outbound: z.boolean().describe("Whether they may approve what is sent out. No role has this of itself."),
};

export function toMember(row: MemberRow): z.infer<typeof Member> {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    approve_outbound: row.approveOutbound,
    created_at: iso(row.createdAt),
    removed_at: isoOrNull(row.removedAt),
  };
}

export const LAST_ADMINISTRATOR =
  "This is the workspace's last administrator, or the last who has come in; have another come in first.";

/**
 * The highest role is given, changed and taken by those who have it, and by the local operator: nobody lifts themself.
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
