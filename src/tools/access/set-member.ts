import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { revokeConnectorsOf } from "../../services/access/keys.ts";
import { gainsReserved, LAST_ADMINISTRATOR, requireGrant, requireRank } from "../../services/access/members.ts";
import { email } from "../contacts/contact-schema.ts";
import { atLeastOne, exactlyOne, overlay, recordId } from "../fields.ts";
import { Member, memberFields, toMember } from "./member-schema.ts";

const changes = z.object(memberFields).partial().shape;

export const setMember = personOperation({
  name: "set_member",
  area: "members",
  title: "Update a member",
  description:
    "Changes a member's name, role or permission approve_outbound. Identify the member by id or email. Omitted " +
    "fields keep their value. A member who loses the permission also loses the MCP clients that they connected. " +
    "If an invited member gains the permission or becomes a super_admin, links that teammates created for them " +
    "stop working. Send a new one with renew_invitation.",
  access: { permission: "administer" },
  effect: "write",
  restricts: ({ approve_outbound }) => approve_outbound === false,
  errors: ["member_not_found", "last_administrator"],
  input: z
    .strictObject({ member_id: recordId("member").optional(), email: email.optional(), ...changes })
    .refine(...exactlyOne("member_id", "email"))
    .refine(...atLeastOne(Object.keys(changes))),
  output: Member,
  async handler(ctx, { member_id: id, email, ...given }) {
    const { members } = ctx.store;
    const row = id === undefined ? await members.findByEmail(email as string) : await members.find(id);
    if (row === undefined) throw problem("member_not_found");
    requireRank(ctx, row.role, given.role);
    const before = toMember(row);
    const after = overlay(before, given);
    if (isDeepStrictEqual(before, after)) return { data: before };
    if (after.approve_outbound && !before.approve_outbound) requireGrant(ctx);
    const fields = { name: after.name, role: after.role, approveOutbound: after.approve_outbound };
    if (!(await members.update(row.id, fields)))
      throw problem("last_administrator", `role: can't be changed, because ${LAST_ADMINISTRATOR}`);
    const ended = gainsReserved(row, fields) ? await members.endShownLinks(row.id) : 0;
    await ctx.audit({
      recordId: row.id,
      before,
      after: ended > 0 ? { ...after, ended_invitation_links: ended } : after,
    });
    if (!after.approve_outbound) await revokeConnectorsOf(ctx, row.id);
    return { data: after };
  },
});
