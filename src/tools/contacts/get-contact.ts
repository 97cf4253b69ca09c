import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { recordId } from "../fields.ts";
import { notFound } from "./brain-find.ts";
import { Contact } from "./contact-schema.ts";

export const getContact = agentOperation({
  name: "get_contact",
  area: "contacts",
  title: "Get a contact",
  description: "Gets one contact by id. For everything known about the person, call brain_contact.",
  access: { scope: "contacts.read" },
  http: { method: "GET", path: "/contacts/{id}", statuses: [200] },
  tool: { annotations: READ_ONLY },
  budget: "read",
  idempotent: false,
  effect: "read",
  errors: ["contact_not_found"],
  input: z.object({ id: recordId("contact") }),
  output: Contact,
  async handler(ctx, { id }) {
    const contact = await ctx.store.contacts.json(id);
    if (contact === undefined) throw notFound("contact_not_found", "contact", { id });
    return { data: contact };
  },
});
