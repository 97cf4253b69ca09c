import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { INVITATION_LINK_MS } from "../../domain/access/session-limits.ts";
import { mintSecret } from "../../lib/secrets.ts";
import { requireGrant, requireRank } from "../../services/access/members.ts";
import { recordId } from "../fields.ts";
import { Invited, toMember } from "./member-schema.ts";

export const renewInvitation = personOperation({
  name: "renew_invitation",
  area: "members",
  title: "Renew an invitation",
  description:
    "Creates a new invitation link for a member who has not signed in yet. Earlier links stop working. The new " +
    "link is shown only once. It works once, for seven days. If email is set up, the member also gets a link by " +
    "email. You need the same rights as for inviting a member with this role and permission.",
  access: { permission: "administer" },
  effect: "write",
  errors: ["member_not_found", "member_exists"],
  input: z.strictObject({ member_id: recordId("member") }),
  output: Invited,
  async handler(ctx, { member_id: id }) {
    const row = await ctx.store.members.find(id);
    if (row === undefined) throw problem("member_not_found");
    // A person who sees the link can sign in as this member.
    requireRank(ctx, row.role);
    if (row.approveOutbound) requireGrant(ctx);
    const { token, hash } = mintSecret();
    const invitation = {
      memberId: row.id,
      hash,
      createdAt: ctx.now,
      expiresAt: ctx.now + INVITATION_LINK_MS,
      shownTo: ctx.actor.kind === "member" ? ctx.actor.id : null,
    };
    if (!(await ctx.store.members.renew(invitation, ctx.newId()))) {
      throw problem("member_exists", `${row.name} has already signed in and needs no invitation.`);
    }
    const member = toMember(row);
    await ctx.audit({ recordId: row.id, before: null, after: member });
    return { data: { ...member, invitation_url: ctx.pageUrl(`/console/invitation/${token}`) } };
  },
});
