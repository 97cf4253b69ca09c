import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Contact } from "./contact-schema.ts";

export const searchContacts = personOperation({
  name: "search_contacts",
  area: "contacts",
  title: "Search contacts",
  description:
    "Finds live contacts whose email, first name, last name or company begins with a text, or whose first and " +
    "last name begin with its words; without letter case for ASCII letters.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    text: z.string().trim().min(1).max(200).describe("The beginning of an address, a name or a company."),
    limit: z.int().min(1).max(50).default(25).describe("How many at most."),
  }),
  output: z.array(Contact),
  async handler(ctx, { text, limit }) {
    return { data: await ctx.store.contacts.search(text, limit) };
  },
});
