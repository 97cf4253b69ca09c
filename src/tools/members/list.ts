import { z } from "zod";
import { personOperation } from "../../operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Member, toMember } from "./schema.ts";

export const listMembers = personOperation({
  name: "list_members",
  area: "members",
  title: "List members",
  description: "Lists the people of the workspace, newest first; the removed ones are left out.",
  access: { permission: "view" },
  effect: "read",
  gates: [],
  errors: [],
  input: z.strictObject(pageFields),
  output: z.array(Member),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.members.list(page);
    return { data: rows.map(toMember), meta: listMeta(page, rows.length, total) };
  },
});
