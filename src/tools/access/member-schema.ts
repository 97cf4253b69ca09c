import { z } from "zod";
import { ROLES } from "../../domain/access/roles.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { MemberRow } from "../../store/access.ts";

/** A person of the workspace, as settings show them. */
export const Member = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  approve_outbound: z.boolean().describe("Whether they can approve outbound messages."),
  created_at: z.iso.datetime(),
  removed_at: z.iso.datetime().nullable(),
});

/** The answer with a link by which the member signs in. */
export const Invited = Member.extend({
  invitation_url: z.string().meta({ secret: true, description: "The invitation link, shown only once." }),
});

/** What an administrator decides about a member. */
export const memberFields = {
  name: z.string().max(200).trim().min(1).describe("The name shown to others."),
  role: z
    .enum(ROLES)
    .describe(
      "super_admin, org_admin, owner and admin are admin roles. A rep works with contacts, deals, sequences, agents and the checklist. A " +
        "viewer only reads. Only the server admin and super_admins can create a super_admin.",
    ),
  approve_outbound: z
    .boolean()
    .describe("Whether they can approve outbound messages. No role includes this permission."),
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
