import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { SAMPLE_CONTACTS, SAMPLE_TAG } from "../../domain/contacts/sample.ts";
import { editContact, insertContact } from "../../services/contacts/write.ts";

export const addSampleContacts = personOperation({
  name: "add_sample_contacts",
  area: "contacts",
  title: "Add sample contacts",
  description:
    `Adds ${SAMPLE_CONTACTS.length} fictional contacts with the tag ${SAMPLE_TAG}, so that you can try Rostrum. Their addresses ` +
    "can't receive email. Sample contacts that already exist don't change. Remove them with remove_sample_contacts.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["quota_exceeded_contacts"],
  input: z.strictObject({}),
  output: z.object({ added: z.int() }),
  async handler(ctx) {
    let added = 0;
    for (const fields of SAMPLE_CONTACTS) {
      if ((await ctx.store.contacts.findByEmail(fields.email)) !== undefined) continue;
      const { id } = await insertContact(ctx, fields, "sample", "member");
      const record = await ctx.store.contacts.find(id);
      if (record !== undefined) await editContact(ctx, record, {}, { tags: [SAMPLE_TAG] }, "member");
      added += 1;
    }
    if (added > 0) await ctx.audit({ recordId: ctx.workspaceId, before: null, after: { added } });
    return { data: { added }, record: ctx.workspaceId };
  },
});
