import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Account, accountName, companyFields, toAccount } from "./account-schema.ts";

export const createAccount = personOperation({
  name: "create_account",
  area: "accounts",
  title: "Create an account",
  description:
    "Creates a company record. To link a contact to it, set the contact's account_id. Name and domain need not be " +
    "unique. If several accounts have the same domain, brain_account returns the newest of them.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  input: z.strictObject({ name: accountName, ...companyFields }),
  output: Account,
  async handler(ctx, { name, domain = null, website = null, industry = null }) {
    const row = { id: ctx.newId(), name, domain, website, industry, createdAt: ctx.now, updatedAt: ctx.now };
    await ctx.store.accounts.insert(row);
    const data = toAccount(row);
    await ctx.audit({ recordId: row.id, before: null, after: data });
    return { data };
  },
});
