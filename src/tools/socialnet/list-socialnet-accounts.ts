import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { SocialnetAccount, toAccount } from "./account-schema.ts";

export const listSocialnetAccounts = personOperation({
  name: "list_socialnet_accounts",
  area: "socialnet",
  title: "List social accounts",
  description: "Lists the workspace's social accounts, newest first.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(SocialnetAccount),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.socialnetAccounts.list(page);
    return { data: rows.map((row) => toAccount(row, ctx.now)), meta: listMeta(page, rows.length, total) };
  },
});
