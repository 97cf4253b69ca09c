import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Contact } from "./contact-schema.ts";

export const listContacts = agentOperation({
  name: "list_contacts",
  area: "contacts",
  title: "List contacts",
  description:
    "Lists contacts, newest first, with the exact total. It has no search. To find a person by name, email or profile, " +
    "call brain_contact.",
  access: { scope: "contacts.read" },
  http: { method: "GET", path: "/contacts", statuses: [200] },
  tool: { annotations: READ_ONLY, compact: ["phone", "website", "source", "created_at"] },
  budget: "read",
  idempotent: false,
  effect: "read",
  input: z.object(pageFields),
  output: z.array(Contact),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, count, total } = await ctx.store.contacts.list(page);
    return { data: rows, meta: listMeta(page, count, total) };
  },
});
