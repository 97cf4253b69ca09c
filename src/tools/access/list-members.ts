import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Member, toMember } from "./member-schema.ts";

export const listMembers = personOperation({
  name: "list_members",
  area: "members",
  title: "List members",
  description: "Lists the workspace's members, newest first, without removed members.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(
    Member.extend({
      joined: z.boolean().describe("Whether they have signed in. False while the invitation is pending."),
      invitation_open: z.boolean().describe("Whether any of their invitation links still works."),
    }),
  ),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.members.list(page);
    const waiting = new Map((await ctx.store.members.waiting(ctx.now)).map(({ id, hasLink }) => [id, hasLink]));
    const data = rows.map((row) => ({
      ...toMember(row),
      joined: !waiting.has(row.id),
      invitation_open: waiting.get(row.id) ?? false,
    }));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
