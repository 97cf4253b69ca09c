import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { revokeConnectorsOf } from "../../services/access/keys.ts";
import { LAST_ADMINISTRATOR, requireRank } from "../../services/access/members.ts";
import { recordId } from "../fields.ts";
import { Member, toMember } from "./member-schema.ts";

export const removeMember = personOperation({
  name: "remove_member",
  area: "members",
  title: "Remove a member",
  description:
    "Removes a member from the workspace. Their email address can be invited again. Their past activity stays in " +
    "the logs. MCP clients that they connected lose access. Their conversations are unassigned, and their deals " +
    "have no owner. Only super_admins and the server admin can remove a super_admin. A workspace keeps at least " +
    "one admin.",
  access: { permission: "administer" },
  effect: "write",
  errors: ["member_not_found", "last_administrator"],
  input: z.strictObject({ member_id: recordId("member") }),
  output: Member,
  async handler(ctx, { member_id: id }) {
    const row = await ctx.store.members.find(id);
    if (row === undefined) throw problem("member_not_found");
    requireRank(ctx, row.role);
    if (!(await ctx.store.members.remove(id, ctx.now))) {
      throw problem("last_administrator", `member_id: can't be removed, because ${LAST_ADMINISTRATOR}`);
    }
    const removed = toMember({ ...row, removedAt: ctx.now });
    await ctx.audit({ recordId: id, before: toMember(row), after: removed });
    await ctx.store.conversations.unassign(id, ctx.now);
    await ctx.store.deals.unassign(id);
    await revokeConnectorsOf(ctx, id);
    return { data: removed };
  },
});
