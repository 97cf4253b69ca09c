import type { Context } from "../context.ts";
import type { SuppressionRow } from "../store/suppressions.ts";
import { recordActivity } from "./record-activity.ts";
import { stopContact } from "./stop-contact.ts";

/** Puts an address on the do-not-contact list, and stops everything that is open for the contact who has it. */
export async function suppress(
  ctx: Context,
  given: { email: string; reason: string; stated: boolean; source: SuppressionRow["source"] },
): Promise<SuppressionRow> {
  const { row, added } = await ctx.store.suppressions.upsert({ id: ctx.newId(), ...given, createdAt: ctx.now });
  const record = await ctx.store.contacts.findByEmail(given.email);
  if (record === undefined) return row;
  const { id: contactId } = record.contact;
  await stopContact(ctx, contactId, "suppressed");
  if (added) {
    const subject = "Added to the do-not-contact list";
    await recordActivity(ctx, { contactId, type: "suppressed", subject, metadata: { reason: row.reason } });
  }
  return row;
}
