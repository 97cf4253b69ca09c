import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { DAY_MS, iso } from "../../lib/time.ts";
import { recordActivity } from "../../services/contacts/record-activity.ts";
import { HANDLED, requireConversation, requireRead, updateConversation } from "../../services/inbox/conversations.ts";
import { findResumable, resumeStopped } from "../../services/inbox/out-of-office.ts";
import type { ConversationRow } from "../../store/inbox.ts";
import { givenTime, recordId, time } from "../fields.ts";
import { ChangedConversation, contactId, readReplyId, showChanged } from "./conversation-schema.ts";

const DEFAULT_DAYS = 7;
const DAY = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });

const NOT_INTERESTED =
  "A teammate marked this contact as not interested, so their sequences don't continue. To write to them again, approve " +
  "and enroll them again.";

export const markOutOfOffice = personOperation({
  name: "mark_out_of_office",
  area: "inbox",
  title: "Mark a reply as out of office",
  description:
    "Marks the last reply as automatic and the conversation as done. Sequences that stopped because of the reply " +
    "continue, and their approvals count again. The next step comes no sooner than the given time, by default in " +
    `${DEFAULT_DAYS} days. get_conversation lists the sequences that would continue, in resumable. The call is ` +
    "refused if the contact is marked as not interested.",
  access: { permission: "approve_outbound" },
  effect: "write",
  gates: ["billing"],
  errors: ["conversation_not_found", "contact_suppressed", "version_conflict"],
  input: z.strictObject({
    contact_id: contactId,
    read_reply_id: readReplyId,
    read_resumable: z
      .array(recordId("sequence"))
      .max(100)
      .optional()
      .describe("The resumable sequences that get_conversation returned. If they have changed, the call is refused."),
    until: givenTime.optional().describe(`When the contact is back. Default: in ${DEFAULT_DAYS} days.`),
  }),
  output: ChangedConversation.extend({
    resumed: z
      .array(z.object({ enrollment_id: z.uuid(), sequence_id: z.uuid(), due_at: time }))
      .describe("Enrollments that continue."),
  }),
  async handler(ctx, { contact_id, read_reply_id, read_resumable, until }) {
    const row = await requireConversation(ctx, contact_id);
    requireRead(row, read_reply_id);
    if (row.mark === "not_interested") throw problem("version_conflict", NOT_INTERESTED);
    const email = (await ctx.store.contacts.find(contact_id))?.contact.email ?? null;
    if (email !== null && (await ctx.store.suppressions.has(email))) throw problem("contact_suppressed");
    const dueAt = until === undefined ? ctx.now + DEFAULT_DAYS * DAY_MS : Date.parse(until);
    if (dueAt <= ctx.now) throw problem("validation_failed", "until: must be in the future. Choose a later time.");
    if (read_resumable !== undefined) await requireReadResumable(ctx, row, read_resumable);
    // Only what this reply stopped. Marked again, there is nothing left to resume.
    const resumed = (await resumeStopped(ctx, row, dueAt)).map(({ id, sequenceId }) => ({
      enrollment_id: id,
      sequence_id: sequenceId,
      due_at: iso(dueAt),
    }));
    if (row.mark !== "out_of_office" || resumed.length > 0) {
      const subject = `Out of office until ${DAY.format(dueAt)}`;
      const metadata = { until: iso(dueAt), resumed: resumed.map(({ enrollment_id }) => enrollment_id) };
      await recordActivity(ctx, { contactId: contact_id, type: "out_of_office", subject, metadata });
    }
    const after = await updateConversation(ctx, row, { ...HANDLED, mark: "out_of_office" }, { resumed });
    return { data: { ...(await showChanged(ctx, after)), resumed } };
  },
});

/** Who marks a reply continues the sequences that they read. An archived one may be active again since. */
async function requireReadResumable(ctx: Context, row: ConversationRow, read: readonly string[]): Promise<void> {
  const ids = (found: readonly string[]) => [...new Set(found)].toSorted().join();
  const now = (await findResumable(ctx, row)).map(({ sequence }) => sequence.id);
  if (ids(now) === ids(read)) return;
  throw problem(
    "version_conflict",
    "read_resumable: is no longer the list of sequences that can continue. Read the conversation again.",
  );
}
