import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { editContact } from "../../services/contacts/write.ts";
import { recordId } from "../fields.ts";
import { Contact } from "./contact-schema.ts";

export const confirmCompany = personOperation({
  name: "confirm_company",
  area: "contacts",
  title: "Confirm a contact's company",
  description:
    "Confirms where the contact works. Agents can enroll only contacts with a company. If an agent wrote the company, " +
    "a member must first confirm it. Approving an audience that shows the company also confirms it.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["contact_not_found"],
  input: z.strictObject({
    contact_id: recordId("contact"),
    company: z.string().max(500).trim().min(1).describe("The company's name, as people write it."),
  }),
  output: Contact,
  async handler(ctx, { contact_id: id, company }) {
    const record = await ctx.store.contacts.find(id);
    if (record === undefined) throw problem("contact_not_found");
    const { contact, changed } = await editContact(ctx, record, { company });
    if (!changed) await vouch(ctx, record.seq);
    const before = { company: record.contact.company, confirmed_by: null };
    await ctx.audit({ recordId: id, before, after: { company, confirmed_by: ctx.actor.id } });
    return { data: contact };
  },
});

/** Confirming the present values changes only which member vouches for them. */
function vouch(ctx: Context, seq: number): Promise<void> {
  const edit = { fields: ["company"], source: "member", actorId: ctx.actor.id } as const;
  return ctx.store.contacts.recordProvenance({ ...edit, seq, now: ctx.now });
}
