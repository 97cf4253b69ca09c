import { z } from "zod";
import { agentOperation } from "../../core/operation.ts";
import { editContact, editSource, insertContact } from "../../services/contacts/write.ts";
import { assertedFields, Contact, example } from "./contact-schema.ts";

export const assertContact = agentOperation({
  name: "assert_contact",
  area: "contacts",
  title: "Create or update a contact by email",
  description:
    "Creates or updates the contact with this email. It updates an existing contact (200), or creates one " +
    "(201). Archived contacts don't count. Email addresses match ignoring case. Omitted fields keep their value, and an empty string clears " +
    "one. Unknown fields are refused. It neither enrolls the contact nor grants consent to outreach.",
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
