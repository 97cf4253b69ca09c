import { z } from "zod";
import { personOperation } from "../../operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Key, toKey } from "./schema.ts";

export const listKeys = personOperation({
  name: "list_keys",
  area: "keys",
  title: "List API keys",
  description: "Lists the workspace's keys, newest first, the revoked and expired ones too.",
  access: { permission: "administer" },
  effect: "read",
  gates: [],
  errors: [],
  input: z.strictObject(pageFields),
  output: z.array(Key),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.keys.list(page);
    return { data: rows.map(toKey), meta: listMeta(page, rows.length, total) };
  },
});
