import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { isIdentified } from "../../domain/contacts/contact.ts";
import { editSource, insertContact, NEEDS_NAME } from "../../services/contacts/write.ts";
import { always } from "../fields.ts";
import { Contact, contactFields, example } from "./contact-schema.ts";

export const createContact = agentOperation({
  name: "create_contact",
  area: "contacts",
  title: "Create a contact",
  description:
    "Creates a contact. At least one of email, first_name and last_name is required. Null and an empty string " +
    "mean no value. Unknown fields are ignored. Counts toward the plan's contact limit.",
  access: { scope: "contacts.write" },
  http: { method: "POST", path: "/contacts", statuses: [201], location: "/contacts/{id}", body: "ContactCreate" },
  tool: false,
  budget: "write",
  idempotent: true,
  effect: "write",
  gates: ["billing"],
  errors: ["quota_exceeded_contacts", "email_conflict"],
  input: z
    .object(contactFields)
    .refine(isIdentified, { error: `${NEEDS_NAME}. Enter at least one`, when: always })
    .meta({ examples: [example] }),
  output: Contact,
  async handler(ctx, fields) {
    return { data: await insertContact(ctx, fields, editSource(ctx)) };
  },
});
