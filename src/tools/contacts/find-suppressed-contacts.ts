import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { recordId } from "../fields.ts";

const MAX_CONTACTS = 100;

export const findSuppressedContacts = personOperation({
  name: "find_suppressed_contacts",
  area: "contacts",
  title: "Find contacts on the do-not-contact list",
  description: "Returns those of the given contacts whose current email address is on the do-not-contact list.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    contact_ids: z.array(recordId("contact")).max(MAX_CONTACTS).describe("The contacts to look for."),
  }),
  output: z.array(z.guid()),
  async handler({ store }, { contact_ids }) {
    return { data: await store.suppressions.among(contact_ids) };
  },
});
