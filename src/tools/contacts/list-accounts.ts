import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Account, toAccount } from "./account-schema.ts";

export const listAccounts = personOperation({
  name: "list_accounts",
  area: "accounts",
  title: "List accounts",
  description: "Lists the workspace's company records, newest first, with the exact total.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(Account),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.accounts.list(page);
    return { data: rows.map(toAccount), meta: listMeta(page, rows.length, total) };
  },
});
