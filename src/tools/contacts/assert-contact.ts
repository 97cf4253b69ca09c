import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { editContact, editSource, insertContact } from "../../services/contacts/write.ts";
import { assertedFields, Contact, example } from "./contact-schema.ts";

export const assertContact = agentOperation({
  name: "assert_contact",
  area: "contacts",
  title: "Create or update a contact by email",
  description:
    "Updates the contact with this email (200), or creates one if there is none (201). Archived contacts are ignored. " +
    "Email addresses match ignoring case. Omitted fields keep their value, and an empty string clears a field. " +
    "Unknown fields are refused. The call doesn't enroll the contact or record consent to outreach.",
  access: { scope: "contacts.write" },
  http: {
    method: "PUT",
    path: "/contacts/assert",
    statuses: [200, 201],
    location: "/contacts/{id}",
    body: "ContactAssert",
  },
  tool: false,
  budget: "write",
  idempotent: false,
  effect: "write",
  gates: ["billing"],
  errors: ["quota_exceeded_contacts", "email_conflict"],
  input: z.strictObject(assertedFields).meta({ examples: [example] }),
  output: Contact,
  async handler(ctx, { email, ...fields }) {
    const record = await ctx.store.contacts.findByEmail(email);
    if (record === undefined)
      return { status: 201, data: await insertContact(ctx, { email, ...fields }, editSource(ctx)) };
    const { contact } = await editContact(ctx, record, fields);
    return { status: 200, data: contact };
  },
});
