import { z } from "zod";
import { personOperation } from "../../core/operation.ts";

const MOST = 200;

export const listContactTags = personOperation({
  name: "list_contact_tags",
  area: "contacts",
  title: "List tags",
  description: `Lists the tags that live contacts have, in the order of their letters, ${MOST} at most.`,
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.array(z.string()),
  async handler(ctx) {
    return { data: await ctx.store.contacts.tags(MOST) };
  },
});
