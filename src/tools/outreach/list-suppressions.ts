import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Suppression, toSuppression } from "./suppression-schema.ts";

export const listSuppressions = personOperation({
  name: "list_suppressions",
  area: "suppression",
  title: "Show the do-not-contact list",
  description: "Lists the addresses that must never be contacted, in alphabetical order.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(Suppression),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.suppressions.list(page);
    const data = rows.map((row) => toSuppression(row, ctx.workspaceId));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
