import { z } from "zod";
import { personOperation } from "../../core/operation.ts";

const MAX_TAGS = 200;

export const listContactTags = personOperation({
  name: "list_contact_tags",
  area: "contacts",
  title: "List tags",
  description: `Lists the tags of contacts that aren't archived, in alphabetical order, ${MAX_TAGS} at most.`,
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.array(z.string()),
  async handler(ctx) {
    return { data: await ctx.store.contacts.tags(MAX_TAGS) };
  },
});
