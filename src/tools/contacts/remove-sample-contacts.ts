import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { SAMPLE_CONTACTS } from "../../domain/contacts/sample.ts";
import { stopContact } from "../../services/outreach/enrollment.ts";

export const removeSampleContacts = personOperation({
  name: "remove_sample_contacts",
  area: "contacts",
  title: "Remove sample contacts",
  description:
    "Archives the contacts that add_sample_contacts adds, found by their email addresses. Their open enrollments stop, " +
    "and their unsent answers and their actions that haven't started are canceled.",
  access: { permission: "work" },
  effect: "write",
  input: z.strictObject({}),
  output: z.object({ removed: z.int() }),
  async handler(ctx) {
    let removed = 0;
    for (const { email } of SAMPLE_CONTACTS) {
      const id = (await ctx.store.contacts.findByEmail(email))?.contact.id;
      if (id === undefined || !(await ctx.store.contacts.archive(id, ctx.now))) continue;
      await stopContact(ctx, id, "archived");
      removed += 1;
    }
    if (removed > 0) await ctx.audit({ recordId: ctx.workspaceId, before: null, after: { removed } });
    return { data: { removed }, record: ctx.workspaceId };
  },
});
