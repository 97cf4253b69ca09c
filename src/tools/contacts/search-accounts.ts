import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Account, toAccount } from "./account-schema.ts";

export const searchAccounts = personOperation({
  name: "search_accounts",
  area: "accounts",
  title: "Search accounts",
  description: "Finds company records whose name or domain starts with the given text, ignoring case, ordered by name.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    text: z.string().max(200).trim().min(1).describe("The start of a name or a domain."),
    limit: z.int().min(1).max(50).default(25).describe("The maximum number of records to return."),
  }),
  output: z.array(Account),
  async handler(ctx, { text, limit }) {
    return { data: (await ctx.store.accounts.search(text, limit)).map(toAccount) };
  },
});
