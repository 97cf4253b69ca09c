import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { iso } from "../../lib/time.ts";
import { stopContact } from "../../services/outreach/enrollment.ts";
import { recordId } from "../fields.ts";

export const archiveContact = personOperation({
  name: "archive_contact",
  area: "contacts",
  title: "Archive a contact",
  description:
    "Hides a contact from all lists, but not from the do-not-contact list. Its email can be used again, and the contact no longer counts toward the plan's " +
    "limit. Its open enrollments stop, and its unsent answers and its actions that haven't started are canceled.",
  access: { permission: "work" },
  effect: "write",
  errors: ["contact_not_found"],
  input: z.strictObject({ contact_id: recordId("contact") }),
  output: z.object({ id: z.uuid(), archived_at: z.iso.datetime() }),
  async handler(ctx, { contact_id: id }) {
    if (!(await ctx.store.contacts.archive(id, ctx.now))) throw problem("contact_not_found");
    await stopContact(ctx, id, "archived");
    const archived_at = iso(ctx.now);
    await ctx.audit({ recordId: id, before: { archived_at: null }, after: { archived_at } });
    return { data: { id, archived_at } };
  },
});
