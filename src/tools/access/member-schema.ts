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
  approve_outbound: z.boolean().describe("Whether they may approve what is sent out."),
  created_at: z.iso.datetime(),
  removed_at: z.iso.datetime().nullable(),
});

/** The answer with a link by which the member signs in. */
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
