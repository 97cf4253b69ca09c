import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Contact } from "./contact-schema.ts";

export const searchContacts = personOperation({
  name: "search_contacts",
  area: "contacts",
  title: "Search contacts",
  description:
    "Finds contacts whose email, first name, last name or company starts with the given text. It also finds contacts whose " +
    "first and last name start with its words. Skips archived contacts. Ignores the case of ASCII letters.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    text: z.string().trim().min(1).max(200).describe("The start of an address, a name or a company."),
    limit: z.int().min(1).max(50).default(25).describe("The most contacts to return."),
  }),
  output: z.array(Contact),
  async handler(ctx, { text, limit }) {
    return { data: await ctx.store.contacts.search(text, limit) };
  },
});
