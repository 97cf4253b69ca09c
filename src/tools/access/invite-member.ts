import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { INVITATION_LINK_MS } from "../../domain/access/session-limits.ts";
import { misreadFault } from "../../domain/contacts/address.ts";
import { mintSecret } from "../../lib/secrets.ts";
import { requireGrant, requireRank } from "../../services/access/members.ts";
import { MemberExists } from "../../store/access.ts";
import { email } from "../contacts/contact-schema.ts";
import { Invited, memberFields, toMember } from "./member-schema.ts";

/** The link that is mailed there is the invitation itself. */
const invitedEmail = email
  .superRefine((text, issues) => {
    const fault = misreadFault(text);
    if (fault !== undefined) issues.addIssue({ code: "custom", message: fault });
  })
  .meta({ ...email.meta() });

export const inviteMember = personOperation({
  name: "invite_member",
  area: "members",
  title: "Invite a member",
  description:
    "Adds a teammate to the workspace with a role. The response has an invitation link, which is shown only once. " +
    "It works once, for seven days. If email is set up, the teammate also gets a link by email. Only super_admins " +
    "and the server admin can add a super_admin. Only the server admin, and admins who have approve_outbound " +
    "themselves, can grant the permission approve_outbound.",
  access: { permission: "administer" },
  effect: "write",
  errors: ["member_exists"],
  input: z.strictObject({
    email: invitedEmail,
    ...memberFields,
    approve_outbound: memberFields.approve_outbound.default(false),
  }),
  output: Invited,
  async handler(ctx, { email, name, role, approve_outbound: approveOutbound }) {
    requireRank(ctx, role);
    if (approveOutbound) requireGrant(ctx);
    const row = { id: ctx.newId(), email, name, role, approveOutbound, createdAt: ctx.now, removedAt: null };
    try {
      await ctx.store.members.insert(row);
    } catch (error) {
      if (!(error instanceof MemberExists)) throw error;
      throw problem(
        "member_exists",
        "email: is already used by a teammate. Edit that teammate, or create a new link for them.",
      );
    }
    const { token, hash } = mintSecret();
    const invitation = {
      memberId: row.id,
      hash,
      createdAt: ctx.now,
      expiresAt: ctx.now + INVITATION_LINK_MS,
      shownTo: ctx.actor.kind === "member" ? ctx.actor.id : null,
    };
    await ctx.store.members.invite(invitation, ctx.newId());
    const member = toMember(row);
    await ctx.audit({ recordId: row.id, before: null, after: member });
    return { data: { ...member, invitation_url: ctx.pageUrl(`/console/invitation/${token}`) } };
  },
});
