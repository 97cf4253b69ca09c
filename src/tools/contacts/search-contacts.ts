import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { Contact } from "./contact-schema.ts";

export const searchContacts = personOperation({
  name: "search_contacts",
  area: "contacts",
  title: "Search contacts",
  description:
    "Finds contacts by the beginnings of the words in their name, company and email, in any order. Ignores case and " +
    "accents. Skips archived contacts.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    text: z
      .string()
      .max(200)
      .trim()
      .min(1)
      .describe("The beginnings of some words, such as `love ada`, or of an email address."),
    limit: z.int().min(1).max(50).default(25).describe("The maximum number of contacts to return."),
  }),
  output: z.array(Contact),
  async handler(ctx, { text, limit }) {
    return { data: await ctx.store.contacts.search(text, limit) };
  },
});
