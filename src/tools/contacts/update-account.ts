import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { atLeastOne, recordId } from "../fields.ts";
import { Account, accountName, companyFields, toAccount } from "./account-schema.ts";

const editable = { name: accountName.optional(), ...companyFields };

export const updateAccount = personOperation({
  name: "update_account",
  area: "accounts",
  title: "Update an account",
  description:
    "Changes the given fields of a company record and keeps the others. If nothing changes, nothing is recorded.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["account_not_found"],
  input: z.strictObject({ account_id: recordId("account"), ...editable }).refine(...atLeastOne(Object.keys(editable))),
  output: Account,
  async handler(ctx, { account_id: id, ...given }) {
    const before = await ctx.store.accounts.find(id);
    if (before === undefined) throw problem("account_not_found");
    const { name = before.name, domain = before.domain, website = before.website, industry = before.industry } = given;
    const fields = { name, domain, website, industry };
    if (Object.entries(fields).every(([field, value]) => before[field as keyof typeof fields] === value)) {
      return { data: toAccount(before) };
    }
    const after = await ctx.store.accounts.update(id, fields, ctx.now);
    if (after === undefined) throw problem("account_not_found");
    const data = toAccount(after);
    await ctx.audit({ recordId: id, before: toAccount(before), after: data });
    return { data };
  },
});
